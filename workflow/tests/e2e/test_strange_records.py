"""A folder of records may hold anything: no call hangs or fills the memory, and each names in a line what is none."""

import os
import re
import subprocess

import pytest

from console import ExitCode

# Address space of each process, in KiB: programs reserve some gigabytes that they never touch, and one that reads /dev/zero
# or a file of 1 TiB meets any limit.
KIB = 16 << 20
# No call takes this long on the busiest machine: what does waits for a FIFO.
PATIENCE_SECONDS = 900

# What stands in the place of a record, and why it is refused.
WHY = {
    "FIFO": "not a regular file but a FIFO",
    "/dev/zero": "a link that leads out",
    "link out": "a link that leads out",
    "1 TiB": "it is longer than",
}


@pytest.fixture
def strange(spoilable, tmp_path):
    """A studied project with four records replaced by what is none, and two folders beside them."""
    runs = spoilable.folder / "data" / "runs"
    host = runs / spoilable.records()[0].relative_to(runs).parts[0]
    fifo, zero, out, huge, _ = spoilable.records()
    fifo.unlink()
    os.mkfifo(fifo)
    zero.unlink()
    zero.symlink_to("/dev/zero")
    out.rename(tmp_path / "outside.json")
    out.symlink_to(tmp_path / "outside.json")
    with huge.open("wb") as file:
        file.truncate(1 << 40)
    odd = host / os.fsdecode(b"\xff")
    try:
        odd.mkdir()
    except OSError:
        pytest.skip("this file system takes UTF-8 only: run this test on another one")
    (odd / "fresh.json").write_text("{}", encoding="utf-8")
    # from within, as no path is that long
    folder = os.open(host, os.O_RDONLY)
    for _ in range(1200):
        os.mkdir("d", dir_fd=folder)
        inner = os.open("d", os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = inner
    os.close(folder)
    yield spoilable, host, dict(zip(WHY, (fifo, zero, out, huge), strict=True))
    # Python's own ways to remove folders recurse
    subprocess.run(["rm", "-rf", host / "d"], check=True)


def limited(project, *command):
    return subprocess.run(
        ["bash", "-c", f'ulimit -v {KIB}; exec "$@"', "bash", *command],
        cwd=project.folder,
        env=project.environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
    )


def named(lines, host, replaced):
    """How many lines name each of what is no record, and why."""
    found = {}
    for what, path in replaced.items():
        name = path.relative_to(host).as_posix()
        found[what] = sum(name in line and WHY[what] in line for line in lines)
    found["nested"] = sum("/".join(["d"] * 32) in line and "32 folders" in line for line in lines)
    found["no text"] = sum(re.search(r"/[?\ufffd]/fresh.json", line) is not None for line in lines)
    return found


EACH_ONCE = dict.fromkeys((*WHY, "nested", "no text"), 1)


def test_a_plan_names_what_stands_in_the_place_of_its_records(strange):
    project, host, replaced = strange
    done = limited(project, "bash", "workflow/run.sh", "plan")
    assert done.returncode == ExitCode.DONE, done.stderr
    found = named(done.stderr.splitlines(), host, replaced)
    assert found == EACH_ONCE | {"nested": 0, "no text": 0}  # in the place of no record


def test_a_database_has_the_others_and_each_is_named(strange):
    project, host, replaced = strange
    # the pages' programs reserve more than any limit
    done = limited(project, "bash", "workflow/run.sh", "database", "--config", "study=none")
    assert done.returncode == ExitCode.DAMAGED_RECORD, done.stderr
    assert named(done.stderr.splitlines(), host, replaced) == EACH_ONCE
    assert project.query("select count(*) from cell") == [(1,)]


def test_who_checks_a_contribution_is_told_each(strange):
    project, host, replaced = strange
    folder = f"data/runs/{host.name}"
    done = limited(project, "bash", "workflow/run.sh", "check-contribution", folder)
    assert done.returncode == ExitCode.DAMAGED_RECORD, done.stderr
    assert len(done.stdout.splitlines()) <= 20
    listed = project.folder / ".diskbench" / "logs" / "contribution.txt"
    assert str(listed.relative_to(project.folder)) in done.stdout
    lines = listed.read_text(encoding="utf-8").splitlines()
    assert named(lines, host, replaced) == EACH_ONCE


def test_the_core_names_each(strange):
    project, host, replaced = strange
    done = limited(project, "core/target/release/diskbench", "verify", "data/runs")
    assert done.returncode == ExitCode.DAMAGED_RECORD, done.stderr
    assert named(done.stderr.splitlines(), host, replaced) == EACH_ONCE
