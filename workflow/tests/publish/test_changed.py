"""The start page's statements about the newest release agree with `release_change`."""

import pandas as pd
import pytest
from every_kind import MINI, NEWEST
from rendered import text

from lib import basis
from lib.releases import newest, pair, published

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


def test_a_sure_change_below_the_least_one_is_not_said_to_be_noise(told):
    assert told("no change shown", "no change shown") == (
        "Between macOS 26.4 and 27.0, of 2 measured speeds none became slower or faster; "
        "for 2 no change of more than 10\u00a0% is shown (Mac mini M4 Pro)."
    )


def test_what_slowed_down_no_more_than_the_disk_is_counted_as_no_change(told):
    shown = told("no change shown", "not beyond the disk", "not judged")
    assert "of 2 measured speeds none became slower or faster" in shown
    assert "for 2 no change of more than 10\u00a0% is shown beyond that of the SSD itself" in shown
    assert "; 1 more are not judged" in shown


def test_what_cannot_be_compared_or_has_too_few_runs_is_named_and_not_counted(told):
    shown = told("slower", "no change shown", "too few runs", "not comparable", "not comparable")
    assert "of 2 measured speeds 1 became slower and none faster; for 1 no change" in shown
    assert "; 2 more cannot be compared; 1 more have too few runs)" in shown


def test_an_image_that_the_release_before_lacks_is_not_compared_with_an_older_one(
    made_up, changed, asked
):
    older = f"""
        update release_change set earlier_release = 'macos-26.3.1-25D2128'
        where format = 'UDSP' and earlier_release = '{EARLIER}' and later_release = '{NEWEST}'
    """
    asked(changed(made_up, older))
    shown = text(newest.shown(basis.newest()))
    assert "Between macOS 26.4 and 27.0 (26A5300), of " in shown
    assert "sparse bundle" in shown
    assert "sparse image" not in shown


def test_the_articles_changes_are_those_of_images_on_the_start_page_alone(published_only, asked):
    asked(published_only)
    start = text(newest.shown(basis.newest()))
    both = published.summary(published.pairs())
    # the disk itself and the guest are on the page of releases
    assert "Of the speeds of new images that the articles state: " in start
    assert start.endswith("[Releases](releases.html) has these figures and their caveats.")
    assert "<table" not in start
    assert both.startswith("Of the speeds of images that the articles state: ")
