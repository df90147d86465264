"""The start page's statements about the newest release agree with `release_change`."""

import json

import pandas as pd
import pytest
from rendered import text

from lib import basis, changed
from lib.database import query
from proofs.support import macs

MINI = "mac-mini-m4-pro"
EARLIER, LATER = "macos-26.4-25E246", "macos-27.0-26A5300"


def world(*releases) -> list[dict]:
    """New images of one Mac; those of a later release are what the first was measured to be."""
    first = [
        record
        for record in macs.made([MINI], [LATER])
        if (record["cell"]["protocol"], record["cell"]["phase"]) == ("usage-phases", "fresh")
        and record["cell"]["driver"] in ("apple", "native")
    ]
    found = []
    for release in releases:
        _, version, build = release.split("-")
        for record in first:
            copy = json.loads(json.dumps(record))
            copy["cell"]["release"] = release
            copy["host"]["os"] |= {"version": version, "build": build}
            found.append(copy)
    return found


def of(records, release, form="", encryption=""):
    """Those of one release, format and encryption."""
    return [
        record
        for record in records
        if (record["cell"]["release"], record["cell"]["format"], record["cell"]["encryption"])
        == (release, form or record["cell"]["format"], encryption or record["cell"]["encryption"])
    ]


def slow(records, share) -> None:
    """Each file takes longer, each run as much as the others."""
    for record in records:
        for sample in record["samples"]:
            sample["elapsed_ns"] = round(sample["elapsed_ns"] / share)


def slower_by_7() -> list[dict]:
    records = world(EARLIER, LATER)
    slow([one for one in of(records, LATER) if one["cell"]["format"] != "native"], 0.93)
    return records


def of_another_epoch() -> list[dict]:
    records = world(EARLIER, LATER)
    for record in of(records, LATER, "UDRW", "AES-256"):
        record["harness"]["epoch"] = 2
    slow(of(records, LATER, "UDSB"), 0.5)
    return records


def slow_machine() -> list[dict]:
    """The disk and one image at half the speed."""
    records = world(EARLIER, LATER)
    for one in (of(records, LATER, "native"), of(records, LATER, "UDSB")):
        slow(one, 0.5)
    return records


def one_run_before() -> list[dict]:
    records = world(EARLIER, LATER)
    before = of(records, EARLIER, "ASIF", "none")
    return [one for one in records if one not in before or one["cell"]["repeat"] == 1]


def lacking() -> list[dict]:
    records = world("macos-26.3.1-25D2128", EARLIER, LATER)
    before = of(records, EARLIER, "UDSP")
    return [one for one in records if one not in before]


@pytest.fixture(scope="module")
def database(built):
    """A Mac for each of these, by its name."""
    records = []
    for made in (slower_by_7, slow_machine, of_another_epoch, one_run_before, lacking):
        for record in made():
            record["cell"]["host"] = made.__name__.replace("_", "-")
            records.append(record)
    return built("changed", records)


@pytest.fixture
def told(database, asked):
    """Gives what the start page says of the newest release of a Mac."""
    asked(database)
    newest = {"origin": "measured", "release": LATER}
    return lambda host: text(changed.table(basis.Basis(pd.DataFrame([newest | {"host": host}]))))


def test_a_sure_change_below_the_least_one_is_not_said_to_be_noise(told):
    shown = told("slower-by-7")
    stated = query(
        """
        select change, p_adjusted, ratio_high from release_change
        where host = 'slower-by-7' and format <> 'native'
        """
    )
    assert set(stated["change"]) == {"no change shown"}
    assert stated["p_adjusted"].max() < 1e-5
    assert stated["ratio_high"].max() < 1
    assert "of 14 speeds compared, **none became faster or slower**" in shown
    assert "for 14 no change of more than 10 % is shown" in shown
    assert "noise" not in shown


def test_what_slowed_down_no_more_than_the_disk_is_counted_as_no_change(told):
    shown = told("slow-machine")
    assert "**none became faster or slower**" in shown
    assert "for 14 no change of more than 10 % is shown beyond that of the disk itself." in shown
    assert "without comparable native files beside it: no image FileVault (write, read)." in shown


def test_what_cannot_be_compared_is_named_and_not_counted(told):
    shown = told("of-another-epoch")
    assert (
        "of 12 speeds compared, **4 became slower**; for 8 no change of more than 10 % is shown."
        in shown
    )
    assert "Not comparable: RAW (UDRW) AES-256 (write, read)." in shown
    assert "another epoch" in shown


def test_what_has_too_few_runs_is_named_and_not_counted(told):
    shown = told("one-run-before")
    assert "of 12 speeds compared, **none became faster or slower**" in shown
    assert "Too few runs for a verdict: ASIF (write, read)." in shown


def test_an_image_that_the_release_before_lacks_is_not_compared_with_an_older_one(told):
    shown = told("lacking")
    assert "From macOS 26.4 (25E246) to macOS 27.0 (26A5300)" in shown
    # UDSP is only there encrypted
    assert "of 12 speeds compared" in shown
    assert "sparse image" not in shown
