"""Every error is one line with the next step and a documented exit code, and nothing is lost."""

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest
from gate import A_WRITE

from proofs.support.project import LONGEST_SECONDS

# one cell of the copies' studies, and two
ONE_CELL = ("--config", "protocols=[as-created]")
TWO_CELLS = ("--config", "protocols=[as-created, remounted]")


def lines(done):
    return [line for line in done.stderr.splitlines() if line.strip()]


def test_a_damaged_record_is_refused_by_name_and_the_rest_is_kept(spoilable):
    damaged = next(path for path in spoilable.records() if "as-created" in str(path))
    content = damaged.read_text()
    damaged.write_text(content.replace('"elapsed_ns"', '"elapsed_nz"', 1))
    done = spoilable.run()
    assert done.returncode == 6
    (refusal,) = [line for line in lines(done) if "refused: " in line]
    assert str(damaged.relative_to(spoilable.folder)) in refusal
    assert spoilable.query("select count(*) from sample") == [(4 * 320,)]
    loaded = spoilable.run("database")
    assert loaded.returncode == 6
    assert refusal in lines(loaded)
    # no database is asked
    measured = spoilable.run("records")
    assert measured.returncode == 6
    start = f"diskbench: refused: {damaged.relative_to(spoilable.folder)}: "
    assert [line for line in lines(measured) if line.startswith(start)]
    ((path, _),) = spoilable.query("select path, reason from refused_record")
    assert path.endswith("fresh.json")
    assert damaged.exists()


def test_a_storage_folder_that_is_missing_is_refused_before_the_first_byte(spoilable):
    for path in spoilable.records():
        path.unlink()
    missing = spoilable.folder.parent / "no" / "such" / "folder"
    done = spoilable.run("--config", f"storage=[{{slug: internal, folder: {missing}}}]")
    assert done.returncode == 4
    assert "diskbench: " in lines(done)[-1]
    assert not missing.exists()
    assert spoilable.records() == []


@pytest.mark.parametrize(
    "interrupt",
    [
        pytest.param(lambda study: os.killpg(study.pid, signal.SIGINT), id="ctrl-c"),
        pytest.param(
            lambda study: os.kill(study.pid, signal.SIGTERM), id="sigterm", marks=pytest.mark.slow
        ),
    ],
)
def test_an_interruption_leaves_no_files_and_the_next_call_resumes(spoilable, interrupt, gate):
    for path in spoilable.records():
        path.unlink()
    writing = gate("pwrite", A_WRITE, work(spoilable))
    study = spoilable.start("database", *TWO_CELLS, **writing.environment)
    with writing.reached(study, again=True):
        assert spoilable.records() == []
    # the second cell
    with writing.reached(study) as held:
        finished = spoilable.contents()
        assert being_written(spoilable) != []
        interrupt(study)
        held.wait_for_a_signal(study)
    _, errors = study.communicate(timeout=LONGEST_SECONDS)
    assert study.returncode == 130, errors
    assert "Traceback" not in errors
    assert being_written(spoilable) == []
    assert len(finished) == 1
    assert spoilable.contents() == finished

    done = spoilable.run("database", *TWO_CELLS)
    assert done.returncode == 0, done.stderr
    after = spoilable.contents()
    assert len(after) == 2
    assert {path: after[path] for path in finished} == finished


def test_a_second_study_is_refused_and_the_record_of_the_first_stays_if_a_later_step_fails(
    spoilable, gate
):
    """Snakemake takes away what a step that fails has made; a record is whole, whatever follows."""
    for path in spoilable.records():
        path.unlink()
    image = work(spoilable)
    writing = gate("pwrite", A_WRITE, image)
    study = spoilable.start("database", *ONE_CELL, **writing.environment)
    with writing.reached(study):
        second = spoilable.run("database", *ONE_CELL)
        # from now on the image cannot be noted as finished: that comes after the record
        for marker in image.glob("*/.diskbench-image.json"):
            marker.with_name("..diskbench-image.json.partial").mkdir()
    _, errors = study.communicate(timeout=LONGEST_SECONDS)
    assert second.returncode == 5
    (line,) = lines(second)
    assert "another study runs in this folder" in line
    assert study.returncode == 4, errors
    assert [json.loads(path.read_text())["status"] for path in spoilable.records()] == ["measured"]
    kept = spoilable.contents()
    for marker in image.glob("*/..diskbench-image.json.partial"):
        marker.rmdir()
    done = spoilable.run("database", *ONE_CELL)
    assert done.returncode == 0, done.stderr
    assert {path: spoilable.contents()[path] for path in kept} == kept


def work(project) -> Path:
    return project.folder / ".diskbench" / "work"


def being_written(project) -> list[Path]:
    found = work(project).rglob("*")
    return [path for path in found if path.is_file() and path.stat().st_size > 1_000_000]


def test_a_failed_cell_is_named_does_not_stop_the_study_and_can_be_tried_again(spoilable):
    failed = next(path for path in spoilable.records() if "as-created" in str(path))
    failed.unlink()
    cell = (
        spoilable.folder
        / ".diskbench"
        / "cells"
        / failed.relative_to(spoilable.folder / "data" / "runs")
    )
    # no file may grow beyond 5 MB, as on a full disk
    command = (
        f"ulimit -f 5000; core/target/release/diskbench run --cell {cell} --record {failed} "
        "--folder .diskbench/work --position 4 --planned 5"
    )

    def fail():
        core = subprocess.run(
            ["bash", "-c", command],
            cwd=spoilable.folder,
            env=spoilable.environment(),
            capture_output=True,
            text=True,
        )
        assert core.returncode == 7, core.stderr

    fail()
    record = json.loads(failed.read_text())
    assert record["status"] == "failed"

    done = spoilable.run()
    assert done.returncode == 7
    (line,) = [line for line in lines(done) if "failed: " in line]
    assert "as-created-smoke" in line
    assert record["reason"] in line
    assert "4 of 5 cells measured, 0 skipped, 1 failed" in done.stderr
    second = spoilable.run("records")
    assert (second.returncode, line in lines(second)) == (7, True)
    assert spoilable.query(
        "select distinct theil_sen_gbps, reason from measured_speed where status = 'failed'"
    ) == [(None, record["reason"])]

    again = spoilable.run("database", "--config", "retry=[failed]")
    assert again.returncode == 0, again.stderr
    assert json.loads(failed.read_text())["status"] == "measured"
    assert len(list(failed.parent.glob("*.superseded-*.json"))) == 1

    # the measured record stays when it fails once more, and that is no secret
    measured = failed.read_bytes()
    fail()
    done = spoilable.run("database")
    assert done.returncode == 7
    (line,) = [line for line in lines(done) if "failed: " in line]
    assert line.endswith("(its earlier measurement still counts)")
    assert failed.read_bytes() == measured
    assert spoilable.query("select count(*) from cell where status = 'measured'") == [(5,)]
