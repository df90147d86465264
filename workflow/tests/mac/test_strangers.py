"""Foreign files are never changed, even if they look like ours."""

import shutil
import time
from contextlib import contextmanager

import pytest
from misbehaving import images_of, ours
from stand_in import StandInMac, digest

from proofs.support.waiting import PATIENCE_SECONDS

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
    """Another user's use of the same programs."""
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


def test_a_detached_volume_fails_the_cell_and_nothing_is_written_to_the_disk_below(mac):
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


def test_two_users_who_measure_at_once_have_each_their_image(mac, both):
    (one, other), environment = both
    processes = [mac.begin(one), mac.begin(other, **environment)]
    codes = [process.wait(PATIENCE_SECONDS) for process in processes]
    assert codes == [0, 0], [process.stderr.read() for process in processes]
    mac.sweep()
    assert (mac.attached(), mac.left_over()) == ([], [])


def test_two_users_who_measure_the_same_cell_in_one_folder_do_not_spoil_it(mac, both):
    (cell, _), environment = both
    for _ in range(3):
        mac.record_path(cell).unlink(missing_ok=True)
        processes = [mac.begin(cell), mac.begin(cell, **environment)]
        codes = [process.wait(PATIENCE_SECONDS) for process in processes]
        said = [process.stderr.read() for process in processes]
        # the second process is refused: the image is in use
        assert sorted(codes) in ([0, 0], [0, 5]), said
        assert mac.record(cell)["status"] == "measured"
        mac.sweep()
        assert (mac.attached(), mac.left_over()) == ([], []), said
