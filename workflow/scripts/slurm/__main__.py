"""`python -m slurm`: what workflow/slurm.sh calls; a node's job calls `python -m slurm node`."""

import sys

from console import log_to, run


def main() -> int | None:
    """Do the one thing that the first word asks for."""
    words = sys.argv[1:]
    log_to(None)
    # each brings in what it needs alone
    if words[:1] == ["node"]:
        from slurm.node import main as node

        return node(words[1:])
    if words[:1] == ["smoke"]:
        from slurm.smoke import main as smoke

        return smoke(words[1:])
    from slurm.login import main as login

    return login(words)


run(main)
