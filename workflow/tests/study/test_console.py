"""Exit codes and last messages of the workflow's programs."""

import os
import subprocess

import pytest
from script import called

IN_THE_WAY = "move what is in its way to another place"


def ends(program: str, stdout: int = subprocess.PIPE) -> subprocess.CompletedProcess:
    return called("-c", f"from console import run\n{program}", stdout=stdout)


def test_a_reader_that_ends_early_is_not_an_error():
    read, write = os.pipe()
    os.close(read)
    done = ends("run(lambda: print('a line\\n' * 100_000))", write)
    os.close(write)
    assert (done.returncode, done.stderr) == (0, "")


def test_macos_tells_that_nobody_reads_only_when_asked_for_something():
    # xnu, bsd/kern/sys_generic.c, poll_nocancel: without POLLOUT no filter is registered for a pipe
    read, write = os.pipe()
    os.close(read)
    poll = "class Poll:\n def __init__(self): self.poll_ = poll()\n"
    poll += " def register(self, file, events): self.events = events; self.poll_.register(file, events)\n"
    poll += " def poll(self, time): return self.poll_.poll(time) if self.events else []\n"
    macos = f"import select\npoll = select.poll\n{poll}select.poll = Poll\n"
    done = ends(f"{macos}run(lambda: print('a line\\n' * 100_000))", write)
    os.close(write)
    assert (done.returncode, done.stderr) == (0, "")


def test_another_pipe_that_broke_is_one():
    done = ends("def main(): raise BrokenPipeError('a host went away')\nrun(main)")
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


def test_what_is_not_there_is_not_taken_for_that():
    done = ends("run(lambda: open('/nowhere/x'))")
    assert done.returncode == 1
    assert "unexpected error: FileNotFoundError" in done.stderr
