"""Cells of a macOS guest are compared only with a similar guest of an article."""

from pathlib import Path

import made_up
import pytest

from database import published
from proofs.support.records import merged

PROJECT = Path(__file__).parents[3]
GUESTS_SQL = PROJECT / "workflow/sql/marts/07_unlike_the_articles.sql"
# what vm-2026 gave its guests; a guest knows its chip, but not its host
GUEST = {
    "model": "VirtualMac2,1",
    "chip": "Apple M4 Pro (Virtual)",
    "virtual_machine": True,
    "cores": [{"kind": "performance", "count": 5}],
    "memory_bytes": 16 * 2**30,
}


@pytest.fixture
def guest(save):
    """Saves three runs in a guest, with the speeds of vm-2026 for FileVault off: 6.62 and 5.91 GB/s."""
    cell = {"release": "macos-26.4-25E246", "protocol": "restart", "scale": "half", "format": "VM"}
    return lambda host="virtual-mac2-1-m4-pro", **given: save(
        *made_up.repeats(5.91, 6.62),
        parts=merged({"host": GUEST}, {"host": given}),
        host=host,
        **cell,
    )


FIGURE = "from article_table where article = 'vm-2026' and format = 'VM' and encryption = 'none' and protocol = 'restart'"


def test_guests_on_the_chip_of_the_published_mac_are_compared_whatever_their_slugs(guest, query):
    hosts = ("guest-without-filevault", "virtual-mac2-1-m4-pro")
    for host in hosts:
        guest(host)
    found = query(f"select op, measured_host, verdict {FIGURE} order by all")
    assert found == [(op, host, "reproduced") for op in ("read", "write") for host in hosts]


OTHERS = [
    ({"chip": "Apple M4 Max (Virtual)"}, "other-machine"),
    ({"chip": "Apple M4 (Virtual)"}, "other-machine"),
    ({"chip": None}, "other-machine"),
    ({"cores": [{"kind": "performance", "count": 4}]}, "other-guest"),
    ({"cores": [{"kind": one, "count": 3} for one in ("efficiency", "performance")]}, "other-guest"),
    ({"memory_bytes": 8 * 2**30}, "other-guest"),
]  # fmt: skip


def test_a_guest_on_another_chip_or_with_other_cores_or_memory_is_not(guest, query):
    for number, (given, _) in enumerate(OTHERS):
        guest(f"guest-{number}", **given)
    found = query(f"select verdict, reasons {FIGURE} and op = 'write' order by measured_host")
    assert found == [("not comparable", [why]) for _, why in OTHERS]


def test_the_guest_of_the_article_is_that_of_its_figures():
    figures = published.read(PROJECT / "data" / "published")["figures"]
    stated = {row["quantity"]: row["as_printed"] for row in figures if row["article"] == "vm-2026"}
    of_article = f"{stated['cores']} cores, {stated['memory']} GB"
    assert f"then '{of_article}' end" in GUESTS_SQL.read_text(encoding="utf-8")
