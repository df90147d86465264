"""An article's page lists deviations of the method, and the machines."""

from html import unescape
from pathlib import Path

import pytest
import yaml
from rendered import linked, text

from lib.article import deviations

PROTOCOLS = sorted((Path(__file__).parents[2] / "config/protocols").glob("*.yaml"))


@pytest.fixture
def database(asked, published_only):
    """The database without any measurement."""
    asked(published_only)


@pytest.mark.parametrize("file", PROTOCOLS, ids=lambda file: file.stem)
def test_every_deviation_of_a_protocol_is_shown_with_its_reason_and_effect(file, database):
    stated = yaml.safe_load(file.read_text(encoding="utf-8"))["deviations"]
    shown = unescape(text(deviations.shown([file.stem])))
    assert stated
    assert shown.count('scope="row"') >= len(stated)
    for deviation in stated:
        for words in deviation.values():
            assert words.replace("`", "") in shown.replace("<code>", "").replace("</code>", "")


@pytest.mark.parametrize(
    ("cores", "gib", "same"),
    [
        ("5 performance", 16, "yes"),
        ("3 performance, 2 efficiency", 16, "yes"),
        ("4 performance", 16, "no: other cores"),
        ("5 performance", 8, "no: other memory"),
        ("10 performance, 4 efficiency", 24, "no: other cores and memory"),
    ],
)
def test_the_cores_and_memory_of_a_guest_are_compared_with_the_article_s(cores, gib, same):
    row = {"host": "a-guest", "release": "macos-26.4-25E", "cores": cores}
    # vm-2026: five cores and 16 GB
    line = deviations._compared(row | {"memory_bytes": gib * 2**30}, {"cores": 5, "memory_gb": 16})
    assert (line["cores"], line["memory"], line["same"]) == (cores, f"{gib} GB", same)


@pytest.mark.parametrize(
    ("found", "cores", "memory", "same"),
    [
        ({"cores": None}, "not known", "16 GB", "not known"),
        ({"memory_bytes": float("nan")}, "5 performance", "not known", "not known"),
        ({"cores": None, "memory_bytes": 8 * 2**30}, "not known", "8 GB", "no: other memory"),
    ],
)
def test_cores_or_memory_that_a_record_lacks_are_not_known(found, cores, memory, same):
    row = {"host": "a-guest", "release": "macos-26.4-25E", "cores": "5 performance"}
    row |= {"memory_bytes": 16 * 2**30} | found
    line = deviations._compared(row, {"cores": 5, "memory_gb": 16})
    assert (line["cores"], line["memory"], line["same"]) == (cores, memory, same)


def test_what_the_article_gave_its_guests_is_shown_before_any_is_measured(database):
    shown = deviations.machines(["restart", "usage-phases"])
    assert "the article" in text(shown)
    assert "16 GB" in text(shown)
    assert "not measured yet" in text(shown)
    assert linked(text(shown)) == []  # no rows of the database are behind it
