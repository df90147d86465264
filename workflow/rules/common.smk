# What all rules share: the plan of this call, and the paths. No rules here.
import json
import shlex
import sys
import time
from pathlib import Path

SCRIPTS = Path(workflow.basedir) / "workflow" / "scripts"
sys.path.insert(0, str(SCRIPTS))
# the rules call the modules there with `python -m`
shell.prefix(f"set -euo pipefail; export PYTHONPATH={shlex.quote(str(SCRIPTS))}; ")

from console import report_and_exit
from record import RUNS, paths
from study.planning import make_plan
from study.sources import digest, files_below, missing_engine

with report_and_exit():
    PLAN = make_plan(config)

ENVIRONMENT = str(Path(workflow.basedir) / "environment.yml")
LOGS = Path(".diskbench/logs")
PLAN_FILE = ".diskbench/plan.json"
CORE = "core/target/release/diskbench"
DATABASE = "data/diskbench.duckdb"
PARQUET = "data/parquet"
SITE = "reports/_site/index.html"
# Files that say that a step came to its end; see rule database.
DATABASE_MADE = ".diskbench/made/database"
SITE_MADE = ".diskbench/made/site"

CONFIG_JSON = json.dumps(config, sort_keys=True)
PLANNED_RECORDS = [str(PLAN.record(cell)) for cell in PLAN.cells]
RECORDS_HERE = {str(record) for record in paths(RUNS) if record.is_file()}
ALL_RECORDS = sorted(RECORDS_HERE | set(PLANNED_RECORDS))

# Differs in each call, so that a plan is shown and checked anew whenever something is to be measured.
THIS_CALL = str(time.time_ns())


# Only a cell that is due can be measured; every other record is a plain file that no rule makes. So the plan alone
# decides about measuring (workflow/scripts/study/records.py), and no file's time, edited comment or rebuilt core does.
wildcard_constraints:
    due_cell=PLAN.due_pattern(),


def earlier_phase(wildcards):
    """The phases of one image are measured in order."""
    return [str(PLAN.record(cell)) for cell in PLAN.due_before(wildcards.due_cell)]


def place_in_order(wildcards):
    """Snakemake measures the cell with the highest priority first."""
    return PLAN.priority(wildcards.due_cell)


def run_options(wildcards):
    """What the core is told beyond the cell's description."""
    return PLAN.run_options(wildcards.due_cell)
