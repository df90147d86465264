"""Synthetic records as sent by hosts."""

import json
from datetime import datetime

from fleet.filing import Sent
from proofs.support import bulk
from proofs.support.records import signed
from record import path_of


def record(host="mac-a", minute=0, **changes):
    """A whole record of a host; `changes` go into its cell."""
    started = datetime(2026, 5, 20, 12, minute)
    return signed(bulk.of_mac(host, started, noise=lambda _: minute, **changes))


def sent(made, host="mac-a"):
    """As its host sends it."""
    content = json.dumps(made).encode()
    return Sent(host, path_of(made["cell"]).removesuffix(".json"), content)
