"""`python -m proofs NAME ...`, for prove.sh, which checks the name."""

import sys
from importlib import import_module

from console import run


def main() -> int | None:
    """Do the proof of that name with the words behind it."""
    name, *words = sys.argv[1:]
    return import_module(f"proofs.{name.replace('-', '_')}").main(words)


run(main)
