"""What stands behind `run.sh`, checked before Snakemake starts: each mistake is one line."""

import itertools
import os
import sys
from pathlib import Path
from typing import Any, NoReturn

from console import ExitCode, StudyError
from strict_yaml import read_yaml
from study.config import bad_input

HELP = "see `bash workflow/run.sh --help`"

# With these alone nothing is asked of Snakemake's own parser, which takes two seconds to be made.
USUAL = {"--config", "-n", "--dry-run", "--quiet"}

# They remove what the rules make; of records, those that are due to be measured again.
REMOVING = ("delete_all_output", "delete_temp_output")


def check(words: list[str]) -> dict[str, Any]:
    """The options by their names; those that are not given may be missing.

    Raises StudyError for what Snakemake does not know, and for what makes no sense here.
    """
    _refuse_settings_that_stand_twice(words)
    options = {word.partition("=")[0] for word in words if word.startswith("-")}
    if options <= USUAL and not os.environ.get("SNAKEMAKE_PROFILE"):
        return {
            "targets": list(itertools.takewhile(lambda word: not word.startswith("-"), words)),
            "dryrun": bool(options & {"-n", "--dry-run"}),
            "quiet": "--quiet" in options,
        }
    return _ask_snakemake(words)


def refuse_no_cache() -> None:
    """Raise StudyError where Snakemake cannot make its cache, which it does at every call."""
    home = Path.home()
    caches = home / "Library" / "Caches" if sys.platform == "darwin" else home / ".cache"
    if sys.platform != "darwin" and os.environ.get("XDG_CACHE_HOME"):
        caches = Path(os.environ["XDG_CACHE_HOME"])
    try:
        (caches / "snakemake").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StudyError(
            ExitCode.FOLDER_UNUSABLE,
            f"HOME is {home}, and no cache can be created at {caches} ({error.strerror}): "
            "set HOME to a folder that you may write to, then run again",
        ) from error


def _refuse_settings_that_stand_twice(words: list[str]) -> None:
    keys: list[str] = []
    of_config = False
    for word in words:
        if word.startswith("-"):
            of_config = word == "--config"
        elif of_config:
            keys.append(word.partition("=")[0])
    for key in keys:
        if keys.count(key) > 1:
            raise bad_input(f"--config: {key} occurs twice: give it once")


def _ask_snakemake(words: list[str]) -> dict[str, Any]:
    from snakemake.cli import get_argument_parser, get_profile_dir
    from snakemake.exceptions import CliException

    parser = get_argument_parser()
    parser.error = _refuse  # instead of a page of usage
    try:
        asked = parser.parse_args(words)
    except CliException as error:
        raise bad_input(f"{error}; {HELP}") from error
    options = vars(asked)
    for name in REMOVING:
        if options[name]:
            raise bad_input(
                f"--{name.replace('_', '-')} could remove records: to build everything else "
                "again, delete data/diskbench.duckdb, data/parquet and reports/_site, then call "
                "run.sh"
            )
    for name, count in (
        ("--cores", asked.cores),
        ("--jobs", asked.jobs),
        ("--local-cores", asked.local_cores),
    ):
        if count is not None and count < 1:
            raise bad_input(f"{name} {count}: nothing could run with that; leave it out, or give 1")
    for profile in asked.profile or []:
        if profile != "none" and get_profile_dir(profile) is None:
            raise bad_input(
                f"--profile {profile}: there is no such profile; leave it out: run.sh has its own"
            )
    if asked.directory:
        raise bad_input(
            "--directory: run.sh measures in the project's folder; for another one: source "
            f"workflow/setup.sh, then snakemake --cores 1 --directory {asked.directory}"
        )
    if asked.software_deployment_method:
        raise bad_input(
            "--sdm: the rules need the packages that setup.sh installs; leave it out: run.sh has "
            "made the environment"
        )
    for path in asked.configfile or []:
        read_yaml(path)
    return options


def _refuse(message: str) -> NoReturn:
    raise bad_input(f"{message}; {HELP}")
