# The nodes of a Slurm cluster, one job each: what workflow/slurm.sh runs, and no part of the Snakefile's own workflow.
#
# A job is all that a node is to measure, not one cell: the phases of an image belong to one disk, one study at a time holds
# a machine, and its order is the plan's. On the node it is the ordinary `run.sh records` (workflow/scripts/slurm/node.py).
import shlex
import sys
from pathlib import Path

SCRIPTS = Path(workflow.basedir).parent / "scripts"
shell.prefix(f"set -euo pipefail; export PYTHONPATH={shlex.quote(str(SCRIPTS))}; ")

# This very call, as workflow/scripts/slurm/login.py wrote it: its nodes, settings and paths.
NODES = config["nodes"]
SETTINGS = config["settings"]


wildcard_constraints:
    node="|".join(NODES),


def only_on(wildcards):
    """This node and no other, and nobody else on it meanwhile: another job would be measured with it."""
    return f"--exclusive --nodelist={wildcards.node}"


def optional(setting):
    """A setting of slurm.yaml as a resource, where it is given."""
    return {} if SETTINGS[setting] is None else {f"slurm_{setting}": SETTINGS[setting]}


rule nodes:
    default_target: True
    input:
        expand("ended/{node}", node=NODES),
    localrule: True


rule node:
    output:
        touch("ended/{node}"),
    log:
        "logs/{node}.log",
    conda:
        str(SCRIPTS.parents[1] / "environment.yml")
    resources:
        **optional("partition"),
        **optional("account"),
        slurm_extra=only_on,
        runtime=SETTINGS["minutes"],
        # none is asked for: the job has all of its node, and a number here would hold the study to it
        cpus_per_task=-1,
    params:
        python=sys.executable,
        call=config["call"],
    shell:
        "{params.python:q} -m slurm node --call {params.call:q} --node {wildcards.node} --log {log}"
