"""The targets and options of `run.sh`; Snakemake has each of them too."""

import argparse
import os
import sys
from pathlib import Path

from arguments import Parser
from console import ExitCode, StudyError
from study.config import bad_input


def parse(words: list[str]) -> argparse.Namespace:
    """The options by their names.

    Raises StudyError for options that `run.sh` does not support, and for a duplicate setting.
    """
    parser = Parser(prog="bash workflow/run.sh", add_help=False)
    parser.add_argument("targets", nargs="*")
    parser.add_argument("--config", nargs="+", action="extend", default=[])
    parser.add_argument("-n", "--dry-run", action="store_true")
    parser.add_argument("-f", "--force", action="store_true")
    parser.add_argument("-F", "--forceall", action="store_true")
    parser.add_argument("-R", "--forcerun", nargs="+")
    parser.add_argument("-k", "--keep-going", action="store_true")
    parser.add_argument("-p", "--printshellcmds", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("-c", "--cores", type=_cores)
    if sum(word.partition("=")[0] == "--config" for word in words) > 1:
        raise bad_input("--config occurs twice: give all settings after one")
    asked, unknown = parser.parse_known_args(words)
    if unknown:
        raise bad_input(
            f"{unknown[0]} is not an option of run.sh; see `{parser.prog} --help`, and for "
            "Snakemake's options reports/manual/setup.qmd"
            if unknown[0].startswith("-")
            else f"{unknown[0]} comes after an option: targets come first"
        )
    by_key(asked.config)
    return asked


def _cores(text: str) -> str:
    if text != "all" and not (text.isascii() and text.isdigit() and int(text)):
        raise argparse.ArgumentTypeError(f"'{text}' is neither a whole number from 1 nor all")
    return text


def by_key(settings: list[str]) -> dict[str, str]:
    """The values of `--config`, by key.

    Raises StudyError for an argument that is not KEY=VALUE, and for a duplicate key.
    """
    values: dict[str, str] = {}
    for setting in settings:
        key, equals, value = setting.partition("=")
        if not equals or not key:
            raise bad_input(
                f"--config: {setting} is not KEY=VALUE (only settings come after --config)"
            )
        if key in values:
            raise bad_input(f"--config: {key} occurs twice: give it once")
        values[key] = value
    return values


def refuse_no_cache() -> None:
    """Raise StudyError if Snakemake cannot make its cache, which it needs in every call."""
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
