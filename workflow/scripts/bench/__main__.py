"""`python -m bench [faults|images|mac|site] ...`: prints figures; for bench.sh and faults.sh."""

import sys

from bench import faults, harness, images, mac, site
from console import run


def main() -> None:
    """Each part by its own arguments."""
    words = sys.argv[1:]
    part = {"faults": faults, "images": images, "mac": mac, "site": site}.get(
        words[0] if words else ""
    )
    if part:
        part.main(words[1:])
    else:
        harness.main(words)


run(main)
