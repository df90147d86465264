"""The whole workflow on a simulated Mac: two releases, then a guest with its restart."""

import json

import pytest
from stand_in import StandInMac

pytestmark = pytest.mark.slow

MATRIX = (
    "matrix=[{driver: native, formats: [native], encryptions: [host]},"
    " {driver: auto, formats: [UDSB], encryptions: [none], band_bytes: 33554432},"
    " {driver: auto, formats: [ASIF], encryptions: [AES-256]}]"
)


class Bench:
    """A project that nothing was measured in, on a Mac that is played."""

    def __init__(self, project, target, *options):
        self.project = project
        project.forget()
        project.render_only("index.qmd", "hosts.qmd")
        # beside the images: attaching one renames a folder
        self.mac = StandInMac(project.folder / ".diskbench" / "mac", target, "26", list(options))

    def run(self, *config, target=()):
        """run.sh on this Mac."""
        environment = self.mac.environment()
        storage = f"storage=[{{slug: internal, folder: {self.mac.work}, description: of a test}}]"
        return self.project.run(*target, "--config", storage, *config, environment=environment)


@pytest.fixture(scope="module")
def releases(fresh, target, tmp_path_factory):
    """The same command before and after a change of macOS, with what each call said and left."""
    bench = Bench(fresh.copy(tmp_path_factory.mktemp("mac") / "project"), target)
    called = []
    for release in ("26", "15"):
        bench.mac.stand_in("upgrade", "--macos", release)
        done = bench.run("protocols=[as-created]", MATRIX)
        assert done.returncode == 0, done.stderr
        called.append((done, bench.project.contents()))
    return bench, called


def test_another_release_is_a_new_folder_and_the_old_one_stays_as_it_was(releases):
    _, [(_, before), (_, after)] = releases
    assert len(before) == 3
    assert {path: after[path] for path in before} == before
    folders = {path.parents[6].name for path in after}
    assert folders == {"stand-in-mac-mini-m4-pro"}
    releases_of = [path.parents[5].name.split("-")[1] for path in after]
    assert sorted(release.split(".")[0] for release in releases_of) == ["15"] * 3 + ["26"] * 3


def test_a_cell_that_a_release_cannot_do_is_explained_at_the_end_and_on_the_page_of_hosts(releases):
    bench, [(first, _), (second, _)] = releases
    assert "3 of 3 cells measured, 0 skipped, 0 failed" in first.stderr
    assert "2 of 3 cells measured, 1 skipped, 0 failed" in second.stderr
    reason = "macOS 15 cannot create ASIF images with AES-256: measure this cell on macOS 26"
    assert f"/ASIF-AES-256/1/fresh: {reason}" in second.stderr
    assert reason in bench.project.page("hosts.html")


def test_the_requested_bands_and_the_description_are_in_the_tables(releases):
    bench, _ = releases
    bands = "select distinct band_bytes from cell where format = 'UDSB'"
    assert bench.project.query(bands) == [(33554432,)]
    described = "select distinct description from storage_device"
    assert bench.project.query(described) == [("of a test",)]


def test_nothing_stays_attached_and_nothing_is_left(releases):
    bench, _ = releases
    assert bench.mac.attached() == []
    assert bench.mac.left_over() == []


def test_a_guest_must_restart_once_and_the_same_command_resumes(fresh, target, tmp_path):
    bench = Bench(fresh.copy(tmp_path / "project"), target, "--mac", "guest")
    asked = {"target": ["records"]}
    row = "matrix=[{driver: native, formats: [VM], encryptions: [host]}]"
    first = bench.run("study=vm-2026", "protocols=[restart]", row, **asked)
    assert first.returncode == 8, first.stderr
    assert first.stderr.strip().endswith("restart this machine, then run the same command again")
    assert bench.project.contents() == {}

    bench.mac.stand_in("reboot")
    second = bench.run("study=vm-2026", "protocols=[restart]", row, **asked)
    assert second.returncode == 0, second.stderr
    [(path, content)] = bench.project.contents().items()
    record = json.loads(content)
    assert path.parents[6].name == "stand-in-virtual-mac2-1-m4-pro"
    assert record["status"] == "measured"
    assert {sample["op"] for sample in record["samples"]} == {"write", "read"}
    assert bench.mac.left_over() == []
