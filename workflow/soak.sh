#!/usr/bin/env bash
# Kills studies with SIGKILL in each of their steps, at moments drawn at random, in a copy of the project, and calls them again: nothing that
# was recorded may be lost or counted twice, and the second call has to complete everything without anybody's help.
# A line for each kill, and what they came to; the exit code is 1 when something was amiss.
# Usage: bash workflow/soak.sh [KILLS] [SEED] [--minutes M] [--save]   (default: 20 kills of each of five steps; seed 1)
#        bash workflow/soak.sh fleet [STUDIES] [SEED] [--minutes M] [--save]   (default: 30 studies, some 20 minutes; seed 1)
#        studies of three hosts and a desk on this machine, one of which is killed or has its cable pulled (root does that)
set -euo pipefail
cd "${BASH_SOURCE[0]%/*}/.." 2>/dev/null || cd ..
source workflow/help.sh
source workflow/setup.sh
if [ "${1:-}" = fleet ]; then setup_use_fleet; fi
PYTHONPATH=workflow/scripts:workflow/proofs exec python -m soak "$@"
