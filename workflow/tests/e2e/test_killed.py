"""A killed study loses nothing, and the next call completes it.

`bash workflow/prove.sh soak` does this two hundred times; here two victims die once, in the third cell.
"""

import pytest
from gate import A_WRITE

from proofs.soak.looking import violations
from proofs.soak.steps import CELLS, CONFIG
from proofs.support import victims
from proofs.support.project import LONGEST_SECONDS

pytestmark = pytest.mark.slow

KILLED = "the last study was killed"
STILL_RUNNING = "a part of it is still running: it is being ended"


@pytest.fixture
def unmeasured(fresh, tmp_path):
    project = fresh.copy(tmp_path / "project")
    # another test may have measured it
    project.forget()
    return project


@pytest.mark.parametrize(
    ("victim", "told"),
    [
        (victims.EVERYTHING, [KILLED]),
        # the others work on: `prove.sh soak` has them die alone, too
        (victims.LAUNCHER, [KILLED, STILL_RUNNING]),
    ],
)
def test_a_killed_study_is_completed_by_the_next_call(unmeasured, victim, told, gate):
    writing = gate("pwrite", A_WRITE, unmeasured.folder / ".diskbench" / "work")
    study = unmeasured.start("database", *CONFIG, **writing.environment)
    for _ in range(2):
        with writing.reached(study, again=True):
            pass
    with writing.reached(study):
        kept = unmeasured.contents()
        assert len(kept) == 2
        assert victims.kill(victims.find(unmeasured, victim))
        # what outlives the launcher is there as long as nobody ends it
        again = unmeasured.run("database", *CONFIG)
    study.communicate(timeout=LONGEST_SECONDS)
    assert again.returncode == 0, again.stderr
    assert "Traceback" not in again.stderr
    assert violations(unmeasured, kept, CELLS) == []
    heard = [line for line in again.stderr.splitlines() if KILLED in line or STILL_RUNNING in line]
    assert [words in line for words, line in zip(told, heard, strict=True)] == [True] * len(told)
