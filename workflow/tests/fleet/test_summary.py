"""The summary of a fleet's study: complete and missing cells, reasons, the next command."""

import shlex

import pytest
from sent_records import record, sent, signed

from console import ExitCode
from fleet import summary
from fleet.progress import Board, State
from study import options

ONE, TWO = sent(record()), sent(record(phase="emptied"))
AGAIN = "bash workflow/run.sh fleet run --config scale=tenth"


@pytest.fixture
def end(tmp_path, capsys):
    """The message about a host in this state with these records, and the code."""

    def told(
        state, line, *records, cells=(ONE.cell, TWO.cell), refused=(), config=("scale=tenth",)
    ):
        board = Board(["mac-a"])
        host = board.hosts["mac-a"]
        host.state, host.line, host.cells = state, line, list(cells)
        host.refused = dict(refused)
        for one in records:
            path = tmp_path / "runs" / f"{one.cell}.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(one.content)
        code = summary.tell(board, tmp_path / "runs", list(config), False, 30.0)
        return code, capsys.readouterr().err

    return told


def test_a_host_with_every_record_is_complete(end):
    code, said = end(State.FINISHED, "", ONE, TWO)
    assert code == ExitCode.DONE
    assert "mac-a: complete: 2 of 2 cells measured, 0 skipped, 0 failed" in said
    assert "1 of 1 hosts are complete" in said


CALL = "there, call `bash workflow/run.sh fleet worker`; then here: "
PLANNED = (ONE.cell, TWO.cell)


@pytest.mark.parametrize(
    ("state", "line", "cells", "said"),
    [
        (State.AWAY, "gone", PLANNED, f"1 of 2 cells missing: gone: {CALL}"),
        (State.AWAY, "it did not come", (), f"no plan of it: it did not come: {CALL}"),
        (
            State.REFUSED,
            "another commit",
            (),
            "no plan of it: another commit: fix that; then here: ",
        ),
        (
            State.STOPPED,
            "interrupted: finished records are kept; run the same command again to resume",
            PLANNED,
            "1 of 2 cells missing: interrupted: to resume, here: ",
        ),
    ],
)
def test_an_incomplete_host_is_listed_with_the_reason_and_the_next_command(
    end, state, line, cells, said
):
    code, told = end(state, line, ONE, cells=cells)
    assert code == ExitCode.CELL_FAILED
    assert f"mac-a: {said}{AGAIN}\n" in told
    assert "0 of 1 hosts are complete" in told


@pytest.mark.parametrize(
    ("state", "line", "do"),
    [
        (State.AWAY, "it did not come", f": it did not come: {CALL}"),
        (State.REFUSED, "another commit", ": another commit: fix that; then here: "),
        (State.PLANNING, "", ": planning: wait for that; then here: "),
    ],
)
def test_a_plan_without_that_of_a_host_is_not_done_and_says_what_to_do(capsys, state, line, do):
    board = Board(["mac-a", "mac-b", "mac-c", "mac-d"])
    for slug, progress in board.hosts.items():
        progress.state, progress.line = state, line
        if slug != "mac-a":
            progress.cells = [ONE.cell]
    board.hosts["mac-c"].state = State.PLANNED
    assert summary.tell_plans(board, ["scale=tenth"]) == ExitCode.CELL_FAILED
    again = "bash workflow/run.sh fleet plan --config scale=tenth"
    assert capsys.readouterr().err == f"diskbench: mac-a: no plan of it{do}{again}\n"
    board.hosts["mac-a"].state = State.NOT_ASKED
    assert summary.tell_plans(board, []) == ExitCode.DONE


@pytest.mark.parametrize("records", [(ONE,), (ONE, TWO)], ids=["incomplete", "complete"])
def test_refused_records_have_the_code_of_damaged_ones_and_what_to_do(end, records):
    code, said = end(State.FINISHED, "", *records, refused={TWO.cell: "not valid JSON"})
    assert code == ExitCode.DAMAGED_RECORD
    assert "1 records were refused: delete those files there" in said
    assert f"then here: {AGAIN}\n" in said


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ((), "--config 'retry=[failed]'"),
        (("study=vm-2026",), "--config study=vm-2026 'retry=[failed]'"),
        (("retry=[failed, skipped]", "scale=tenth"), "--config scale=tenth 'retry=[failed]'"),
    ],
)
def test_failed_cells_come_with_the_command_that_measures_them_again(end, config, words):
    failed = sent(signed(record() | {"status": "failed", "reason": "no"}))
    code, said = end(State.FINISHED, "", failed, TWO, config=config)
    assert code == ExitCode.CELL_FAILED
    assert f"again: bash workflow/run.sh fleet run {words}\n" in said
    options.parse(shlex.split(words))


def test_a_host_without_studies_is_not_counted(end):
    code, said = end(State.NOT_ASKED, "", cells=())
    assert code == ExitCode.DONE
    assert "0 of 0 hosts are complete" in said


@pytest.mark.parametrize(
    ("config", "no_site", "wait_minutes", "words"),
    [
        ([], False, 30.0, ""),
        (["study=[a, b]", "scale=tenth"], False, 30.0, " --config 'study=[a, b]' scale=tenth"),
        (["scale=tenth"], True, 0.5, " --no-site --wait 0.5 --config scale=tenth"),
    ],
)
def test_the_command_that_goes_on_is_the_one_that_was_typed(config, no_site, wait_minutes, words):
    told = summary.command(config, no_site, wait_minutes)
    assert told == f"bash workflow/run.sh fleet run{words}"


def test_what_a_host_says_never_reaches_the_terminal_as_an_order(tmp_path, capsys):
    board = Board(["mac-a"])
    board.heard("mac-a", "[1/2] \x1b[2Jgone")
    board.set("mac-a", State.STOPPED, "a\nb\x07")
    said = capsys.readouterr().err
    assert "\x1b" not in said
    assert "\x07" not in said
    assert said.count("\n") == 2


def test_the_plan_names_bytes_for_each_disk_and_the_host_that_takes_longest(capsys):
    board = Board(["mac-a", "mac-b", "mac-c", "mac-d"])
    board.hosts["mac-d"].cells = [ONE.cell, TWO.cell]
    for slug, seconds in (("mac-a", 60), ("mac-b", 600)):
        host = board.hosts[slug]
        host.cells, host.due, host.seconds = [ONE.cell, TWO.cell], 1, seconds
        host.bytes_to_write = {"internal": 53_300_000_000, "usb4-980pro": 5_330_000_000}
    board.show_plan()
    title, one, other, away, done, end = capsys.readouterr().err.splitlines()
    assert title == "diskbench: the fleet's plan:"
    release = ONE.cell.split("/")[1]
    assert one.startswith(
        f"diskbench: mac-a, {release}: 1 of 2 cells to measure, about 1 min, until "
    )
    assert other.endswith("; to write: 53.30 GB on internal, 5.33 GB on usb4-980pro")
    assert away == "diskbench: mac-c: away: its worker did not connect"
    assert done == f"diskbench: mac-d, {release}: 0 of 2 cells to measure"
    assert "the fleet takes as long as mac-b: about 10 min, until " in end
