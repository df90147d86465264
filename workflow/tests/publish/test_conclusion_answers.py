"""The item of a conclusion: its own figures folded, each machine's newest result visible."""

import re

import pandas as pd
import pytest

from lib.article import conclusions

MINI, STUDIO = "mac-mini-m4-pro", "mac-studio-m1-max"


def answer(basis, host, release, number, outcome, **more):
    return {
        "number": 1, "claim": "Encryption is slow", "quote": "is slow", "place": "Summary",
        "ours": False, "rule": None, "note": None, "sql": None, "basis": basis, "host": host,
        "release": release, "release_number": number, "outcome": outcome, "detail": None,
        "vouched_by": "own",
    } | more  # fmt: skip


def told(rows) -> tuple[list[str], list[str]]:
    """The answers that are seen at once, and those that are folded: whose, and the verdict."""
    item = conclusions._item(rows)
    folded, seen = item.split("</details>")
    one = re.compile(r'<span class="basis">(.*?)</span> <span class="verdict[^>]*>(.*?)</span>')
    return tuple(
        [f"{re.sub('<.*?>', '', whose)}: {verdict}" for whose, verdict in one.findall(part)]
        for part in (seen, folded)
    )


def test_the_newest_release_of_each_mac_is_seen_and_older_ones_are_folded():
    rows = [
        answer("published", None, None, None, "undecided"),
        answer("measured", MINI, "macos-26.4-25E241", 264, "contradicted"),
        answer("measured", MINI, "macos-26.3.1-25D2128", 263, "supported"),
        answer("measured", STUDIO, "macos-15.6-24G84", 156, "supported"),
    ]
    seen, folded = told(rows)
    assert [line.rpartition(": ")[2] for line in seen] == ["contradicted", "supported"]
    assert "Mac mini" in seen[0]
    assert "26.4" in seen[0]
    assert "Mac Studio" in seen[1]
    assert folded[0] == "its own figures: undecided"
    assert [line.rpartition(": ")[2] for line in folded[1:]] == ["supported"]
    assert "26.3.1" in folded[1]


def test_where_the_articles_own_mac_is_measured_it_alone_is_seen():
    rows = [
        answer("published", MINI, "26.3.1", None, "supported"),
        answer("measured", MINI, "macos-26.4-25E241", 264, "supported"),
        answer("measured", STUDIO, "macos-26.4-25E241", 264, "contradicted"),
    ]
    seen, folded = told(rows)
    assert len(seen) == 1
    assert "Mac mini" in seen[0]
    assert "macOS 26.3.1" in folded[0]
    assert "Mac Studio" in folded[1]


def test_a_command_is_shown_as_code_and_other_details_as_words():
    command = "bash workflow/run.sh --config study=all"
    rows = [answer("published", None, None, None, "undecided", detail=command)]
    assert f"<small><code>{command}</code></small>" in conclusions._item(rows)
    rows[0]["detail"] = "5.09 & 5.23"
    assert "<small>5.09 &amp; 5.23</small>" in conclusions._item(rows)


@pytest.mark.parametrize(
    ("cells", "storage", "told"),
    [
        (None, None, ""),
        (
            "UDRW|UDSP AES-256 @imac-pro / native",
            "internal",
            "UDRW: RAW; UDSP: sparse image; native: no image; A / B: the figure of A divided by that of B.",
        ),
        ("UDSB; UDSB", "usb4-980pro", "UDSB: sparse bundle; usb4-980pro: a USB4 SSD (980 PRO)."),
        ("UDSB - UDSB AES-256", "internal", "UDSB: sparse bundle."),
    ],
)
def test_each_code_in_the_figures_of_conclusions_is_explained_once(cells, storage, told):
    rows = pd.DataFrame({"cells": [cells, None], "storage": [storage, None]})
    found = conclusions._notation(rows)
    assert found == (f" There, {told}" if told else "")
