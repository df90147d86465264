"""`begin.py MODULE ...`: runs the `main` of a command; Ctrl-C is heeded while it loads, too."""

import sys
from importlib import import_module

from console import run


def main() -> int | None:
    """Load the module, and call its `main` with the remaining arguments."""
    return import_module(sys.argv.pop(1)).main()


if __name__ == "__main__":
    run(main)
