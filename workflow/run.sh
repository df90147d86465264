#!/usr/bin/env bash
# Runs the study: sets up what is missing, measures this machine, builds the database, renders the site.
# Usage: bash workflow/run.sh [TARGET] [--config KEY=VALUE ...] [OPTION ...]
#        bash workflow/run.sh check-contribution FOLDER   whether records that somebody sent can be accepted
#        bash workflow/run.sh compare A B                 two hosts, releases, folders or baselines side by side
#        bash workflow/run.sh submit [HOST], take ARCHIVE makes records ready to send; files what somebody sent
#        bash workflow/run.sh probe [--folder DIR]        whether this Mac's macOS is as the driver takes it to be
#        bash workflow/run.sh take-probe FOLDER           files what a probe found, and shows what to mend
#        bash workflow/run.sh publish [...]               puts the site on GitHub Pages, or into a folder
#        bash workflow/run.sh fleet COMMAND [...]         one study over several hosts
#        The last seven have a help of their own: bash workflow/run.sh publish --help
# Targets (without one: all of it, and a summary of every cell)
#   plan       shows cells, order, bytes, free space and estimated time; measures nothing
#   records    only measures
#   database   measures, builds data/diskbench.duckdb and data/parquet
#   site       measures, builds the database, renders reports/_site
# --config changes settings of workflow/config/study.yaml for this call; it comes after the target:
#   --config study=encryption-2026 scale=gold     one study, at the scale of its article
#   --config study=none                           measures nothing: database and site of the records that are here
#   --config 'storage=[{slug: external, folder: /Volumes/Fast/bench}]'
#   --config 'retry=[failed]'                     measures cells again whose record says that they failed
# Options
#   --dry-run  lists the jobs, runs none
#   --forcerun measure, --forceall    measure every cell of the call again; each older record is kept beside the new one
#   --force data/runs/.../fresh.json  measures that cell alone again
#   others go to Snakemake; `.venv/bin/python -m snakemake --help` lists them
# Ctrl-C stops a study; the same command resumes it. Details are in .diskbench/logs/.
# Exit codes: 0 done, 2 bad input, 3 disk full, 4 folder or network unusable, 5 busy, 6 damaged record, 7 a cell failed,
#   8 restart this machine, 9 machine not fit to measure, 130 interrupted, 1 anything else. What to do: reports/manual/exit-codes.qmd
set -euo pipefail
export DISKBENCH_CALLED_IN=$PWD
cd "${BASH_SOURCE[0]%/*}/.." 2>/dev/null || cd ..
help_file=""
setup_needs_core=yes
case ${1:-} in
  publish) help_file=workflow/scripts/upload/__main__.py setup_needs_core="" ;;
  compare) help_file=workflow/scripts/compare/__main__.py setup_needs_core="" ;;
  fleet) help_file=workflow/scripts/fleet/__main__.py setup_needs_core="" ;;
  probe) help_file=workflow/scripts/probe/__main__.py setup_needs_core="" ;;
  submit) help_file=workflow/scripts/contribution/submitting.py ;;
  take) help_file=workflow/scripts/contribution/taking.py ;;
  take-probe) help_file=workflow/scripts/probe/taking_in/__main__.py ;;
esac
source workflow/help.sh
source workflow/setup.sh
case ${1:-} in
  compare | probe)
    PYTHONPATH=workflow/scripts exec python -m "$@"
    ;;
  submit)
    shift
    PYTHONPATH=workflow/scripts exec python -m contribution.submitting "$@"
    ;;
  take)
    shift
    PYTHONPATH=workflow/scripts exec python -m contribution.taking "$@"
    ;;
  take-probe)
    shift
    PYTHONPATH=workflow/scripts exec python -m probe.taking_in "$@"
    ;;
  publish)
    shift
    PYTHONPATH=workflow/scripts exec python -m upload "$@"
    ;;
  fleet)
    shift
    setup_use_fleet
    PYTHONPATH=workflow/scripts:$setup_fleet exec python -m fleet "$@"
    ;;
esac
PYTHONPATH=workflow/scripts exec python -m study launch "$@"
