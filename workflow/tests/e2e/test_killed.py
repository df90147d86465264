"""A study that is killed loses nothing, and the next call completes it by itself.

`bash workflow/soak.sh` does this two hundred times; here two victims die once, in a cell.
"""

import random

import pytest

from soak import victims
from soak.killing import kill_once

CUT_SHORT = "the study before this one was cut short"
AT_WORK = "a part of it is still at work: it is being ended"


# of a study in its third cell, 0.2 s after that began
SEED = 23


@pytest.fixture(scope="module")
def unmeasured(fresh, tmp_path_factory):
    return fresh.copy(tmp_path_factory.mktemp("killed") / "project")


@pytest.mark.parametrize(
    ("victim", "told"),
    [
        (victims.EVERYTHING, [CUT_SHORT]),
        # the others work on: `soak.sh` has them die alone, too
        (victims.LAUNCHER, [CUT_SHORT, AT_WORK]),
    ],
)
def test_a_killed_study_is_completed_by_the_next_call(unmeasured, victim, told):
    killed = kill_once(unmeasured, ("database",), victim, random.Random(SEED))
    assert killed.during == "measuring"
    assert killed.violations == []
    heard = [line for line in killed.told if CUT_SHORT in line or AT_WORK in line]
    assert [words in line for words, line in zip(told, heard, strict=True)] == [True] * len(told)
