"""The workflow's own commands: `python -m study launch|build|plan|prepare|measure|summary`."""

import argparse
import json
import sys
from importlib import import_module
from pathlib import Path

from console import log_to, run


def main() -> int | None:
    """Parse the command line and run the command."""
    if sys.argv[1:2] == ["launch"]:
        # all further arguments are Snakemake's
        from study.launch import launch

        log_to(None)
        return launch(sys.argv[2:])
    arguments = vars(_parser().parse_args())
    log_to(arguments.pop("log_details"))
    # measuring a cell does not load modules of other commands
    module, function = arguments.pop("do").split(":")
    return getattr(import_module(module), function)(**arguments)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m study", description=__doc__)
    commands = parser.add_subparsers(required=True)

    build = commands.add_parser("build", help="build the core")
    build.set_defaults(do="study.core:build")
    build.add_argument("--manifest", type=Path, required=True)
    build.add_argument("--binary", type=Path, required=True)

    plan = commands.add_parser("plan", help="show the plan, or refuse it")
    plan.set_defaults(do="study.commands:plan")
    prepare = commands.add_parser("prepare", help="the same, and have it measured by")
    prepare.set_defaults(do="study.commands:prepare")
    for command in (plan, prepare):
        command.add_argument(
            "--config", type=json.loads, required=True, help="the study's config as JSON"
        )
        command.add_argument("--core", dest="core_binary", type=Path, required=True)
        command.add_argument(
            "--forced", nargs="*", default=[], help="cells to measure again, or `all`"
        )

    measure = commands.add_parser("measure", help="measure one cell of the plan")
    measure.set_defaults(do="study.commands:measure")
    measure.add_argument("--cell", required=True)
    measure.add_argument("--core", dest="core_binary", type=Path, required=True)
    measure.add_argument("--core-log", dest="log", type=Path, required=True)
    measure.add_argument("options", nargs="*", help="more options of the core, after --")

    summary = commands.add_parser("summary", help="say what became of every cell")
    summary.set_defaults(do="study.commands:summarise")
    summary.add_argument("--config", type=json.loads, required=True)
    summary.add_argument("--database", type=Path, required=True)
    summary.add_argument("--site", type=Path, required=True)
    summary.add_argument(
        "--summary", type=Path, required=True, dest="file", help="file for the same"
    )

    for command in (build, plan, prepare, measure, summary):
        command.add_argument("--log", dest="log_details", type=Path)
    return parser


if __name__ == "__main__":
    run(main)
