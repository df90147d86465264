"""The item of a conclusion: its own figures folded, each machine's newest result visible."""

import re

import made_up
import pytest
from rendered import text

from lib import words
from lib.article import conclusions, short
from lib.database import query

MINI, STUDIO, GUEST = "mac-mini-m4-pro", "mac-studio-m1-max", "virtualmac2-1-m4-pro"


def answer(basis, host, release, number, outcome, **more):
    return {
        "number": 1, "claim": "Encryption is slow", "quote": "is slow", "place": "Summary",
        "ours": False, "rule": None, "note": None, "sql": None, "basis": basis, "host": host,
        "release": release, "release_number": number, "outcome": outcome, "detail": None,
        "vouched_by": "own", "measured_host": host if basis == "measured" else None,
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


def test_the_newest_release_of_each_mac_that_decides_is_seen_and_others_are_folded():
    rows = [
        answer("published", None, None, None, "undecided"),
        answer("measured", MINI, "macos-27.0-26A5", 270, "undecided"),
        answer("measured", MINI, "macos-26.4-25E241", 264, "contradicted"),
        answer("measured", MINI, "macos-26.3.1-25D2128", 263, "supported"),
        answer("measured", STUDIO, "macos-15.6-24G84", 156, "supported"),
    ]
    seen, folded = told(rows)
    assert seen == [
        "Mac mini M4 Pro, macOS 26.4 (25E241): contradicted",
        "Mac Studio M1 Max, macOS 15.6 (24G84): supported",
    ]
    assert folded == [
        "its own figures: undecided",
        "Mac mini M4 Pro, macOS 27.0 (26A5): undecided",
        "Mac mini M4 Pro, macOS 26.3.1 (25D2128): supported",
    ]


def test_the_articles_own_mac_and_its_guest_alone_are_seen_and_named():
    rows = [
        answer("published", MINI, "26.3.1", None, "supported"),
        answer("measured", MINI, "macos-26.5-25F71", 2, "contradicted"),
        answer("measured", MINI, "macos-26.4-25E246", 1, "supported", measured_host=GUEST),
        answer("measured", STUDIO, "macos-26.4-25E241", 1, "contradicted"),
    ]
    seen, folded = told(rows)
    assert seen == [
        "Mac mini M4 Pro, macOS 26.5 (25F71): contradicted",
        f"{words.host(GUEST)}, macOS 26.4 (25E246): supported",
    ]
    assert folded[0] == "its own figures (Mac mini M4 Pro, macOS 26.3.1): supported"
    assert "Mac Studio" in folded[1]


def guests_alone(release, write_gbps, second):
    """Runs of a guest's disk of vm-2026, plain and encrypted."""
    return [
        guest(release, encryption, share * gbps, repeat, second)
        for encryption, gbps in (("none", 3 * write_gbps), ("FileVault", write_gbps))
        for repeat, share in enumerate((0.99, 1.0, 1.01), start=1)
    ]


def guest(release, encryption, gbps, repeat, second):
    machine = {
        "chip": "Apple M4 Pro (Virtual)", "virtual_machine": True, "memory_bytes": 16 * 2**30,
        "cores": [{"kind": "performance", "count": 5}], "architecture": "arm64",
        "model": "VirtualMac2,1",
        "storage": {"size_bytes": 10**11, "encryption": encryption, "file_system": "apfs"},
    }  # fmt: skip
    return made_up.record(
        made_up.noisy(gbps, gbps, 0.02, 0),
        {
            "host": machine,
            "warnings": [],
            "started_utc": f"2026-05-20T10:{second + repeat:02d}:00Z",
            "ceiling": {"write_bytes_per_second": 10**11, "read_bytes_per_second": 10**11},
        },
        host=GUEST, release=release, protocol="restart", scale="half", driver="native",
        format="VM", encryption=encryption, repeat=repeat,
    )  # fmt: skip


@pytest.fixture(scope="module")
def guests(built):
    """A guest under two builds that its Mac does not have."""
    older = guests_alone("macos-26.4-25E246", 1.0, 0)
    return built("guests", older + guests_alone("macos-26.4-25E2247", 1.0, 10))


def test_a_guests_conclusions_are_its_own_and_counted_where_no_mac_was_measured(guests, asked):
    asked(guests)
    named = f"{words.host(GUEST)}, macOS 26.4"
    told = short.agreement("vm-2026")
    assert "No Mac has been measured yet" not in told
    assert f"- **Measured again**: {named}" in told
    assert " supported" in told.partition("Measured again")[2]
    rows = conclusions.evidence("vm-2026")
    measured = rows[rows["basis"] == "measured"]
    assert set(measured["measured_host"]) == {GUEST}
    assert set(measured["release_number"]) == {1, 2}
    page = re.sub("<.*?>", "", text(conclusions.shown("vm-2026")))
    assert f"{named} (25E2247)" in page
    assert "Mac mini M4 Pro, macOS 26.4 (25E" not in page.replace(named, "")


def test_an_article_whose_figures_decide_nothing_gets_a_sentence_and_no_counts(
    published_only, asked
):
    asked(published_only)
    decide_none = "- The article\u2019s own figures decide **none of its 9 conclusions**."
    assert short.agreement("bands-2024").partition("\n")[0] == decide_none
    assert " supported" in short.agreement("vm-2026").partition("\n")[0]


def test_an_article_whose_figures_were_measured_under_other_releases_is_not_said_to_lack_them(
    made_up, asked
):
    asked(made_up)
    measured = query("""
        select distinct verdict from comparable_article
        where article = 'encryption-2026' and measured_gbps is not null
    """)
    assert list(measured["verdict"]) == ["another release"]
    told = short.agreement("encryption-2026")
    assert told.endswith("- **Measured again**: no figure has a verdict yet.")


def test_the_figures_behind_a_result_are_shown_as_text():
    rows = [answer("published", None, None, None, "undecided", detail="5.09 & 5.23")]
    assert "<small>5.09 &amp; 5.23</small>" in conclusions._item(rows)
