"""Exit codes and last messages of the workflow's programs."""

import os
import re
import signal
import subprocess
import sys

import pytest
from script import SCRIPTS, called

IN_THE_WAY = "move what is in its way to another place"


def ends(program: str, **streams: int) -> subprocess.CompletedProcess:
    return called(
        "-c",
        f"from console import echo, no_room, run, say, show\n{program}",
        PYTHONUNBUFFERED="",
        **streams,
    )


@pytest.fixture(params=[os.pipe, os.openpty], ids=["a pipe", "a terminal"])
def gone(request):
    """A stream whose reader has ended, or whose terminal was closed."""
    read, write = request.param()
    os.close(read)
    yield write
    os.close(write)


@pytest.mark.parametrize(("length", "code"), [(1, 6), (100_000, 0)])
def test_a_reader_that_ends_early_changes_no_exit_code(gone, length, code):
    done = ends(
        f"def main():\n show('a line\\n' * {length})\n return {code}\nrun(main)", stdout=gone
    )
    assert (done.returncode, done.stderr) == (code, "")


@pytest.mark.parametrize(("last", "code"), [("pass", 0), ("raise no_room('x')", 3)])
def test_a_step_completes_though_nobody_reads_its_messages(gone, tmp_path, last, code):
    done = tmp_path / "done"
    step = f"""\
from pathlib import Path
def main():
    for number in range(3):
        say("one")
        echo("two")
    Path({str(done)!r}).touch()
    {last}
run(main)"""
    assert ends(step, stdout=gone, stderr=gone).returncode == code
    assert done.exists()


def test_nothing_is_printed_in_another_way():
    printing = re.compile(r"(?<![\w.])print\(|std(out|err)\.write")
    files = [*SCRIPTS.rglob("*.py")]
    found = [file.name for file in files if printing.search(file.read_text(encoding="utf-8"))]
    assert found == ["console.py"]


def test_another_pipe_that_broke_is_an_error(gone):
    done = ends("def main(): raise BrokenPipeError('a host went away')\nrun(main)", stdout=gone)
    assert done.returncode == 1
    assert "a host went away" in done.stderr


@pytest.mark.parametrize(
    ("call", "why", "advice"),
    [
        ("Path('/dev/null/x').mkdir()", "/dev/null/x (Not a directory)", IN_THE_WAY),
        ("Path('/dev/null').mkdir()", "/dev/null (File exists)", IN_THE_WAY),
        ("Path('/dev').write_bytes(b'')", "/dev (Is a directory)", IN_THE_WAY),
        ("fail(13, 'Permission denied', 'x')", "x (Permission denied)", "make its folder writable"),
    ],
)
def test_a_place_that_cannot_be_used_is_one_line_with_its_name_and_code_4(call, why, advice):
    failing = "def fail(*why): raise OSError(*why)"
    done = ends(f"{failing}\nfrom pathlib import Path\nrun(lambda: {call})")
    assert (done.returncode, done.stderr) == (
        4,
        f"diskbench: cannot use {why}: {advice}, then run again\n",
    )


def test_ctrl_c_during_a_query_is_an_interruption():
    # with one thread, so that the one that runs the query also sees the signal
    done = ends(
        "import duckdb, os, signal, threading\n"
        "data = duckdb.connect(config={'threads': 1})\n"
        "threading.Timer(0.5, os.kill, [os.getpid(), signal.SIGINT]).start()\n"
        "run(lambda: data.execute('select sum(hash(range)) from range(5_000_000_000)'))"
    )
    assert (done.returncode, done.stderr) == (
        130,
        "diskbench: interrupted: run the same command again to resume\n",
    )


def test_ctrl_c_while_a_command_loads_is_an_interruption(tmp_path):
    (tmp_path / "slow.py").write_text("import time\nprint('here', flush=True)\ntime.sleep(60)\n")
    with subprocess.Popen(
        [sys.executable, SCRIPTS / "begin.py", "slow"],
        env=os.environ | {"PYTHONPATH": f"{SCRIPTS}:{tmp_path}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout.readline() == "here\n"
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)
    line = "diskbench: interrupted: run the same command again to resume\n"
    assert (process.returncode, said) == (130, line)


def test_what_is_not_there_is_not_taken_for_that():
    done = ends("run(lambda: open('/nowhere/x'))")
    assert done.returncode == 1
    assert "unexpected error: FileNotFoundError" in done.stderr
