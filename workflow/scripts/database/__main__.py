"""`python -m database build`: makes DuckDB and Parquet from data/published and data/runs."""

import argparse
from dataclasses import fields
from pathlib import Path

import console
import withdrawn
from database.build import Folders, build
from probe.taking_in.filing import PROBES


def arguments() -> argparse.Namespace:
    """The parsed command line."""
    parser = argparse.ArgumentParser(prog="python -m database", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    command = commands.add_parser("build", help="build the database and the Parquet files anew")
    command.add_argument("--runs", type=Path, required=True, help="folder of the records")
    command.add_argument("--published", type=Path, required=True, help="folder of the CSV files")
    command.add_argument("--sql", type=Path, required=True, help="folder of the numbered SQL files")
    command.add_argument("--schema", type=Path, required=True, help="JSON Schema of a record")
    command.add_argument("--database", type=Path, required=True, help="DuckDB file to write")
    command.add_argument("--parquet", type=Path, required=True, help="folder for Parquet files")
    command.add_argument("--core", type=Path, help="the core, which checks records faster")
    command.add_argument("--probes", type=Path, default=PROBES, help="folder of probes' reports")
    command.add_argument(
        "--withdrawn", type=Path, default=withdrawn.FILE, help="CSV file of withdrawn records"
    )
    command.add_argument("--log", type=Path, help="file for the details")
    command.add_argument(
        "--strict", action="store_true", help="end with code 6 when a record was refused"
    )
    return parser.parse_args()


def main() -> int:
    """Build, and print the result in one line."""
    asked = arguments()
    console.log_to(asked.log)
    outcome = build(Folders(**{one.name: getattr(asked, one.name) for one in fields(Folders)}))
    console.say(str(outcome))
    refused = asked.strict and outcome.refused
    return console.ExitCode.DAMAGED_RECORD if refused else console.ExitCode.DONE


if __name__ == "__main__":
    console.run(main)
