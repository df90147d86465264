"""The start page's statements about the newest release agree with `release_change`."""

import pandas as pd
import pytest
from every_kind import MINI, NEWEST
from rendered import text

from lib import basis
from lib.releases import newest, pair

EARLIER = "macos-26.4-25E246"


@pytest.fixture
def told(published_only, asked):
    """Gives what is said of speeds with these verdicts."""
    asked(published_only)
    same = {
        "host": MINI, "earlier_release": EARLIER, "later_release": NEWEST, "vouched_by": "own",
        "earlier_macos": "26.4", "later_macos": "27.0",
        "earlier_of_several": False, "later_of_several": False,
    }  # fmt: skip
    return lambda *changes: pair.summary(pd.DataFrame([same | {"change": one} for one in changes]))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        # a sure change below the least one is no noise
        (
            ["no change shown"] * 2,
            "2 of 2 measured speeds show no change of more than 10 % (Mac mini M4 Pro).",
        ),
        # one that slowed down, but no more than the disk, did not stay as it was
        (
            ["no change shown", "not beyond the disk", "not judged"],
            "1 of 2 measured speeds may have changed with the whole machine and 1 shows no change of more than 10 % "
            "(Mac mini M4 Pro; not judged: 1).",
        ),
        (
            ["not beyond the disk"] * 2,
            "2 of 2 measured speeds may have changed with the whole machine (Mac mini M4 Pro).",
        ),
        # what has no verdict is named and not counted
        (
            ["slower", "no change shown", "too few runs", "not comparable", "not comparable"],
            "1 of 2 measured speeds became slower and 1 shows no change of more than 10 % "
            "(Mac mini M4 Pro; not comparable: 2; too few runs: 1).",
        ),
    ],
)
def test_what_changed_is_counted_by_its_verdicts(told, changes, said):
    shown = told(*changes).replace("\u00a0", " ")
    assert shown == f"From macOS 26.4 to 27.0, {said}"


def test_an_image_that_the_release_before_lacks_is_not_compared_with_an_older_one(
    made_up, changed, asked
):
    older = f"""
        update release_change set earlier_release = 'macos-26.3.1-25D2128'
        where format = 'UDSP' and earlier_release = '{EARLIER}' and later_release = '{NEWEST}'
    """
    asked(changed(made_up, older))
    shown = text(newest.shown(basis.newest()))
    assert "From macOS 26.4 to 27.0 (26A5300), " in shown
    assert "sparse bundle" in shown
    assert "sparse image" not in shown


def test_other_machines_that_a_release_changed_are_counted():
    moved = ["slower", "slower", "faster", "no change shown"]
    rows = pd.DataFrame({"change": moved, "host": "another-mac", "vouched_by": "own"})
    said = "On 1 other machine under the same release, 2 speeds became slower and 1 faster"
    assert newest._elsewhere(rows) == f"{said}: [Releases](releases.html) has them."
