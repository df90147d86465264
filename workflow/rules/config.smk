# The study's config. It is read strictly before Snakemake reads it: what is wrong with it is one line.
import sys
from pathlib import Path

SCRIPTS = Path(workflow.basedir) / "workflow" / "scripts"
sys.path.insert(0, str(SCRIPTS))

from console import report_and_exit
from strict_yaml import read_yaml

with report_and_exit():
    read_yaml(Path("workflow/config/study.yaml"))


configfile: "workflow/config/study.yaml"
