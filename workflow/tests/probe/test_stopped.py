"""A probe whose time is over, that is interrupted or killed, or that cannot detach an image."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from console import ExitCode, StudyError
from probe import __main__ as command
from probe import inventory, looking, report, workplace
from probe.programs import OutOfTimeError, Programs

PROJECT = Path(__file__).resolve().parents[3]


def test_when_the_time_is_over_the_rest_is_unknown_and_all_is_cleaned_up(
    look, verdicts, monkeypatch
):
    monkeypatch.setattr(looking, "Programs", lambda seconds: Programs(seconds, _Clock()))
    mac, found = look("26")
    seen = verdicts(found)
    assert seen["hdiutil-creates"] == "confirmed"
    assert seen["hdiutil-compacts"] == "unknown"
    [one] = [one for one in found.document["statements"] if one["id"] == "hdiutil-compacts"]
    assert one["observations"][-1]["seen"] == "the probe's time limit was reached"
    assert mac.attached() == []
    assert list(mac.work.iterdir()) == []


class _Clock:
    """Six seconds further at each look, as on a Mac that is busy: for 45 calls of 540 seconds."""

    def __init__(self):
        self.seconds = 0.0

    def __call__(self) -> float:
        self.seconds += 6
        return self.seconds


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_probe_cleans_up_and_reports_it(look, target, number):
    mac, _ = look("26", only=("facts",))
    done = _stopped(mac, number)
    assert done.returncode == ExitCode.INTERRUPTED
    assert done.stderr.splitlines()[-1].startswith(
        "diskbench: interrupted: what was made was removed"
    )
    assert mac.attached() == []
    assert list(mac.work.iterdir()) == []


def test_the_report_stays_of_a_probe_that_ends_with_an_attached_image(look, monkeypatch, tmp_path):
    _, found = look("26", only=("facts",))

    def stays(*_, after):
        after(None, found)
        raise StudyError(ExitCode.CELL_FAILED, "an image of the probe stays attached")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(looking, "look", stays)
    monkeypatch.setattr(command, "CORE", Path("/bin/true"))
    with pytest.raises(StudyError):
        command.main([])
    [kept] = (tmp_path / command.REPORTS).iterdir()
    assert json.loads((kept / report.FILE).read_text()) == found.document


def test_an_image_is_only_called_attached_where_the_last_look_shows_it(monkeypatch, tmp_path):
    looks = iter([{"disk4"}] * workplace.TRIES + [set()])
    monkeypatch.setattr(workplace, "_detach", lambda programs, disk: None)
    monkeypatch.setattr(workplace.time, "sleep", lambda seconds: None)
    monkeypatch.setattr(inventory, "attached", lambda programs, folder: next(looks))
    workplace._empty(None, tmp_path)
    assert next(looks, None) is None
    monkeypatch.setattr(inventory, "attached", lambda programs, folder: {"disk4"})
    with pytest.raises(StudyError, match="stays attached as disk4; eject it"):
        workplace._empty(None, tmp_path)

    def late(programs, folder):
        raise OutOfTimeError

    monkeypatch.setattr(inventory, "attached", late)
    with pytest.raises(StudyError, match="may stay attached") as error:
        workplace._empty(None, tmp_path)
    assert error.value.code == ExitCode.CELL_FAILED


def test_a_probe_works_in_its_folder_as_the_disk_spells_it(tmp_path, monkeypatch):
    # APFS ignores case, and realpath(3) of macOS takes each name from the disk (Apple's Libc, stdlib/FreeBSD/realpath.c);
    # images in a folder as it was typed would not be found among those that are attached
    (tmp_path / "Fast").mkdir()

    class Realpath:
        def __call__(self, path: bytes, buffer) -> bytes:
            return path.replace(b"/fast", b"/Fast")

    monkeypatch.setattr(workplace.ctypes, "CDLL", lambda name: SimpleNamespace(realpath=Realpath()))
    monkeypatch.setattr(inventory, "attached", lambda programs, folder: {})
    monkeypatch.setattr(workplace, "NEEDED_BYTES", 0)
    with workplace.entered(tmp_path / "fast", Programs(60)) as folder:
        assert folder == tmp_path.resolve() / "Fast" / workplace.NAME
    assert list((tmp_path / "Fast").iterdir()) == []


def test_what_a_killed_probe_left_the_next_one_removes(look, target):
    mac, _ = look("26", only=("facts",))
    _stopped(mac, signal.SIGKILL)
    assert [image.name for image in mac.attached()] != []
    found = looking.look(mac.work, target / "diskbench", lambda probe: None)
    assert mac.attached() == []
    assert list(mac.work.iterdir()) == []
    assert found.document["statements"]


def _stopped(mac, number) -> subprocess.CompletedProcess:
    """A probe that gets a signal while a program detaches."""
    mac.order("hold detach", 1)
    process = subprocess.Popen(
        [sys.executable, "-m", "probe", "--folder", str(mac.work)],
        cwd=PROJECT,
        env=mac.environment() | {"PYTHONPATH": "workflow/scripts"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 120
    while '"detach"' not in (mac.programs / "state/calls.jsonl").read_text().splitlines()[-1]:
        assert time.monotonic() < deadline
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    process.send_signal(number)
    mac.order("hold detach", 0)
    out, err = process.communicate(timeout=120)
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)
