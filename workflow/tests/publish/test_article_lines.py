"""The visible lines of an article's table, and its caption."""

import pandas as pd
import pytest

from lib.article import cells, speeds

OLD, NEW, ARTICLE = "macos-15.6-24G84", "macos-27.0-26A5300", "macos-26.3.1-25D2128"
IMPROVED = "macos-26.3.1-25D771280b"


def line(release, host="mac-mini-m4-pro", number=1, op="write", published=1.0) -> dict:
    """A row of an article about a Mac mini under 26.3.1, with what was measured there or elsewhere."""
    verdict = "reproduced" if release == ARTICLE else "another release"
    return {
        "table_order": 1, "host": "mac-mini-m4-pro", "macos": "26.3.1 (a)", "op": op,
        "published_gbps": published, "measured_host": host, "measured_release": release,
        "measured_release_number": number, "verdict": verdict,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "shown"),
    [
        ([line(OLD), line(ARTICLE, number=2), line(NEW, number=3)], [ARTICLE]),
        ([line(ARTICLE), line(IMPROVED, number=2)], [ARTICLE]),
        ([line(OLD), line(NEW, number=3)], [NEW]),
        ([line(OLD, number=1), line(NEW, host="imac-pro", number=1)], [OLD]),
        # its own Mac was not measured: the newest of each other one, and the article's release no more than others
        ([line(ARTICLE, "a", 2), line(NEW, "a", 3), line(OLD, "b", 1)], [NEW, OLD]),
    ],
)
def test_a_table_shows_the_articles_own_mac_and_release_else_the_newest(rows, shown):
    frame = pd.DataFrame(rows)
    assert frame[cells.first_shown(frame)]["measured_release"].tolist() == shown


def test_a_direction_neither_published_nor_measured_has_no_line_of_its_own():
    nobody = line(None, host=None, op="read", published=None)
    [one] = speeds._lines(pd.DataFrame([line(NEW), nobody]))
    assert set(one) == {"write", "read"}
    # stated and not measured is told
    stated = line(None, host=None, op="read")
    assert len(speeds._lines(pd.DataFrame([line(NEW), stated]))) == 2


@pytest.mark.parametrize(
    ("conditions", "said"),
    [
        (["a", "a", "b"], "a"),
        (["a", "b"], None),
        (["a", "a", "a", None], None),
    ],
)
def test_a_caption_says_the_condition_that_two_of_three_rows_share(conditions, said):
    rows = [{"table_order": at, "condition": text} for at, text in enumerate(conditions)]
    assert speeds._usual_condition(pd.DataFrame(rows)) == said


def test_a_direction_that_the_article_does_not_state_has_no_verdict():
    write = {"published_gbps": 1.0, "verdict": "slower", "vouched_by": "own"}
    read = {
        "published_gbps": None,
        "verdict": "not measured yet",
        "vouched_by": "own",
        "op": "read",
    }
    told = str(cells.verdicts({"write": write, "read": read}))
    assert "slower" in told
    assert "not measured" not in told


@pytest.mark.parametrize(
    ("storages", "formats", "key"),
    [
        (("internal", "internal", "usb"), ("UDSP", "UDSB", "ASIF"), "storage"),
        (("internal",) * 3, ("UDSP", "UDSP", "ASIF"), "format"),
        # adjacent rows alone, and of more than one
        (("internal", "usb", "internal"), ("UDSP", "UDSB", "ASIF"), None),
        (("internal", "internal", "unstated"), ("UDSP", "UDSB", "ASIF"), None),
    ],
)
def test_rows_stand_under_the_storage_or_format_that_they_share_unless_it_is_unstated(
    storages, formats, key
):
    rows = [
        {"table_order": at, "storage": storage, "format": form}
        for at, (storage, form) in enumerate(zip(storages, formats, strict=True))
    ]
    assert speeds._heading(pd.DataFrame(rows)) == key
