"""Programs by others: pinned, refused in one line where they cannot run, and compared byte by byte."""

import os
import subprocess
from pathlib import Path

import pytest

from console import ExitCode, StudyError
from proofs import others
from proofs.others import bundles, images, programs
from proofs.others.disks import MIB, Disk, difference, whole


def refused(call, *arguments) -> str:
    with pytest.raises(StudyError) as error:
        call(*arguments)
    assert error.value.code == ExitCode.BAD_INPUT
    assert "\n" not in error.value.line
    return error.value.line


@pytest.fixture
def clone(tmp_path, monkeypatch) -> Path:
    """A repository whose pinned commit is not the one that is checked out."""

    def git(*words: str) -> str:
        command = ["git", "-C", tmp_path, "-c", "user.name=a", "-c", "user.email=a@example.org"]
        return subprocess.run(
            [*command, *words], check=True, capture_output=True, text=True
        ).stdout.strip()

    git("init", "-q")
    for text in ("pinned", "newer"):
        (tmp_path / "file").write_text(text, encoding="utf-8")
        git("add", "file")
        git("commit", "-q", "-m", text)
    pinned = {"repository": "somebody/fsdump", "commit": git("rev-parse", "HEAD~1")}
    monkeypatch.setitem(programs.REPOSITORIES, "fsdump", pinned)
    return tmp_path


def test_the_pinned_commit_is_unpacked_independent_of_the_checkout(clone):
    unpacked = programs.unpack(clone, "fsdump", clone / "unpacked")
    assert (unpacked / "file").read_text(encoding="utf-8") == "pinned"
    bare = clone / ".git"
    assert (programs.unpack(bare, "fsdump", clone / "bare") / "file").is_file()


@pytest.mark.parametrize("name", ["sparsebundlefs", "fsdump"])
def test_a_folder_without_the_commit_is_bad_input_and_the_line_names_what_to_clone(name, tmp_path):
    pinned = programs.REPOSITORIES[name]
    line = refused(programs.unpack, tmp_path / "none", name, tmp_path / "unpacked")
    assert pinned["commit"] in line
    assert f"clone https://github.com/{pinned['repository']} whole" in line


def test_what_is_not_installed_is_named_with_the_command_that_installs_it(monkeypatch):
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr("shutil.which", {"make": "make", "pkg-config": "pkg-config"}.get)
    monkeypatch.setattr(programs, "_lacks", lambda _: True)
    line = refused(programs.require)
    assert "not installed: g++, fusermount, libfuse 2; on Debian `sudo apt-get install" in line


def test_a_system_without_fuse_is_refused_with_the_systems_words(monkeypatch, tmp_path):
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr("shutil.which", str)
    monkeypatch.setattr(programs, "_lacks", lambda _: False)
    monkeypatch.setattr(programs, "FUSE", tmp_path / "fuse")
    assert "No such file or directory; load FUSE with `sudo modprobe fuse`" in refused(
        programs.require
    )
    monkeypatch.setattr("sys.platform", "darwin")
    assert "run again on Linux" in refused(programs.require)


def test_a_reader_that_mounts_nothing_is_refused_with_its_last_line(tmp_path, monkeypatch):
    reader, unmount = tmp_path / "reader", tmp_path / "fusermount"
    reader.write_text(
        "#!/bin/sh\necho first >&2\necho not permitted >&2\nexit 1\n", encoding="utf-8"
    )
    unmount.write_text("#!/bin/sh\n", encoding="utf-8")
    for program in (reader, unmount):
        program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    line = refused(bundles.try_mount, reader, tmp_path)
    assert (
        line == "sparsebundlefs cannot mount here (not permitted); run again where FUSE may mount"
    )


def test_a_disk_is_zeros_but_for_its_pieces_and_the_same_each_time(tmp_path):
    disk = Disk("a", 5000, ((4000, 1000), (512, 512)))
    for name in ("one", "again"):
        disk.write(tmp_path / name)
    content = (tmp_path / "one").read_bytes()
    assert content == (tmp_path / "again").read_bytes()
    assert len(content) == 5000
    assert not any(content[:512] + content[1024:4000])
    assert len(set(content[512:1024])) > 100
    assert len(set(content[4000:])) > 100


@pytest.mark.parametrize(
    "disk", [*(disk for disk, _ in bundles.disks()), *images.disks()], ids=lambda disk: disk.name
)
def test_pieces_lie_on_the_disk_and_do_not_overlap(disk):
    end = 0
    for offset, length in sorted(disk.pieces):
        assert offset >= end
        assert length > 0
        end = offset + length
    assert end <= disk.size_bytes
    assert disk.size_bytes % 512 == 0


def test_the_disks_have_different_names_and_the_images_up_to_four_nodes():
    for made in ([disk for disk, _ in bundles.disks()], images.disks()):
        assert len({disk.name for disk in made}) == len(made)
    counts = {len({offset // images.BAND for offset, _ in disk.pieces}) for disk in images.disks()}
    assert counts >= {0, 1, 1008, 1009, 2018, 2019, 3500}


def test_the_whole_of_a_disk_ends_with_a_short_piece():
    assert whole("a", MIB + 512).pieces == ((0, MIB), (MIB, 512))


def test_the_first_byte_that_differs_is_named(tmp_path):
    one, other = tmp_path / "one", tmp_path / "other"
    content = os.urandom(MIB + 1000)
    one.write_bytes(content)
    other.write_bytes(content)
    assert difference(one, other) is None
    for at in (0, MIB - 1, MIB, MIB + 999):
        other.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
        assert difference(one, other) == f"differs at byte {at}"
    other.write_bytes(content[:-1])
    assert difference(one, other) == f"{MIB + 999} bytes long instead of {MIB + 1000}"


@pytest.fixture
def nothing_is_run(monkeypatch):
    """What a proof does but for others' programs and the core."""
    for name in ("unpack", "require", "sparsebundlefs", "fsdump"):
        monkeypatch.setattr(programs, name, lambda *_: None)
    monkeypatch.setattr(bundles, "try_mount", lambda *_: None)
    monkeypatch.setattr("proofs.support.core.build", lambda: None)
    monkeypatch.setattr(bundles, "compare", lambda *_: [None, None])


def test_figures_count_what_is_alike_and_reach_their_goal_only_with_all(
    nothing_is_run, monkeypatch, capsys
):
    monkeypatch.setattr(images, "compare", lambda *_: [None])
    others.main(["a", "b"])
    monkeypatch.setattr(images, "compare", lambda *_: [None, "differs at byte 7"])
    with pytest.raises(StudyError, match="1 of 4 disks differ") as error:
        others.main(["a", "b"])
    assert error.value.code == ExitCode.UNEXPECTED
    assert "goal all: missed" in capsys.readouterr().out
    reached = [figure.reached for figure in others.figures([None], ["differs"])]
    assert reached == [None, True, None, False]
