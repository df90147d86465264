#!/usr/bin/env bash
# Measures the nodes of a Slurm cluster that workflow/config/slurm.yaml names, each in a job that has the node for itself, and
# leaves database and site here. To be called on the login node, in a clone on the file system that the nodes share.
# Usage: bash workflow/slurm.sh [plan|records|database|site] [--nodes a,b] [--config KEY=VALUE ...]
#   plan, records      only shows the plan of every node, only measures; database, site: only these, of what is there
#   --nodes a,b        only these nodes
#   --config ...       as with run.sh, for every node
#        bash workflow/slurm.sh smoke [--save]
#   starts a cluster of two nodes on this machine (as root, Linux) and measures both; --save keeps that in data/proofs/slurm.json
# Exit codes: those of run.sh, of the first node that has one; 1 when Slurm ended a node's job or a node is down.
set -euo pipefail
cd "${BASH_SOURCE[0]%/*}/.." 2>/dev/null || cd ..
source workflow/help.sh
source workflow/setup.sh
PYTHONPATH=workflow/scripts:workflow exec python -m slurm "$@"
