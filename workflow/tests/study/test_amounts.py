"""Bytes that studies write and read, for the manual's table."""

import re
from pathlib import Path

import pytest

from study import amounts, repeats

README = Path(__file__).parents[3] / "README.md"


def test_the_study_of_2026_writes_16_passes_of_53_3_gb():
    # three formats in three phases, three encrypted in one, native in three, a sparse image in one
    amount = amounts.of_study("encryption-2026", "gold")
    assert (amount.cells, amount.written, amount.read) == (
        16,
        16 * 53_300_000_000,
        16 * 53_300_000_000,
    )
    # four are emptied, and mounted once more for ten seconds
    assert amount.waited == 4 * 10
    assert amount.seconds(1) == pytest.approx(2 * 852.8 + 40)
    assert amount.drives(256) == pytest.approx(852.8 / 256)


def test_churn_writes_five_rounds_reads_none_and_waits():
    amount = amounts.of_study("bands-2024", "gold")
    # two images; four times ten seconds
    assert (amount.cells, amount.written, amount.read, amount.waited) == (2, 533_000_000_000, 0, 80)


def test_a_tenth_has_one_set_and_the_first_phase_only():
    amount = amounts.of_study("encryption-2026", "tenth")
    assert (amount.cells, amount.written) == (8, 8 * 5_330_000_000)


def test_a_guest_measures_its_own_disk_and_a_mac_does_not():
    assert amounts.of_study("vm-2026", "gold", guest=True).written == 26_650_000_000
    assert amounts.of_study("vm-2026", "gold").written == 3 * 53_300_000_000


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(0, "1 min"), (60, "1 min"), (60.5, "2 min"), (3540, "59 min"), (3601, "1 h 01 min")],
)
def test_times_are_rounded_up_to_minutes(seconds, told):
    assert amounts.duration(seconds) == told


@pytest.mark.parametrize(
    ("number", "told"), [(7.49, "7.5"), (0.652, "0.65"), (0.013, "0.013"), (0.005, "< 0.01")]
)
def test_how_often_a_drive_is_filled_has_two_figures(number, told):
    assert amounts.times(number) == told


def test_the_readme_says_how_much_the_repeats_of_a_verdict_write():
    text = README.read_text(encoding="utf-8")
    stated = re.search(r"([\d.]+) TB in (\w+) repeats of this study", text)
    assert (stated[2], repeats.FOR_VERDICTS) == ("three", 3)
    written = 3 * amounts.of_study("encryption-2026", "gold").written
    assert stated[1] == f"{written / 1e12:.1f}"
