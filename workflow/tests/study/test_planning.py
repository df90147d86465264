"""What is measured again, and what is not."""

import hashlib
import json
import os
import re
from pathlib import Path

import pytest

import record
import withdrawn
from console import ExitCode, StudyError
from study import commands, planning

PROJECT = Path(__file__).resolve().parents[3]


@pytest.fixture
def planned(tmp_path, monkeypatch, study):
    """A way to plan in an empty project; returns the plan."""
    monkeypatch.chdir(tmp_path)
    study["host"] = "some-host"
    return lambda *forced: planning.make_plan(study, forced)


@pytest.fixture
def leave_record(signed):
    """A way to leave a whole record at a cell's place; returns its path."""

    def leave(plan, cell, status="measured", samples=(), epoch=record.HARNESS_EPOCH):
        path = plan.record(cell)
        path.parent.mkdir(parents=True, exist_ok=True)
        written = {"status": status, "cell": plan.cells[cell], "samples": list(samples)}
        written["harness"] = {"epoch": epoch}
        path.write_text(signed(written), encoding="utf-8")
        return path

    return leave


def test_a_cell_with_a_record_is_not_due(planned, leave_record):
    plan = planned()
    assert plan.due == set(plan.cells)
    cell = next(iter(plan.cells))
    leave_record(plan, cell)
    assert planned().due == set(plan.cells) - {cell}


def test_a_cell_measured_in_an_older_way_is_due_and_its_record_stays(planned, leave_record):
    plan = planned()
    older, newer = list(plan.cells)[:2]
    kept = leave_record(plan, older, epoch=record.HARNESS_EPOCH - 1)
    leave_record(plan, newer, epoch=record.HARNESS_EPOCH + 1)
    assert planned().due == set(plan.cells) - {newer}
    assert kept.exists()


def test_the_epoch_of_the_workflow_is_that_of_the_core():
    said = (PROJECT / "core/diskbench-core/src/record.rs").read_text(encoding="utf-8")
    assert f"HARNESS_EPOCH: u32 = {record.HARNESS_EPOCH};" in said


def test_a_record_that_is_a_link_out_of_the_records_is_not_followed(
    planned, study, leave_record, tmp_path
):
    plan = planned()
    cell = next(iter(plan.cells))
    record = leave_record(plan, cell, "failed", [{"size_bytes": 10**9, "elapsed_ns": 10**9}])
    study["retry"] = ["failed"]
    assert cell in planned().due
    assert planned().as_json()["assumed_from"] == "this host's records"
    record.rename(tmp_path / "outside")
    record.symlink_to(tmp_path / "outside")
    assert cell not in planned().due
    assert planned().as_json()["assumed_from"] == "no record of this host yet"


def test_nothing_is_measured_among_records_of_another_sender(planned, study, leave_record):
    plan = planned()
    path = leave_record(plan, next(iter(plan.cells)))
    release = path.parents[5]
    mark = Path(".diskbench/sender")
    mark.parent.mkdir()
    mark.write_text(f"{'a' * 32}\n")
    own, other = (hashlib.sha256(f"{one * 32}\n".encode()).hexdigest() for one in "ab")
    for label in ("community\n", f"community\n{other}\n", f"hosted runner\n{other}\n"):
        (release / "vouched-by").write_text(label)
        with pytest.raises(StudyError) as refused:
            planned()
        assert refused.value.code == 2
        assert refused.value.line == (
            f"{release} has records of another sender, whose machine has the same name: "
            "add --config host=<another name>"
        )
    asked, study["study"] = study["study"], "none"
    assert not planned().cells
    study["study"] = asked
    (release / "vouched-by").write_text(f"community\n{own}\n")
    assert len(planned().due) == len(plan.cells) - 1
    mark.unlink()
    with pytest.raises(StudyError):
        planned()
    # a label alone is left by a full disk
    path.unlink()
    assert planned().due == set(plan.cells)


@pytest.mark.parametrize("above", [0, 6])
def test_nothing_is_measured_whose_record_would_lie_behind_a_link(
    planned, leave_record, tmp_path, above
):
    plan = planned()
    folder = leave_record(plan, next(iter(plan.cells))).parents[above]
    folder.rename(tmp_path / "outside")
    folder.symlink_to(tmp_path / "outside")
    with pytest.raises(
        StudyError, match="is a link, and records behind it are not read"
    ) as refused:
        planned()
    assert refused.value.code == 4


def withdraw(path):
    """A line for the file as it is now."""
    key = withdrawn.key(path.relative_to(record.RUNS).as_posix(), path.read_bytes())
    line = ",".join([*key, "2026-11-20", "a backup ran"])
    withdrawn.FILE.write_text(f"{','.join(withdrawn.COLUMNS)}\n{line}\n")


def test_a_cell_whose_record_was_withdrawn_is_due_until_another_is_in_its_place(
    planned, leave_record
):
    plan = planned()
    cell, other = list(plan.cells)[:2]
    path = leave_record(plan, cell)
    leave_record(plan, other)
    withdraw(path)
    assert planned().due == set(plan.cells) - {other}
    leave_record(plan, cell, samples=[{"size_bytes": 1, "elapsed_ns": 1}])
    assert planned().due == set(plan.cells) - {cell, other}


def test_a_failure_to_measure_a_withdrawn_record_again_is_not_repeated_for_ever(
    planned, study, leave_results
):
    plan = planned()
    cell = next(iter(plan.cells))
    leave_results(plan, cell, ("failed", "2027"))
    withdraw(plan.record(cell))
    assert cell not in planned().due
    study["retry"] = ["failed"]
    assert cell in planned().due


@pytest.fixture
def leave_results(leave_record, signed):
    """A way to leave a measured record of 2026 and other results beside it: (status, year)."""

    now = record.HARNESS_EPOCH

    def leave(plan, cell, *results, epoch=now, epoch_of_results=now):
        path = leave_record(plan, cell, epoch=epoch)
        whole = json.loads(path.read_text())
        del whole["sha256"]
        path.write_text(signed(whole | {"started_utc": "2026"}))
        whole["harness"] = {"epoch": epoch_of_results}
        for status, year in results:
            aside = path.with_name(f"{path.stem}.superseded-{year}.json")
            aside.write_text(signed(whole | {"status": status, "started_utc": year}))

    return leave


@pytest.mark.parametrize(
    ("results", "last"),
    [
        ([("failed", "2027")], "failed"),
        ([("skipped", "2028"), ("failed", "2027")], "skipped"),
        # superseded by what was measured since
        ([("failed", "2025")], "measured"),
        ([("measured", "2027")], "measured"),
    ],
)
def test_a_cell_is_due_by_its_last_result_though_the_measured_one_counts(
    planned, study, leave_results, results, last
):
    plan = planned()
    cell = next(iter(plan.cells))
    leave_results(plan, cell, *results)
    for status in ("skipped", "failed"):
        study["retry"] = [status]
        assert (cell in planned().due) == (status == last)


def test_no_superseded_measured_record_makes_a_cell_due_where_the_clock_was_set_back(
    planned, leave_results
):
    plan = planned()
    cell = next(iter(plan.cells))
    leave_results(plan, cell, ("measured", "2027"), epoch_of_results=record.HARNESS_EPOCH - 1)
    assert cell not in planned().due


def test_a_failure_to_measure_an_older_epoch_again_is_not_repeated_for_ever(planned, leave_results):
    plan = planned()
    cell = next(iter(plan.cells))
    older = record.HARNESS_EPOCH - 1
    leave_results(plan, cell, epoch=older)
    assert cell in planned().due
    leave_results(plan, cell, ("failed", "2027"), epoch=older)
    assert cell not in planned().due


@pytest.mark.parametrize(
    "damage",
    ["{", '{"cell": {}, "status": "measured", "samples": [], "sha256": "0"}'],
    ids=["cut short", "changed"],
)
def test_a_damaged_record_is_left_alone(planned, damage, leave_record):
    plan = planned()
    cell = next(iter(plan.cells))
    leave_record(plan, cell).write_text(damage, encoding="utf-8")
    assert cell not in planned().due


@pytest.mark.parametrize(("change", "older"), [({"seed": 7}, True), ({"scale": "tenth"}, False)])
def test_a_plan_mentions_older_records_that_stay_until_the_new_ones_are_written(
    planned, study, leave_record, capsys, change, older
):
    plan = planned()
    for cell in plan.cells:
        leave_record(plan, cell)
    # in the place of the core, which shows the plan
    assert commands.plan(study | change, Path("true"), []) == ExitCode.DONE
    told = "an older record: it stays until the new one is written" in capsys.readouterr().err
    assert told == older


def test_a_plan_names_obstacles_in_place_of_records_and_never_blocks(
    planned, study, leave_record, tmp_path, capsys
):
    plan = planned()
    fifo, zero, out, huge = (leave_record(plan, cell) for cell in list(plan.cells)[:4])
    fifo.unlink()
    os.mkfifo(fifo)
    zero.unlink()
    zero.symlink_to("/dev/zero")
    out.rename(tmp_path / "outside.json")
    out.symlink_to(tmp_path / "outside.json")
    with huge.open("wb") as file:
        file.truncate(1 << 40)
    # in the place of the core, which shows the plan
    assert commands.plan(study, Path("true"), []) == ExitCode.DONE
    said = [line for line in capsys.readouterr().err.splitlines() if "refused: " in line]
    assert len(said) == 4
    for path, why in {
        fifo: "not a regular file but a FIFO",
        zero: "a link that leads out",
        out: "a link that leads out",
        huge: "it is longer than",
    }.items():
        assert sum(f"refused: {path}: " in line and why in line for line in said) == 1


@pytest.mark.parametrize(
    "form",
    [
        {"cell": 1, "samples": [], "status": "measured"},
        {"cell": {"phases": [1], "phase": "fresh"}, "samples": [], "status": "measured"},
        {"cell": {}, "samples": None, "status": "measured"},
        {"cell": {}, "samples": [1], "status": "measured"},
        {"cell": {}, "samples": [{"size_bytes": 1, "elapsed_ns": -1}], "status": "measured"},
        {"cell": {}, "samples": []},
    ],
)
def test_a_record_of_no_form_whose_sum_fits_is_left_alone_and_stops_nothing(planned, signed, form):
    plan = planned()
    cell = next(iter(plan.cells))
    plan.record(cell).parent.mkdir(parents=True)
    plan.record(cell).write_text(signed(form), encoding="utf-8")
    again = planned()
    assert again.due == set(plan.cells) - {cell}
    assert again.as_json()["assumed_from"] == "no record of this host yet"


def test_a_due_phase_waits_for_the_due_phase_before_it(planned, leave_record):
    plan = planned()
    image = next(cell for cell in plan.cells if "usage-phases" in cell).rsplit("/", 1)[0]
    assert plan.due_before(f"{image}/partly-filled") == [f"{image}/fresh"]
    assert plan.due_before(f"{image}/fresh") == []
    leave_record(plan, f"{image}/fresh")
    assert planned().due_before(f"{image}/partly-filled") == []


def test_the_estimate_uses_what_this_host_did_before(planned, leave_record):
    plan = planned()
    cell = next(iter(plan.cells))
    assert plan.as_json()["assumed_bytes_per_second"] == 1_000_000_000
    leave_record(plan, cell, samples=[{"size_bytes": 3_000, "elapsed_ns": 1_000}] * 2)
    assert planned().as_json()["assumed_bytes_per_second"] == 3_000_000_000


def test_the_plan_says_which_study_it_is_and_where_its_scale_is_smaller(planned, study):
    study |= {"study": "encryption-2026", "scale": "gold"}
    assert planned().as_json()["study"].startswith("encryption-2026 on some-host, ")
    assert ": gold scale; 3 runs of each cell; one more takes" in planned().as_json()["study"]
    # "five complete sets of test files" (July 2022)
    study["study"] = "slow-writes-2022"
    assert ": gold scale, smaller where its article was; 3 runs" in planned().as_json()["study"]


def test_only_due_cells_can_be_measured(planned, leave_record):
    plan = planned()
    first, *others = plan.cells
    leave_record(plan, first)
    pattern = planned().due_pattern()
    assert not re.fullmatch(pattern, first)
    assert all(re.fullmatch(pattern, cell) for cell in others)
    assert not re.fullmatch(pattern, others[0].replace("/", "x"))
    for cell in others:
        leave_record(plan, cell)
    nothing = planned().due_pattern()
    assert not any(re.fullmatch(nothing, text) for text in ["", "x", *plan.cells])


def test_a_record_counts_independent_of_later_phases_in_its_study(planned, study, leave_record):
    # fresh alone of an encrypted image, then all phases of it: fresh is there already
    study["study"] = "encryption-2026"
    plan = planned()
    for cell in plan.cells:
        leave_record(plan, cell)
    study["matrix"] = [{"driver": "auto", "formats": ["UDSB"], "encryptions": ["none", "AES-256"]}]
    due = {cell.split("/", 5)[5] for cell in planned().due}
    assert due == {"UDSB-AES-256/1/partly-filled", "UDSB-AES-256/1/emptied"}


def test_refused_conditions_and_the_description_of_the_storage_are_passed_to_the_core(
    planned, study
):
    plan = planned()
    assert not any(plan.run_options(cell) for cell in plan.cells)
    drive = "Samsung 980 Pro 2 TB in an OWC Express 1M2, USB4"
    study["storage"].append({"slug": "usb4", "folder": "/somewhere", "description": drive})
    study["conditions"] |= {"battery": "refuse", "low_power": "refuse", "free_space": "refuse"}
    refused = ["--refuse", "battery,low-power,free-space"]
    plan = planned()
    options = {cell["storage"]: plan.run_options(name) for name, cell in plan.cells.items()}
    assert options == {
        "internal": refused,
        "usb4": [*refused, "--storage-description", drive],
    }


def test_neither_conditions_nor_descriptions_measure_anything_again(planned, study, leave_record):
    plan = planned()
    for cell in plan.cells:
        leave_record(plan, cell)
    study["conditions"]["battery"] = "refuse"
    study["storage"][0]["description"] = "another drive"
    assert not planned().due


def test_a_forced_cell_is_due_with_any_record(planned, leave_record):
    plan = planned()
    first, second, *_ = plan.cells
    for cell in plan.cells:
        leave_record(plan, cell)
    leave_record(plan, second).write_text("damaged", encoding="utf-8")
    assert planned().due == set()
    assert planned(first).due == {first}
    assert planned(second).due == {second}
    assert planned("all").due == set(plan.cells)


MINE = {"model": "Mac16,11", "chip": "Apple M4 Pro", "memory_bytes": 24 << 30}


@pytest.fixture
def leave_record_of(planned, signed, monkeypatch):
    """A way to leave a record of a machine on my Mac, beside a damaged one; returns its path."""
    monkeypatch.setattr(planning.machine, "facts", lambda: MINE)

    def leave(host):
        path = planned().record(next(iter(planned().cells)))
        path.parent.mkdir(parents=True)
        written = {"status": "measured", "cell": {}, "samples": [], "host": host}
        path.write_text(signed(written), encoding="utf-8")
        # one before it, which tells nothing
        path.with_name("a.json").write_text("{")
        return path

    return leave


def test_a_release_that_another_mac_of_this_slug_measured_is_refused_with_what_differs(
    planned, study, leave_record_of
):
    path = leave_record_of(MINE | {"chip": "Apple M4", "memory_bytes": 48 << 30})
    told = "chip Apple M4, here Apple M4 Pro; memory 48 GB, here 24 GB"
    with pytest.raises(StudyError) as refused:
        planned()
    assert refused.value.code == ExitCode.BAD_INPUT
    assert refused.value.line == (
        f"{'/'.join(path.parts[:4])} has records of another machine ({told}): "
        "add --config host=<another name>"
    )
    study["host"] = "another-name"
    assert planned().due
    # a withdrawn record says nothing of who is called so now
    study["host"] = "some-host"
    withdraw(path)
    assert planned().due
    withdrawn.FILE.unlink()
    # pages can be made of them
    study["study"] = "none"
    planned()


@pytest.mark.parametrize("host", [MINE, MINE | {"model": None}, None])
def test_a_machine_of_which_a_record_reports_nothing_else_is_this_one(
    planned, leave_record_of, host
):
    leave_record_of(host)
    assert planned().due


def test_the_core_is_given_a_measured_record_of_each_storage_to_compare_its_disk_with(
    planned, study, leave_record
):
    study["scale"] = "gold"
    study["storage"].append({"slug": "usb4", "folder": ".diskbench/usb4"})

    def earlier():
        return {one["slug"]: one["earlier"] for one in planned().as_json()["storages"]}

    assert earlier() == {"internal": None, "usb4": None}
    cells = [cell for cell in planned().cells if "/internal/" in cell]
    leave_record(planned(), cells[0], "failed")
    left = leave_record(planned(), cells[1])
    smoke = Path(str(left).replace("-gold", "-smoke").replace("/internal/", "/usb4/"))
    smoke.parent.mkdir(parents=True)
    smoke.write_bytes(left.read_bytes())
    assert earlier() == {"internal": str(left), "usb4": None}
    withdraw(left)
    assert earlier() == {"internal": None, "usb4": None}


def test_a_cell_that_is_not_planned_cannot_be_forced(planned):
    with pytest.raises(
        StudyError, match=r"data/runs/a/b\.json is not the record of a cell"
    ) as error:
        planned("a/b")
    assert error.value.code == 2
