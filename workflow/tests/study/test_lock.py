"""One call at a time: locking, refusal, and release when the holder is killed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from console import StudyError
from lock import held

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
HOLDER = """
import sys, time
from pathlib import Path
from lock import held

with held(Path(sys.argv[1]), "busy"):
    print("held", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def path(tmp_path):
    return tmp_path / "one.lock"


@pytest.fixture
def holder(path):
    """Another process, which has the lock."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, path],
        env=os.environ | {"PYTHONPATH": str(SCRIPTS)},
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout.readline() == b"held\n"
        yield process
        process.kill()


def refuse(path):
    with pytest.raises(StudyError) as refused, held(path, "wait for it"):
        pytest.fail("two have it")
    assert (refused.value.code, refused.value.line) == (5, "wait for it")


def test_while_another_process_has_a_lock_it_is_refused(path, holder):
    refuse(path)


def test_what_a_holder_leaves_that_is_killed_is_free_for_one(path, holder):
    holder.kill()
    holder.wait()
    assert path.exists()
    for _ in range(2):
        with held(path, "wait for it"):
            refuse(path)
