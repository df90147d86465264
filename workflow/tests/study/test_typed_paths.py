"""A path is relative to the folder where run.sh was called, else to the project's folder."""

import subprocess
from pathlib import Path

import pytest

from arguments import typed_path, writable_folder
from console import ExitCode, StudyError

PROJECT = Path(__file__).parents[3]


@pytest.fixture
def elsewhere(tmp_path, monkeypatch) -> Path:
    """A folder from which a call is made, while the program itself is in the project's."""
    project = tmp_path / "project"
    called_in = tmp_path / "called in"
    project.mkdir()
    called_in.mkdir()
    monkeypatch.chdir(project)
    monkeypatch.setenv("DISKBENCH_CALLED_IN", str(called_in))
    return called_in


def test_what_is_there_is_meant_from_where_the_call_was_made_else_from_the_project(
    elsewhere, monkeypatch
):
    (elsewhere / "records").mkdir()
    (elsewhere / "dangling").symlink_to("nothing")
    Path("records").mkdir()
    assert typed_path("records") == elsewhere / "records"
    assert typed_path("dangling") == elsewhere / "dangling"
    assert typed_path("data/runs") == Path("data/runs")
    assert typed_path(str(elsewhere)) == elsewhere
    # the words that were typed
    monkeypatch.setenv("DISKBENCH_CALLED_IN", str(Path.cwd()))
    assert typed_path("records") == Path("records")


@pytest.mark.parametrize("path", [typed_path, writable_folder])
def test_an_empty_word_is_no_path_as_an_unset_variable_leaves_one(path):
    with pytest.raises(StudyError, match="an empty path") as error:
        path("")
    assert error.value.code == ExitCode.BAD_INPUT


@pytest.mark.parametrize(
    ("words", "said_of_what_is_there"),
    [
        (["check-contribution", "mine"], "there is no record in"),
        (["compare", "mine", "mine"], "there is no record in"),
        (["take", "mine/note.txt"], "is refused: it is damaged"),
        (["take-probe", "mine"], "mine/probe.json: name the folder that a probe wrote"),
    ],
    ids=lambda one: one[0] if isinstance(one, list) else "",
)
def test_every_command_that_takes_a_path_takes_it_from_there(
    words, said_of_what_is_there, tmp_path
):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "note.txt").write_text("no record, no archive, no report")
    done = subprocess.run(
        ["bash", PROJECT / "workflow/run.sh", *words], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode != 0
    assert said_of_what_is_there in done.stderr
