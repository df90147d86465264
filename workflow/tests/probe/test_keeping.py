"""Small images are kept on request; one that cannot be made or read is named, and the others are kept."""

import subprocess
import tarfile
from pathlib import Path

import pytest

from probe import keeping

PROJECT = Path(__file__).resolve().parents[3]
MADE = {
    f"{kind}-{encryption}"
    for kind in ("UDRW", "UDSP", "UDSB")
    for encryption in ("none", "AES-128", "AES-256")
}
ASIF = {"ASIF-none", "ASIF-AES-256"}
# A fifth of what GitHub's free plan stores of artifacts and packages together: 500 MB.
LARGEST_ARTIFACT_BYTES = 100_000_000
# the stand-ins for a Mac keep the files of a volume outside of its image
UNSEEN = "made and read, LICENSE was not seen on it"


@pytest.fixture
def kept(look, monkeypatch, tmp_path):
    """Keeps images of a release, and gives those that failed; what was probed is there all the same."""
    monkeypatch.chdir(PROJECT)
    (tmp_path / "kept").mkdir()

    def keep(release, **more):
        failed = []

        def after(bench, _):
            failed.extend(keeping.keep(bench, tmp_path / "kept"))

        mac, found = look(release, probes=(), after=after, **more)
        assert found.document["os"]["version"].startswith(release)
        assert mac.attached() == []
        assert list(mac.work.iterdir()) == []
        return failed

    return keep


def packed(folder):
    return {path.name.removesuffix(".tar.gz") for path in folder.glob("*.tar.gz")}


def listed(folder):
    lines = (folder / "images.txt").read_text().splitlines()
    return dict(line.split(": ", 1) for line in lines)


@pytest.mark.parametrize(("release", "expected"), [("15", MADE), ("26", MADE | ASIF)])
def test_each_image_that_a_release_makes_is_there_and_was_read(
    kept, tmp_path, target, release, expected
):
    assert kept(release) == []
    assert packed(tmp_path / "kept") == expected
    sizes = [path.stat().st_size for path in (tmp_path / "kept").iterdir()]
    assert sum(sizes) < LARGEST_ARTIFACT_BYTES
    assert listed(tmp_path / "kept") == dict.fromkeys(expected, UNSEEN)
    with tarfile.open(tmp_path / "kept" / "UDSB-AES-256.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
        assert {(one.uid, one.uname) for one in archive} == {(0, "")}
    done = subprocess.run(
        [target / "diskbench", "image", "check", "--passphrase-stdin", tmp_path / "UDSB-AES-256.sparsebundle"],
        input="diskbench\n", capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_one_that_is_not_made_is_named_and_the_others_are_kept(kept, tmp_path):
    [line] = kept("26", prepare=lambda mac: mac.order("resource-busy-create", 1))
    assert line.startswith("UDRW-none: not made (")
    assert "Resource busy" in line
    assert packed(tmp_path / "kept") == (MADE | ASIF) - {"UDRW-none"}


def test_one_that_cannot_be_packed_is_named_and_the_others_are_kept(kept, tmp_path):
    (tmp_path / "kept" / "UDSP-none.tar.gz").mkdir()
    assert kept("15") == ["UDSP-none: IsADirectoryError: Is a directory"]
    (tmp_path / "kept" / "UDSP-none.tar.gz").rmdir()
    assert packed(tmp_path / "kept") == MADE - {"UDSP-none"}


def test_probes_without_time_are_named(kept, tmp_path, monkeypatch):
    monkeypatch.setattr(keeping, "SECONDS", 0)
    assert kept("15") == [
        f"{name}: the time limit was reached" for name in listed(tmp_path / "kept")
    ]
    assert set(listed(tmp_path / "kept")) == MADE


def test_a_file_that_the_core_finds_in_an_image_is_said_to_be_there(kept, tmp_path):
    core = tmp_path / "core"
    # what it writes a raw image to is its last word but two
    core.write_text('#!/bin/bash\n[ "$2" = check ] || cat LICENSE >"${@: -3:1}"\n')
    core.chmod(0o755)
    assert kept("15", core=core) == []
    assert listed(tmp_path / "kept") == dict.fromkeys(MADE, "made and read, LICENSE is on it")


def test_what_the_core_does_not_read_is_kept_and_named_but_for_encrypted_asif(kept, tmp_path):
    failed = kept("26", core=Path("/nowhere"))
    assert {line.partition(":")[0] for line in failed} == (MADE | ASIF) - {"ASIF-AES-256"}
    assert all("made, but not read (the core is not built)" in line for line in failed)
    assert packed(tmp_path / "kept") == MADE | ASIF
