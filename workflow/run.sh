#!/usr/bin/env bash
# Runs the study: installs what is missing, measures this machine, builds the database, renders the site.
# Usage: bash workflow/run.sh [TARGET] [--config KEY=VALUE ...] [OPTION ...]
#        bash workflow/run.sh check-contribution FOLDER   whether records that somebody sent can be accepted
#        bash workflow/run.sh compare A B                 two hosts, releases or folders side by side
#        bash workflow/run.sh submit [HOST], take ARCHIVE makes records ready to send; imports what somebody sent
#        bash workflow/run.sh probe [--folder DIR]        whether this Mac's macOS behaves as the driver expects
#        bash workflow/run.sh take-probe FOLDER           files what a probe found, and shows what to fix
#        bash workflow/run.sh fleet COMMAND [...]         one study over several hosts
#        These have a help of their own: bash workflow/run.sh compare --help
# Targets (without one: all of it, and a summary of every cell)
#   plan       shows cells, order, bytes, free space and estimated time; measures nothing
#   records    only measures
#   database   measures, builds data/diskbench.duckdb and data/parquet
#   site       measures, builds the database, renders reports/_site
# --config changes settings of workflow/config/study.yaml for this call; it comes after the target:
#   --config study=encryption-2026 scale=gold     one study, at the scale of its article
#   --config study=none                           measures nothing: database and site of existing records
#   --config 'storage=[{slug: external, folder: /Volumes/Fast/bench}]'
#   --config scale=gold 'retry=[failed]'          measures failed cells again
# Options
#   -n, --dry-run  lists the jobs, runs none
#   --forcerun measure, --forceall    measure every cell again; each older record is kept beside the new one
#   --force data/runs/.../fresh.json  measures only that cell again
#   -k, --keep-going, --cores N, -p, --verbose  as in Snakemake; for its other options see reports/manual/setup.qmd
# Ctrl-C stops a study; the same command resumes it. Details are in .diskbench/logs/.
# Exit codes: 0 done, 2 bad input, 3 disk full, 4 folder or network unusable, 5 busy, 6 damaged record, 7 a cell failed,
#   8 restart this machine, 9 machine not fit to measure, 130 interrupted, 1 anything else. What to do: reports/manual/exit-codes.qmd
set -euo pipefail
# otherwise the first opened files would replace closed streams
{ : 3<&0; } 2>/dev/null || exec </dev/null
{ : 3>&1; } 2>/dev/null || exec >/dev/null
export DISKBENCH_CALLED_IN=$PWD
cd "${BASH_SOURCE[0]%/*}/.." 2>/dev/null || cd ..
# commands other than targets have their own module and help
module=""
setup_needs_core=""
case ${1:-} in
  compare | fleet | probe) module=$1/__main__ ;;
  check-contribution) module=contribution/__main__ setup_needs_core=yes ;;
  submit) module=contribution/submitting setup_needs_core=yes ;;
  take) module=contribution/taking setup_needs_core=yes ;;
  take-probe) module=probe/taking_in/__main__ setup_needs_core=yes ;;
  *) setup_needs_core=yes ;;
esac
help_file=${module:+workflow/scripts/$module.py}
source workflow/help.sh
source workflow/setup.sh
packages=""
if [ "${1:-}" = fleet ]; then
  setup_use_fleet
  packages=:$setup_fleet
fi
if [ -n "$module" ]; then
  shift
else
  module=study/__main__
  set -- launch "$@"
fi
PYTHONPATH=workflow/scripts$packages exec python workflow/scripts/begin.py "${module//\//.}" "$@"
