#!/usr/bin/env bash
# Kills whole studies with SIGKILL at moments drawn at random, in a copy of the project, and calls them again: nothing that
# was recorded may be lost or counted twice, and the second call has to complete everything without anybody's help.
# A line for each kill, and what they came to; the exit code is 1 when something was amiss.
# Usage: bash workflow/soak.sh [KILLS] [SEED] [--minutes M] [--save]   (default: 200 kills, some two hours; seed 1)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source workflow/setup.sh
PYTHONPATH=workflow/scripts exec python -m soak "$@"
