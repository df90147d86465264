#!/usr/bin/env bash
# Offers a node of a Slurm cluster to a fleet's coordinator, as one job for each host. In the coordinator's clone, on a
# file system that the nodes share:
#   sbatch --nodelist=n1 workflow/config/slurm-worker.sh cluster-n1 /scratch/diskbench
# Node n1 is then host cluster-n1 of workflow/config/fleet.yaml. It works in a clone of its own below the folder, and
# measures the disk that this is on. The coordinator runs the study; the job ends when its host's part of that is over.
#
# For your cluster, add a partition or an account, and change the time:
#SBATCH --job-name=diskbench
#SBATCH --time=12:00:00
# before the time is over: the image that is measured is detached and removed, finished records are kept
#SBATCH --signal=B:TERM@120
# nobody else on the node, and all of its memory: the page cache counts as the job's
#SBATCH --exclusive
#SBATCH --mem=0
set -euo pipefail
host=$1
coordinator=$SLURM_SUBMIT_DIR
here=$2/$host
umask 077

# the coordinator's commit; records that are here stay as they are
git init --quiet "$here"
cd "$here"
git fetch --quiet "$coordinator" HEAD
git reset --quiet FETCH_HEAD
git checkout --quiet -- . ':!data/runs'
git clean --quiet --force -d -- . ':!data/runs'

# made on the coordinator: a node may have no network. The core with its times, so that cargo takes it as built
[ -e core/target ] || [ ! -e "$coordinator/core/target" ] || cp -a "$coordinator/core/." core
mkdir -p .diskbench/tools .diskbench/fleet .diskbench/tmp data/runs
for made in .venv .conda .diskbench/tools/fleet; do
  [ ! -e "$coordinator/$made" ] || ln -sfn "$coordinator/$made" "$made"
done
cp "$coordinator/.diskbench/fleet/certificates/$host.certificate" .diskbench/fleet/host.certificate
# what the coordinator has is not measured again, also where the folder was cleared
[ ! -d "$coordinator/data/runs/$host" ] || cp -Rn "$coordinator/data/runs/$host" data/runs

# the core's lock: in a folder that nodes share they would wait for each other
export TMPDIR=$PWD/.diskbench/tmp
# exec: Slurm kills what is left when the shell ends, and a shell ends at the first signal
exec bash workflow/run.sh fleet worker --once
