"""Records of hosts that do not exist, as they might be sent."""

import json

from fleet.filing import Sent
from proofs.support import made_up
from proofs.support.records import signed
from record import path_of


def record(host="mac-a", minute=0, **changes):
    """A whole record of a host; `changes` go into its cell."""
    made = made_up.record("apple", "UDSB", "none", "macos-26.4-25E246", 1)
    made["cell"] |= {"host": host} | changes
    made["host"] |= {"model": "Mac16,11"}
    for sample in made["samples"]:
        sample["elapsed_ns"] = 400_000 + sample["size_bytes"] // 6 + minute
    for step in made["steps"]:
        step["elapsed_ns"] = 1_000_000
    made["started_utc"] = f"2026-05-20T12:{minute:02}:00Z"
    made["finished_utc"] = f"2026-05-20T12:{minute:02}:50Z"
    return signed(made)


def sent(made, host="mac-a"):
    """As its host sends it."""
    content = json.dumps(made).encode()
    return Sent(host, path_of(made["cell"]).removesuffix(".json"), content)
