"""`python -m bench [database|images|mac|site] ...`: prints ratios; workflow/bench.sh calls it."""

import sys

from bench import database, harness, images, mac, site
from console import run


def main() -> None:
    """Each part by its own arguments."""
    words = sys.argv[1:]
    part = {"database": database, "images": images, "mac": mac, "site": site}.get(
        words[0] if words else ""
    )
    if part:
        part.main(words[1:])
    else:
        harness.main(words)


run(main)
