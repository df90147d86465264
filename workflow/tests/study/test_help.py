"""Every script has a help, which has no side effects."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tree import tree

PROJECT = Path(__file__).resolve().parents[3]
SCRIPTS = sorted(path.name for path in (PROJECT / "workflow").glob("*.sh"))


@pytest.fixture
def project(tmp_path) -> Path:
    """The scripts in a folder where nothing is set up."""
    (tmp_path / "workflow").mkdir()
    for path in (PROJECT / "workflow").glob("*.*"):
        shutil.copy(path, tmp_path / "workflow")
    shutil.copy(PROJECT / "environment.yml", tmp_path)
    return tmp_path


@pytest.mark.parametrize("words", [("-h",), ("plan", "--config", "x=1", "--help")])
@pytest.mark.parametrize("script", SCRIPTS)
def test_help_is_the_scripts_own_on_one_screen_and_nothing_is_done(project, script, words):
    before = tree(project)
    # without any program: whatever were started would be missing
    done = subprocess.run(
        [shutil.which("bash"), f"workflow/{script}", *words],
        cwd=project,
        env={"PATH": ""},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert 2 <= len(lines) <= 30
    head = (project / "workflow" / script).read_text(encoding="utf-8").splitlines()
    assert lines[0] == head[1].removeprefix("# ")
    if script != "help.sh":
        assert f"bash workflow/{script}" in done.stdout
    assert tree(project) == before


@pytest.mark.parametrize(
    "command",
    ["check-contribution", "compare", "submit", "take", "probe", "take-probe", "fleet"],
)
def test_what_is_not_a_target_of_run_has_a_help_of_its_own(command):
    done = subprocess.run(
        [shutil.which("bash"), "workflow/run.sh", command, "--dry-run", "--help"],
        cwd=PROJECT,
        env={"PATH": ""},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert f"bash workflow/run.sh {command}" in done.stdout.splitlines()[2]
    assert not done.stdout.startswith("Runs the study")
    assert '"""' not in done.stdout
    assert len(done.stdout.splitlines()) <= 30


def test_help_is_the_same_from_any_folder(project):
    (project / "elsewhere" / "deep").mkdir(parents=True)
    told = {
        subprocess.run(
            ["bash", script, "--help"],
            cwd=project / folder,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for folder, script in (
            (".", "workflow/run.sh"),
            ("workflow", "run.sh"),
            ("workflow", "./run.sh"),
            ("elsewhere/deep", "../../workflow/run.sh"),
            ("/", project / "workflow" / "run.sh"),
        )
    }
    assert len(told) == 1
    assert "check-contribution" in told.pop()


@pytest.mark.parametrize("closed", ["<&-", ">&-"])
def test_programs_have_a_stream_in_the_place_of_one_that_is_closed(project, closed):
    # Python has no sys.stdin or sys.stdout then
    looks = "import sys; sys.exit(3 if None in (sys.stdin, sys.stdout) else 0)"
    (project / "workflow/setup.sh").write_text(f"'{sys.executable}' -c '{looks}'\nexit $?\n")
    call = f"bash workflow/run.sh compare a b {closed}"
    assert subprocess.run(["bash", "-c", call], cwd=project).returncode == 0
