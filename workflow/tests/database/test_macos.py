"""Tables of statements about macOS, and of results of probes."""

import pytest
from asked import make_anew
from probed import keep

from database import load, macos, rows
from probe.statements import all_of_them


@pytest.fixture
def asked(query, tmp_path):
    """Query the tables with the reports filed so far."""

    def ask(sql: str) -> list[tuple]:
        told = macos.verdicts(tmp_path / "probes")
        rows.insert(query.connection, "raw_probe", [tuple(one.values()) for one in told])
        make_anew(query.connection, load.sql_file(query.folders.sql, "macos_verdict"))
        return query(sql)

    return ask


def test_every_statement_is_a_row_and_without_a_report_there_is_no_verdict(asked):
    rows = asked("select statement, says, since_macos, until_macos, probe from macos_statement")
    assert sorted(rows) == sorted(
        (one.id, one.says, one.since, one.until, one.probe) for one in all_of_them().values()
    )
    assert asked("from macos_verdict") == []


def test_one_contradiction_outweighs_what_others_confirm_and_a_look_outweighs_none(asked, tmp_path):
    probes = tmp_path / "probes"
    keep(probes, "25E241", {"hdiutil-creates": [True], "udrw-is-raw": [True], "no-space": [None]})
    keep(probes, "25E241", {"hdiutil-creates": [True, False], "udrw-is-raw": [None]}, "another")
    keep(probes, "25E999", {"hdiutil-creates": [True], "withdrawn-since": [True]})
    assert asked("select build, statement, verdict, reports, detail from macos_verdict") == [
        ("25E241", "hdiutil-creates", "contradicted", 2, "try 2: seen False"),
        ("25E241", "no-space", "unknown", 1, "seen None"),
        ("25E241", "udrw-is-raw", "confirmed", 2, "try 1: seen True"),
        ("25E999", "hdiutil-creates", "confirmed", 1, "try 1: seen True"),
    ]


def test_a_report_that_was_changed_is_left_out_and_named(asked, tmp_path, capsys):
    keep(tmp_path / "probes", "25E241", {"hdiutil-creates": [True]})
    [document] = (tmp_path / "probes").glob("*/*/probe.json")
    document.write_text(document.read_text().replace('"confirmed"', '"unknown"'))
    assert asked("from macos_verdict") == []
    assert "cannot be accepted: hdiutil-creates is not unknown" in capsys.readouterr().err
