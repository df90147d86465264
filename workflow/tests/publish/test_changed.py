"""The start page's statements about the newest release agree with `release_change`."""

import pandas as pd
import pytest
from every_kind import MINI, NEWEST
from rendered import text

from lib import basis
from lib import changed as page

EARLIER = "macos-26.4-25E246"


def pairs(*changes: str, **more) -> list[dict]:
    """An image in both directions for each of these verdicts."""
    both = {"host": MINI, "earlier_release": EARLIER, "later_release": NEWEST, "vouched_by": "own"}
    image = {"format": "ASIF", "encryption": "none"} | more
    return [both | image | {"op": op, "change": one} for one in changes for op in ("write", "read")]


@pytest.fixture
def told(published_only, asked):
    """Gives what the start page says of these pairs."""
    asked(published_only)
    return lambda *rows: page._summary(pd.DataFrame([row for part in rows for row in part]))


def test_a_sure_change_below_the_least_one_is_not_said_to_be_noise(told):
    shown = told(pairs("no change shown", "no change shown"))
    assert "of 4 speeds compared, **none became faster or slower**" in shown
    assert "for 4 no change of more than 10\u00a0% is shown." in shown
    assert "noise" not in shown


def test_what_slowed_down_no_more_than_the_disk_is_counted_as_no_change(told):
    disk = pairs("not judged", format="native", encryption="FileVault")
    shown = told(pairs("no change shown", "not beyond the disk"), disk)
    assert "of 4 speeds compared, **none became faster or slower**" in shown
    assert (
        "for 4 no change of more than 10\u00a0% is shown beyond that of the disk itself." in shown
    )
    assert "without comparable native files beside it: no image FileVault (write, read)." in shown


def test_what_cannot_be_compared_or_has_too_few_runs_is_named_and_not_counted(told):
    other = pairs("not comparable", format="UDRW", encryption="AES-256")
    shown = told(pairs("slower", "no change shown", "too few runs"), other)
    assert "of 4 speeds compared, **2 became slower**; for 2 no change" in shown
    assert "Not comparable: RAW (UDRW) AES-256 (write, read)." in shown
    assert "Too few runs for a verdict: ASIF (write, read)." in shown


def test_an_image_that_the_release_before_lacks_is_not_compared_with_an_older_one(
    made_up, changed, asked
):
    older = f"""
        update release_change set earlier_release = 'macos-26.3.1-25D2128'
        where format = 'UDSP' and earlier_release = '{EARLIER}' and later_release = '{NEWEST}'
    """
    asked(changed(made_up, older))
    shown = text(page.table(basis.newest()))
    assert "From macOS 26.4 (25E246) to macOS 27.0 (26A5300)" in shown
    assert "sparse bundle" in shown
    assert "sparse image" not in shown
