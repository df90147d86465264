"""A storage is not measured if it is on another disk than planned."""

import pytest

from console import StudyError
from study import disks


@pytest.fixture
def noted(tmp_path):
    """Two storages, each in a folder of its own, and the file that says which disk they are on."""
    folders = {slug: str(tmp_path / slug) for slug in ("internal", "usb4")}
    for slug in folders:
        (tmp_path / slug).mkdir()
    disks.note(folders, tmp_path / "disks.json")
    return tmp_path


def test_a_missing_folder_is_refused_by_its_slug(noted):
    (noted / "usb4").rmdir()
    with pytest.raises(StudyError, match="the disk of storage usb4 was disconnected") as refusal:
        disks.check("usb4", str(noted / "usb4"), noted / "disks.json")
    assert refusal.value.code == 4


def test_a_folder_on_another_disk_is_refused(noted):
    # on every Unix a disk of its own
    (noted / "usb4").rmdir()
    (noted / "usb4").symlink_to("/dev")
    with pytest.raises(StudyError, match="another one is mounted at"):
        disks.check("usb4", str(noted / "usb4"), noted / "disks.json")


def test_a_folder_that_is_not_there_when_it_is_planned_stops_no_plan_and_is_refused_later(tmp_path):
    (tmp_path / "internal").mkdir()
    folders = {"internal": str(tmp_path / "internal"), "usb4": str(tmp_path / "usb4")}
    disks.note(folders, tmp_path / "disks.json")
    disks.check("internal", folders["internal"], tmp_path / "disks.json")
    (tmp_path / "usb4").mkdir()
    with pytest.raises(StudyError, match="the disk of storage usb4 was disconnected"):
        disks.check("usb4", folders["usb4"], tmp_path / "disks.json")
