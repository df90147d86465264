#!/usr/bin/env bash
# How much this harness costs: its write and read rate against a bare loop of the same system calls, and against fio
# where that is installed. Ratios of interleaved rounds, with their median and spread; never a test.
# A goal is reached only where the whole 95 % interval over the rounds lies inside it: workflow/scripts/bench/goals.py.
# Usage: bash workflow/bench.sh [ROUNDS] [FOLDER]          (default: 15 rounds in memory, on /dev/shm where there is one)
#        bash workflow/bench.sh fio [ROUNDS] [FOLDER...] [--save] (default: 241 rounds on this folder's disk and in memory):
#                                                          against fio, buffered and direct; --save keeps it in data/proofs
#        bash workflow/bench.sh images [ROUNDS] [FOLDER]   (default: 9 rounds): what the portable images cost
#        bash workflow/bench.sh asif-templates CHECKOUT    the 19 blank ASIF images by Apple's tools in a clone of
#                                                          nicholas-lonsinger/kernova: read, and compared with ours
#        bash workflow/bench.sh mac [RUNS] [SEED] [FOLDER] (default: 200 runs): driver apple on a Mac that does not exist,
#                                                          whose programs misbehave, or that is cut short; and its own time
#        bash workflow/bench.sh site [ROUNDS]              (default: 3 rounds): what the database and the pages take to make
#        bash workflow/bench.sh database [RECORDS ...] [--rounds ROUNDS] [--folder FOLDER] [--save]   (default: 1000 10000 100000
#                                                          made-up records, 6 rounds each): what the database takes at scale; the last needs 7 GB
#        bash workflow/bench.sh memory [ROUNDS] [FOLDER] [--save]   (default: 6 rounds): what the core holds at scale smoke and at scale tenth
#                                                          (6 GB free)
#        bash workflow/bench.sh statistics [CELLS] [--save] (default: 2,000 cells): how often intervals hold, false alarms, power
#        bash workflow/bench.sh again [REPEATS] [--loaded] [--save] (default: 180 runs of six cells): is the same called the same?
#        bash workflow/bench.sh planted [FAULTS] [--seed SEED] [--save] (default: 150): which small faults do the tests see?
#        bash workflow/bench.sh fleet [ROUNDS] [--study STUDY] [--scale SCALE] [--save]   (default: 9 rounds of all at tenth): a fleet against run.sh
#        bash workflow/bench.sh fleet-scale [HOSTS ...] [--rounds ROUNDS] [--save]   (default: 125 250 500 1000, 6 rounds): a desk with so many hosts
set -euo pipefail
cd "${BASH_SOURCE[0]%/*}/.." 2>/dev/null || cd ..
source workflow/help.sh
source workflow/setup.sh
case ${1:-} in
  fleet*)
    setup_use_fleet
    export PYTHONPATH=workflow/scripts:workflow/proofs:$setup_fleet
    ;;
  planted)
    setup_use_fleet
    export PYTHONPATH=workflow/scripts:workflow/proofs
    ;;
  *) export PYTHONPATH=workflow/scripts:workflow/proofs ;;
esac
exec python -m bench "$@"
