# The study's config. It is read strictly before Snakemake reads it: what is wrong with it is one line.
import os
import sys
from pathlib import Path

# The project, seen from the working directory: `.` unless Snakemake is called with --directory. Sources are below it;
# what is measured and made is below the working directory.
PROJECT = Path(os.path.relpath(Path(str(workflow.current_basedir)).parents[1]))
CONFIG = PROJECT / "workflow" / "config" / "study.yaml"
SCRIPTS = (PROJECT / "workflow" / "scripts").absolute()
sys.path.insert(0, str(SCRIPTS))

from console import report_and_exit
from strict_yaml import read_yaml

with report_and_exit():
    read_yaml(CONFIG)


configfile: str(CONFIG)
