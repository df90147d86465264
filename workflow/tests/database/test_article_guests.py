"""Cells of a macOS guest are compared only with a similar guest of an article."""

from pathlib import Path

import made_up
import pytest
from article_rows import ROW, RUNS, UDSB

from study.config import read_protocol

GUESTS_SQL = Path(__file__).parents[2] / "sql/marts/07_unlike_the_articles.sql"


def guest(chip="Apple M4 Pro (Virtual)", given=None, **cell):
    """A run in a macOS guest, which knows its chip, but not its host."""
    share = RUNS[cell.get("repeat", 1) - 1]
    made = made_up.record(
        made_up.noisy(share * 5.91, share * 6.62, spread=0.02, per_file_ns=0),
        **{
            "host": "virtual-mac2-1-m4-pro",
            "release": "macos-26.4-25E246",
            "protocol": "restart",
            "scale": "half",
            "format": "VM",
        }
        | cell,
    )
    made["host"] |= {"model": "VirtualMac2,1", "chip": chip, "virtual_machine": True}
    # what vm-2026 gave its guests
    made["host"] |= {"cores": [{"kind": "performance", "count": 5}], "memory_bytes": 16 * 2**30}
    return made_up.signed(made | {"host": made["host"] | (given or {})})


def guests(folders, *chip, **cell):
    """Three runs in a guest."""
    for repeat in (1, 2, 3):
        made_up.save(guest(*chip, repeat=repeat, **cell), folders.runs)


# vm-2026, FileVault off: 6.62 and 5.91 GB/s
GUEST = "from article_table where article = 'vm-2026' and format = 'VM' and encryption = 'none' and protocol = 'restart'"


def test_a_guest_on_the_chip_of_the_published_mac_is_compared(folders, query):
    guests(folders)
    found = query(f"select op, measured_host, verdict {GUEST}")
    assert found == [(op, "virtual-mac2-1-m4-pro", "reproduced") for op in ("read", "write")]


@pytest.mark.parametrize("chip", ["Apple M4 Max (Virtual)", "Apple M4 (Virtual)", None])
def test_a_guest_on_another_chip_is_not(folders, query, chip):
    guests(folders, chip)
    assert query(f"select distinct verdict, reasons {GUEST}") == [
        ("not comparable", ["other-machine"])
    ]


def test_a_guest_with_a_chosen_slug_is_recognized_by_its_chip(folders, query):
    guests(folders, host="guest-without-filevault")
    assert query(f"select distinct verdict {GUEST}") == [("reproduced",)]


def test_two_guests_on_one_chip_each_have_their_row(folders, query):
    guests(folders, host="guest-1")
    guests(folders, host="guest-2")
    found = query(f"select measured_host, verdict {GUEST} and op = 'read'")
    assert found == [("guest-1", "reproduced"), ("guest-2", "reproduced")]


@pytest.mark.parametrize(
    "given",
    [
        {"cores": [{"kind": "performance", "count": 4}]},
        {"memory_bytes": 8 * 2**30},
        {"cores": [{"kind": "efficiency", "count": 2}, {"kind": "performance", "count": 4}]},
    ],
)
def test_a_guest_with_other_cores_or_memory_is_not_that_of_the_article(folders, query, given):
    guests(folders, given=given)
    assert query(f"select distinct verdict, reasons {GUEST}") == [
        ("not comparable", ["other-guest"])
    ]


def test_the_guest_of_the_article_is_that_of_the_protocol():
    stated = read_protocol("restart")["machine"]
    of_article = f"{stated['cores']} cores, {stated['memory_gb']} GB"
    assert f"then '{of_article}' end" in GUESTS_SQL.read_text(encoding="utf-8")


def test_an_image_inside_a_guest_is_not_one_on_the_mac(folders, query):
    # the chip of the published Mac, and even its name
    guests(folders, **UDSB, protocol="usage-phases", scale="gold")
    assert query(f"select verdict, reasons {ROW}") == [("not comparable", ["virtual-machine"])]
