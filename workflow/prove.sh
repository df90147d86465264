#!/usr/bin/env bash
# Runs a benchmark or a long test of diskbench itself.
# Usage: bash workflow/prove.sh NAME [ARGUMENT ...] [--save]
#        bash workflow/prove.sh NAME --help
#   fio              the harness compared with fio, call by call, cached and direct
#   images           speed and memory of images, compared with ordinary files and other programs
#   site             time to make the database and the pages, and to answer a query
#   database         time and memory of the database, at up to 100,000 records
#   statistics       coverage of intervals, false alarms, power
#   again            the same cells measured repeatedly: do they get the same verdict?
#   planted          mutation testing: which small faults do the tests detect?
#   fleet            time that a fleet of one host adds to a study
#   fleet-scale      a coordinator with hundreds of simulated hosts
#   faults           every system call of a run fails once
#   soak             studies, killed in each step and started again
#   soak-fleet       studies of a fleet: hosts killed, connections cut
#   fuzz             fuzzing: random bytes for every parser of the core
#   supply           dependencies: known vulnerabilities; licences and sources of crates
#   mac-build        the core compiled for Apple silicon on another machine
#   slurm            a fleet of two nodes of a Slurm cluster on this machine
# --save keeps the figures in data/proofs, for the page "Evidence" (not of fuzz, supply, mac-build).
set -euo pipefail
cd "${BASH_SOURCE[0]%/*}/.." 2>/dev/null || cd ..

PROOFS="fio images site database statistics again planted fleet fleet-scale faults soak soak-fleet fuzz supply \
mac-build slurm"

name=${1:-}
help_file=""
for proof in $PROOFS; do
  if [ "$proof" = "$name" ]; then
    # whose head is its help
    for help_file in "workflow/proofs/${name//-/_}"{.py,.sh,/__init__.py}; do
      [ ! -f "$help_file" ] || break
    done
  fi
done
source workflow/help.sh

if [ -z "$help_file" ]; then
  shown="name a benchmark or test:"
  [ -z "$name" ] || shown="'${name//[^[:print:]]/ }' is no benchmark or test: name one of"
  printf 'diskbench: %s %s\n' "$shown" "${PROOFS// /, }" >&2
  exit 2
fi
case $help_file in
  *.sh)
    shift
    exec bash "$help_file" "$@"
    ;;
esac

unset DISKBENCH_CORE # what is compiled here is what is tried
source workflow/setup.sh
export PYTHONPATH=workflow/scripts:workflow
case $name in
  fleet | soak-fleet | planted | slurm) setup_use_fleet ;;
  fleet-scale)
    setup_use_fleet
    PYTHONPATH=$PYTHONPATH:$setup_fleet
    ;;
esac
exec python -m proofs "$@"
