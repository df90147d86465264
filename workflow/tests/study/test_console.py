"""How a program of the workflow ends."""

import os
import subprocess
import sys
from pathlib import Path

SCRIPTS = Path(__file__).parents[2] / "scripts"


def ends(program: str, stdout: int | None = None) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-c", f"from console import run\n{program}"],
        env={**os.environ, "PYTHONPATH": str(SCRIPTS)},
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_reader_that_has_read_enough_is_no_error():
    read, write = os.pipe()
    os.close(read)
    done = ends("run(lambda: print('a line\\n' * 100_000))", write)
    os.close(write)
    assert (done.returncode, done.stderr) == (0, "")


def test_another_pipe_that_broke_is_one():
    done = ends("def main(): raise BrokenPipeError('a host went away')\nrun(main)")
    assert done.returncode == 1
    assert "a host went away" in done.stderr


def test_a_place_that_cannot_be_written_is_one_line_with_its_name_and_code_4():
    done = ends("from pathlib import Path\nrun(lambda: Path('/dev/null/x').mkdir())")
    assert (done.returncode, done.stderr) == (
        4,
        "diskbench: cannot use /dev/null/x (Not a directory): make its folder writable, then run again\n",
    )


def test_what_is_not_there_is_not_taken_for_that():
    done = ends("run(lambda: open('/nowhere/x'))")
    assert done.returncode == 1
    assert "unexpected error: FileNotFoundError" in done.stderr
