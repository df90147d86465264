# What all rules share: the plan of this call, and the paths. No rules here.
import json
import shlex
import sys
import time

# the rules call the modules there with `python -m`
shell.prefix(f"set -euo pipefail; export PYTHONPATH={shlex.quote(str(SCRIPTS))}; ")

import made
import withdrawn
from console import report_and_exit
from study.core import released_core
from study.asked import asked, forced, looks_at_jobs
from study.commands import begin
from study.planning import NOTHING, make_plan
from study.sources import files_below, missing_engine, sources_of_the_core

OPTIONS = asked(sys.argv[1:])
FORCED = forced(OPTIONS)

with report_and_exit():
    PLAN = make_plan(config, FORCED) if looks_at_jobs(OPTIONS) else NOTHING
begin(PLAN, OPTIONS.get("targets") or [])

ENVIRONMENT = str((PROJECT / "environment.yml").absolute())
LOGS = Path(".diskbench/logs")
CORE = str(PROJECT / "core/target/release/diskbench")

# Outputs are markers alone (workflow/scripts/made.py): what is declared as an output is deleted before a step and after
# a failure. Each product is swapped in by its own step.
PLAN_MADE = ".diskbench/made/plan"
SUMMARY = str(made.SUMMARY)

CONFIG_JSON = json.dumps(config, sort_keys=True)

# Differs in each call, so that a plan is shown and checked anew whenever something is to be measured.
THIS_CALL = str(time.time_ns())


# Only a cell that is due can be measured. So the plan alone decides about measuring (workflow/scripts/study/records.py),
# and no file's time, edited comment or rebuilt core does.
wildcard_constraints:
    due_cell=PLAN.due_pattern(),


def marker(cell):
    """The file that says that this call, or one before it, measured a cell."""
    return f"{made.MEASURED}/{cell}"


def earlier_phase(wildcards):
    """The phases of one image are measured in order."""
    return [marker(cell) for cell in PLAN.due_before(wildcards.due_cell)]


def place_in_order(wildcards):
    """Snakemake measures the cell with the highest priority first."""
    return PLAN.priority(wildcards.due_cell)


def run_options(wildcards):
    """What the core is told beyond the cell's description."""
    return PLAN.run_options(wildcards.due_cell)
