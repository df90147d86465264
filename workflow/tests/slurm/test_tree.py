"""A node works on the project as it stood when the call began, and keeps what it made itself."""

import subprocess

import pytest

from console import ExitCode, StudyError
from slurm import tree


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    for name, content in {
        ".gitignore": "/.venv\n/made\n",
        "Snakefile": "one",
        "workflow/run.sh": "two",
        "made/by-the-workflow": "three",
        "data/runs/a/x.json": "four",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")
    (folder / ".venv").mkdir()
    subprocess.run(["git", "init", "--quiet", folder], check=True)
    return folder


@pytest.fixture
def carry(project, tmp_path):
    def carry():
        archive = tmp_path / "project.tar"
        tree.pack(project, archive)
        tree.unpack(archive, tmp_path / "node", project)
        return tmp_path / "node"

    return carry


def test_what_git_has_or_would_have_is_carried_but_no_record(carry):
    node = carry()
    assert (node / "Snakefile").read_text(encoding="utf-8") == "one"
    assert (node / "workflow/run.sh").read_text(encoding="utf-8") == "two"
    assert not (node / "made").exists()
    assert not (node / "data").exists()


def test_the_environment_is_that_of_the_login_node(carry, project):
    node = carry()
    assert (node / ".venv").resolve() == (project / ".venv").resolve()
    assert not (node / ".conda").exists()


def test_a_file_keeps_its_time_so_that_nothing_is_built_anew(carry, project):
    node = carry()
    times = {int((folder / "Snakefile").stat().st_mtime) for folder in (node, project)}
    assert len(times) == 1


def test_the_next_call_brings_what_changed_and_takes_away_what_is_gone(carry, project):
    node = carry()
    (node / "core").mkdir()
    (node / "core/built-there").touch()
    (project / "Snakefile").write_text("changed", encoding="utf-8")
    (project / "workflow/run.sh").unlink()
    carry()
    assert (node / "Snakefile").read_text(encoding="utf-8") == "changed"
    assert not (node / "workflow/run.sh").exists()
    assert (node / "core/built-there").exists()


def test_a_folder_that_holds_something_else_is_refused_and_left_alone(carry, tmp_path):
    (tmp_path / "node").mkdir()
    (tmp_path / "node/thesis.tex").touch()
    with pytest.raises(StudyError) as caught:
        carry()
    assert caught.value.code == ExitCode.FOLDER_UNUSABLE
    assert "holds something else" in caught.value.line
    assert [path.name for path in (tmp_path / "node").iterdir()] == ["thesis.tex"]


def test_a_project_that_is_no_clone_is_refused_in_one_line(tmp_path):
    with pytest.raises(StudyError) as caught:
        tree.files(tmp_path)
    assert caught.value.code == ExitCode.BAD_INPUT
    assert "call this in a clone" in caught.value.line
