"""Parsing of command lines; a mistake is reported in one line before anything is done."""

import argparse
import difflib
import os
from pathlib import Path
from typing import Any, NoReturn

from console import ExitCode, StudyError


class Parser(argparse.ArgumentParser):
    """An argument parser that raises `StudyError` instead of printing its usage."""

    def __init__(self, **settings: Any):
        super().__init__(**{"allow_abbrev": False, **settings})

    def error(self, message: str) -> NoReturn:
        """Raise StudyError with the mistake and a hint to the help."""
        raise StudyError(ExitCode.BAD_INPUT, f"{message}; see `{self.prog} --help`")


def typed_path(text: str) -> Path:
    """A path relative to the folder in which run.sh was called; run.sh itself changes folder.

    If that does not exist, it is taken as relative to the project's folder, as in the manual.
    Raises StudyError (bad input) for an empty argument, such as an unset variable.
    """
    if not text:
        raise StudyError(ExitCode.BAD_INPUT, "an empty path: name a file or a folder")
    called_in = Path(os.environ.get("DISKBENCH_CALLED_IN", "."))
    if called_in.resolve() == Path.cwd() or not os.path.lexists(called_in / text):
        return Path(text)
    return called_in / text


def whole_number(text: str) -> int:
    """A whole number from 1."""
    if not (text.isascii() and text.isdigit() and int(text)):
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number from 1")
    return int(text)


def minutes(text: str) -> float:
    """A number of minutes above 0."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of minutes above 0")
    return number


def writable_folder(text: str) -> Path:
    """An existing, writable folder. Raises StudyError (folder unusable)."""
    folder = typed_path(text)
    if not folder.is_dir():
        wrong = "is no folder" if folder.exists() else "is not there"
    elif not os.access(folder, os.W_OK | os.X_OK):
        wrong = "cannot be written"
    else:
        return folder
    raise StudyError(ExitCode.FOLDER_UNUSABLE, f"{text} {wrong}: name a folder that can be written")


def did_you_mean(word: str, known: list[str]) -> str:
    """` (did you mean '...'?)` if a known word is similar, else empty."""
    close = difflib.get_close_matches(word, known, n=1)
    return f" (did you mean '{close[0]}'?)" if close else ""
