"""The statements about macOS: none is missing, none is without a probe or a reason."""

import re
from collections import Counter
from pathlib import Path

import pytest

from probe import statements

PROJECT = Path(__file__).resolve().parents[3]
CORE = PROJECT / "core" / "diskbench-core" / "src" / "image"
ALL = statements.all_of_them()


def test_every_statement_has_a_probe_or_a_reason_why_there_is_none():
    assert [one.id for one in ALL.values() if bool(one.probe) == bool(one.without)] == []


def test_every_line_of_the_table_of_capabilities_is_one_statement():
    text = (CORE / "apple" / "capabilities.rs").read_text(encoding="utf-8")
    lines = re.findall(
        r"^\s+row\((\w+), &\[([\w, ]+)\], (\w+), (\w+), (\w+)\),$", text, re.MULTILINE
    )
    length = int(re.search(r"const TABLE: \[Row; (\d+)\]", text)[1])
    assert len(lines) == length
    rows = Counter(f"{a} {b.replace(',', '')} {c} {d} {e}" for a, b, c, d, e in lines)
    assert Counter(one.row for one in ALL.values() if one.row) == rows


def test_a_row_s_statement_begins_where_the_row_does():
    text = (CORE / "apple" / "capabilities.rs").read_text(encoding="utf-8")
    named = {
        name: int(since)
        for name, since in re.findall(r"^const (\w+): u32 = (\d+);", text, re.MULTILINE)
    }
    for one in ALL.values():
        if one.row:
            since = one.row.split()[-1]
            assert one.since == named.get(since) or one.since == int(since), one.id


@pytest.mark.parametrize("what", ["codes", "words"])
def test_every_line_of_the_table_of_errors_is_of_a_statement(what):
    text = (CORE / "macos" / "command_error" / "meaning.rs").read_text(encoding="utf-8")
    if what == "codes":
        table = text.partition("const CODES")[2].partition("];")[0]
        known = {int(code) for code in re.findall(r"\((\d+), Kind::", table)}
        length = int(re.search(r"const CODES: \[\(i32, Kind\); (\d+)\]", text)[1])
    else:
        missing = re.search(r'MISSING: &str = "([^"]+)"', text)[1]
        table = text.partition("const WORDS")[2].partition("];")[0]
        known = set(re.findall(r'\("([^"]+)", Kind::', table)) | {missing}
        length = int(re.search(r"const WORDS: \[\(&str, Kind\); (\d+)\]", text)[1])
    assert len(known) == length
    assert {one for statement in ALL.values() for one in getattr(statement, what)} == known


def test_where_a_statement_is_used_there_is_a_file():
    for one in ALL.values():
        for name in one.used:
            assert (PROJECT / name).is_file(), f"{one.id}: {name}"


def test_a_statement_is_about_the_releases_from_the_first_to_the_last():
    one = statements.Statement("a", "A.", 14, (), "b", until=15)
    assert [release for release in range(12, 18) if one.is_about(release)] == [14, 15]
    assert statements.Statement("a", "A.", 26, (), "b").is_about(40)
