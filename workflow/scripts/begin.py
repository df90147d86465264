"""`begin.py MODULE ...`: runs the `main` of a command whose modules take a while to load.

Ctrl-C during loading ends it silently: nothing has been done yet.
"""

# not `signal`, whose imports take a while
import _signal

BEFORE = _signal.getsignal(_signal.SIGINT)
if BEFORE != _signal.SIG_IGN:  # shells ignore SIGINT for background commands
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)

import sys  # noqa: E402
from importlib import import_module  # noqa: E402

from console import run  # noqa: E402


def main() -> int | None:
    """Load the module, and call its `main` with the remaining arguments."""
    main = import_module(sys.argv.pop(1)).main
    _signal.signal(_signal.SIGINT, BEFORE)
    return main()


if __name__ == "__main__":
    run(main)
