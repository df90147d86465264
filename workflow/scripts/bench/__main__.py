"""`python -m bench [images|mac|site|statistics] ...`: prints ratios; workflow/bench.sh calls it."""

import sys

from bench import harness, images, mac, site, statistics
from console import run


def main() -> None:
    """Each part by its own arguments."""
    words = sys.argv[1:]
    part = {"images": images, "mac": mac, "site": site, "statistics": statistics}.get(
        words[0] if words else ""
    )
    if part:
        part.main(words[1:])
    else:
        harness.main(words)


run(main)
