"""What is somebody else's stays as it is, however much it looks like ours."""

import shutil
import time
from contextlib import contextmanager

import pytest

from proofs.mac import images_of
from proofs.mac.cut_short import ours
from proofs.support.stand_in import PATIENCE_SECONDS, StandInMac, digest

PHASES = ("usage-phases", "UDSB", "none")


@pytest.fixture
def mac(folder, target) -> StandInMac:
    return StandInMac(folder / "mac", target, "26")


def measured(mac, cell):
    done = mac.run(cell)
    assert (done.returncode, mac.record(cell)["status"]) == (0, "measured"), done.stderr


def folder_of(mac):
    """The folder of the one image that there is."""
    (folder,) = mac.work.iterdir()
    return folder


def by_hand(mac, program, *words):
    """What somebody else does with the same programs."""
    return mac.call(mac.programs / program, *words)


@contextmanager
def held(mac, verb, process):
    """A program of the Mac was called with this verb, and does nothing until this ends."""
    log = mac.programs / "state" / "calls.jsonl"
    last = time.monotonic() + PATIENCE_SECONDS
    while f'"{verb}"' not in log.read_text(encoding="utf-8"):
        assert process.poll() is None and time.monotonic() < last, "it ended before, or hangs"
        time.sleep(0.005)
    yield
    mac.order(f"hold {verb}", 0)


def test_images_beside_ours_with_names_like_ours_are_left_alone(mac):
    cells = images_of(mac)[PHASES]
    measured(mac, cells[0])
    ours_is = folder_of(mac)
    theirs = [
        mac.foreign_image(ours_is.with_name(f"{ours_is.name}0") / "image.sparsebundle"),
        mac.foreign_image(ours_is.with_name(ours_is.name[:-1]) / "image.sparsebundle"),
        mac.foreign_image(mac.work / "image.sparsebundle"),
        mac.foreign_image(mac.work / "volume" / "image.dmg"),
    ]
    before = [digest(image) for image in theirs]
    for cell in cells[1:]:
        measured(mac, cell)
    swept = mac.sweep()
    assert swept.returncode == 0
    assert sorted(mac.attached()) == sorted(theirs)
    assert [digest(image) for image in theirs] == before
    assert not ours_is.exists()


def test_a_volume_of_the_same_name_is_not_taken_for_ours(mac):
    cell = images_of(mac)[PHASES][0]
    image, at = mac.folder / "image.sparsebundle", mac.folder / "volume"
    at.mkdir()
    words = ("-size", "64m", "-type", "SPARSEBUNDLE", "-fs", "APFS", "-volname", "diskbench")
    assert by_hand(mac, "hdiutil", "create", *words, image).returncode == 0
    assert by_hand(mac, "hdiutil", "attach", "-mountpoint", at, image).returncode == 0
    (at / "thesis.txt").write_text("x")
    measured(mac, cell)
    assert mac.attached() == [image]
    assert [path.name for path in at.iterdir() if path.suffix] == ["thesis.txt"]


def test_an_image_in_our_folder_that_is_not_ours_stops_us_and_stays_attached(mac):
    cells = images_of(mac)[PHASES]
    measured(mac, cells[0])
    theirs = mac.foreign_image(folder_of(mac) / "theirs.dmg")
    before = digest(theirs)
    done = mac.run(cells[1])
    assert done.returncode == 4, done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert mac.sweep().returncode == 0
    assert (mac.attached(), digest(theirs)) == ([theirs], before)
    # detached and moved away, as the line says
    assert by_hand(mac, "hdiutil", "detach", "disk4").returncode == 0
    shutil.move(theirs, mac.folder / "theirs.dmg")
    measured(mac, cells[1])


def test_a_volume_of_somebody_else_on_our_mount_point_is_not_taken_away(mac):
    cells = images_of(mac)[PHASES]
    measured(mac, cells[0])
    theirs = mac.folder / "theirs.dmg"
    mac.stand_in("attach-foreign", str(theirs), "--mount", str(folder_of(mac) / "volume"))
    (folder_of(mac) / "volume" / "thesis.txt").write_text("x")
    done = mac.run(cells[1])
    assert done.returncode == 4, done.stderr
    assert mac.sweep().returncode == 0
    assert mac.attached() == [theirs]
    assert (folder_of(mac) / "volume" / "thesis.txt").exists()


def test_our_image_that_somebody_attached_elsewhere_is_detached_and_made_anew(mac):
    cells = images_of(mac)[PHASES]
    measured(mac, cells[0])
    image, at = folder_of(mac) / "image.sparsebundle", mac.folder / "elsewhere"
    at.mkdir()
    assert by_hand(mac, "hdiutil", "attach", "-mountpoint", at, image).returncode == 0
    for cell in cells[1:]:
        measured(mac, cell)
    assert mac.record(cells[1])["replayed_phases"] == ["fresh"]
    assert (mac.attached(), mac.left_over()) == ([], [])
    assert list(at.iterdir()) == []


def writing(cell):
    """The cell, which writes as soon as its image is attached."""
    first, *others = cell["phases"]
    create, *steps = first["steps"]
    return cell | {"phases": [first | {"steps": [create, {"step": "write"}, *steps]}, *others]}


def test_an_image_that_is_moved_away_while_it_is_attached_is_detached_and_not_followed(mac):
    cells = images_of(mac)[PHASES]
    # attached, and not written to yet
    mac.order("hold addexclusion", 1)
    process = mac.begin(writing(cells[0]))
    with held(mac, "addexclusion", process):
        image = folder_of(mac) / "image.sparsebundle"
        shutil.move(image, mac.folder / "moved.sparsebundle")
    _, said = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 7, said
    assert mac.record(cells[0])["status"] == "failed"
    assert ours(mac) == []
    assert mac.left_over() == []
    assert (mac.folder / "moved.sparsebundle" / "Info.plist").exists()
    cell = cells[0]
    measured(mac, cell)


def test_a_link_in_the_place_of_our_folder_is_not_followed(mac):
    cells = images_of(mac)[PHASES]
    measured(mac, cells[0])
    folder = folder_of(mac)
    elsewhere = shutil.move(folder, mac.folder / folder.name)
    folder.symlink_to(elsewhere, target_is_directory=True)
    before = digest(elsewhere)
    done = mac.run(cells[1])
    assert done.returncode == 4, done.stderr
    assert mac.sweep().returncode == 0
    assert digest(elsewhere) == before


def test_a_volume_that_somebody_detaches_fails_the_cell_and_nothing_goes_to_the_disk_beneath(mac):
    cells = images_of(mac)[PHASES]
    mac.order("hold addexclusion", 1)
    process = mac.begin(writing(cells[0]))
    with held(mac, "addexclusion", process):
        volume = folder_of(mac) / "volume"
        assert by_hand(mac, "hdiutil", "detach", volume, "-force").returncode == 0
    _, said = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 7, said
    assert "r01-s" in mac.record(cells[0])["reason"], mac.record(cells[0])["reason"]
    assert (mac.attached(), mac.left_over()) == ([], [])
    measured(mac, cells[0])


@pytest.fixture
def both(mac):
    """Two cells of two images, and a folder for temporary files as another user has it."""
    other = mac.folder / "other-tmp"
    other.mkdir()
    return [images[0] for images in images_of(mac).values()][:2], {"TMPDIR": str(other)}


def test_one_run_measures_at_a_time(mac, both):
    (one, other), _ = both
    mac.order("hold attach", 1)
    first = mac.begin(one)
    with held(mac, "attach", first):
        second = mac.run(other)
    assert second.returncode == 5, second.stderr
    assert first.wait(PATIENCE_SECONDS) == 0


def test_two_users_who_measure_at_once_have_each_their_image(mac, both):
    (one, other), environment = both
    processes = [mac.begin(one), mac.begin(other, **environment)]
    codes = [process.wait(PATIENCE_SECONDS) for process in processes]
    assert codes == [0, 0], [process.stderr.read() for process in processes]
    mac.sweep()
    assert (mac.attached(), mac.left_over()) == ([], [])


def test_two_users_who_measure_the_same_cell_in_one_folder_do_not_spoil_it(mac, both):
    (cell, _), environment = both
    for _ in range(10):
        mac.record_path(cell).unlink(missing_ok=True)
        processes = [mac.begin(cell), mac.begin(cell, **environment)]
        codes = [process.wait(PATIENCE_SECONDS) for process in processes]
        said = [process.stderr.read() for process in processes]
        # whoever comes second is told that the image is in use
        assert sorted(codes) in ([0, 0], [0, 5]), said
        assert mac.record(cell)["status"] == "measured"
        mac.sweep()
        assert (mac.attached(), mac.left_over()) == ([], []), said
