#!/usr/bin/env bash
# Runs the study and leaves the site: sets up what is missing, measures this machine, builds the database and the pages.
# Arguments go to Snakemake: --dry-run, --config scale=tenth, a target. README.md has the exit codes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source workflow/setup.sh
PYTHONPATH=workflow/scripts exec python -m study launch "$@"
