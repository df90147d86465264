"""`python -m bench [images] ...`: prints ratios; workflow/bench.sh calls it."""

import sys

from bench import harness, images
from console import run


def main() -> None:
    """Either part by its own arguments."""
    words = sys.argv[1:]
    if words[:1] == ["images"]:
        images.main(words[1:])
    else:
        harness.main(words)


run(main)
