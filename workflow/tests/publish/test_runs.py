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


def test_a_cell_is_named_by_format_encryption_and_state():
    assert names({}) == ["sparse bundle (UDSB) AES-256, new"]
    # what differs besides is added only where it does
    found = names({}, {"storage": "usb4-980pro"}, {"phase": "emptied"})
    assert found == [
        "sparse bundle (UDSB) AES-256, new, on the internal storage",
        "sparse bundle (UDSB) AES-256, new, on a USB4 SSD (980 PRO)",
        "sparse bundle (UDSB) AES-256, emptied after use",
    ]


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
