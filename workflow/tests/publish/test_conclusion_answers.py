"""The item of a conclusion: its own figures folded, each machine's newest result visible."""

import re

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


def test_a_guests_conclusions_are_its_own_and_are_counted(made_up, changed, asked):
    # what the Mac mini measured, as if a guest on it had
    guests = f"measured_host = '{GUEST}' where article = 'vm-2026' and measured_host = '{MINI}'"
    asked(
        changed(
            made_up,
            f"""
            insert into host select * replace ('{GUEST}' as host) from host where host = '{MINI}';
            update conclusion_evidence set outcome = 'supported' where outcome = 'undecided' and basis = 'measured';
            update conclusion_evidence set {guests};
            update article_table set {guests}
            """,
        )
    )
    named = f"{words.host(GUEST)}, macOS 26.4"
    told = short.agreement("vm-2026").partition("- **Measured again**: ")[2]
    assert told.startswith(named)
    assert f"{named} (25E246): of 9 conclusions, 3 supported" in told.replace("\u00a0", " ")
    rows = conclusions.evidence("vm-2026")
    measured = rows[rows["basis"] == "measured"]
    assert set(measured["measured_host"]) == {GUEST}
    assert measured["release_number"].notna().all()
    page = re.sub("<.*?>", "", text(conclusions.shown("vm-2026")))
    assert f"{named} (25E246)" in page
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
