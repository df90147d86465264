"""A wrong argument is one line with the next step, before anything is done."""

import subprocess

import pytest
from script import SCRIPTS, called

from arguments import minutes, whole_number
from console import StudyError
from contribution.__main__ import main as contribution
from proofs import faults, fio, images, site, slurm


@pytest.fixture(autouse=True)
def nothing_is_run(monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("something was run")

    monkeypatch.setattr(subprocess, "run", refuse)
    monkeypatch.setattr(subprocess, "Popen", refuse)
    monkeypatch.setattr(fio, "fio_is_here", lambda: True)


@pytest.mark.parametrize("number", ["0", "1.5", "", "²"])
def test_what_is_counted_is_a_whole_number_from_one(number):
    with pytest.raises(Exception, match="is not a whole number from 1"):
        whole_number(number)


@pytest.mark.parametrize("number", ["0", "nan", "inf", ""])
def test_minutes_are_above_zero(number):
    with pytest.raises(Exception, match="is not a number of minutes above 0"):
        minutes(number)
    assert minutes("0.5") == 0.5


@pytest.mark.parametrize(
    ("main", "words", "code", "line"),
    [
        (fio.main, "0", 2, "'0' is not a whole number from 1; see `bash workflow/prove.sh fio --help`"),
        (fio.main, "1 /none", 4, "/none is not there: name a folder that can be written"),
        (fio.main, "1 /dev/null", 4, "/dev/null is no folder"),
        (images.main, "files speed", 2, "'speed' is no part: name some of files, readers, conversions, memory"),
        (site.main, "1 2", 2, "unrecognized arguments: 2; see `bash workflow/prove.sh site --help`"),
        (faults.main, "UDZO", 2, "UDZO is no kind of image: give one of native UDSB UDRW"),
        (contribution, "", 2, "required: folder; see `bash workflow/run.sh check-contribution --help`"),
    ],
)  # fmt: skip
def test_a_wrong_command_line_is_one_line_before_anything_is_run(main, words, code, line):
    with pytest.raises(StudyError) as error:
        main(words.split())
    assert error.value.code == code
    assert line in error.value.line
    assert "\n" not in error.value.line


def test_where_no_slurm_cluster_can_be_started_a_line_says_what_it_needs(monkeypatch):
    monkeypatch.setattr(slurm.shutil, "which", lambda _: None)
    with pytest.raises(StudyError, match="it needs Linux, root, and Debian's packages") as error:
        slurm.main([])
    assert error.value.code == 2


def test_a_proof_ends_with_that_line_and_its_code(monkeypatch):
    monkeypatch.undo()
    done = called("-m", "proofs", "soak", "many", PYTHONPATH=f"{SCRIPTS}:{SCRIPTS.parent}")
    assert (done.returncode, done.stdout) == (2, "")
    why = "argument count: 'many' is not a whole number from 1"
    assert done.stderr == f"diskbench: {why}; see `bash workflow/prove.sh soak --help`\n"
