"""Names of cells."""

import pandas as pd

from lib import runs

CELL = {
    "host": "made-up-mac", "release": "macos-26.4-25E", "protocol": "usage-phases", "scale": "gold",
    "storage": "internal", "driver": "apple", "format": "UDSB", "encryption": "AES-256",
    "repeat": 1, "phase": "fresh", "band_bytes": None, "stand_in": False,
}  # fmt: skip


def names(*cells: dict) -> list[str]:
    rows = pd.DataFrame([CELL | cell | {"cell": str(at)} for at, cell in enumerate(cells)])
    return list(runs.cell_names(rows).values())


def test_no_two_cells_of_a_machine_have_one_name():
    found = names(
        *(
            {
                "storage": storage,
                "repeat": repeat,
                "scale": scale,
                "driver": driver,
                "protocol": protocol,
            }
            for storage in ("internal", "usb4-980pro")
            for repeat in (1, 2)
            for scale in ("gold", "tenth")
            for driver in ("apple", "portable")
            for protocol in ("usage-phases", "remounted")
        )
    )
    assert len(set(found)) == 32
