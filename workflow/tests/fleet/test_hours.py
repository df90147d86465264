"""The hours in which a host may measure: by the clock on the wall, and over midnight."""

from datetime import datetime

import pytest

from fleet.hours import Hours

NIGHT = Hours.parse("22:00-07:00")
DAY = Hours.parse("9:30-12:00")


def at(clock):
    """A moment of some day."""
    hour, minute = clock.split(":")
    return datetime(2026, 11, 21, int(hour), int(minute))


@pytest.mark.parametrize(
    ("hours", "clock", "minutes"),
    [
        (NIGHT, "21:59", 1),
        (NIGHT, "22:00", 0),
        (NIGHT, "23:59", 0),
        (NIGHT, "00:00", 0),
        (NIGHT, "06:59", 0),
        (NIGHT, "07:00", 15 * 60),
        (DAY, "09:29", 1),
        (DAY, "09:30", 0),
        (DAY, "12:00", 21 * 60 + 30),
    ],
)
def test_a_host_waits_until_its_hours_begin(hours, clock, minutes):
    assert hours.seconds_until_open(at(clock)) == minutes * 60


@pytest.mark.parametrize(
    ("hours", "clock", "minutes"),
    [(NIGHT, "22:00", 9 * 60), (NIGHT, "06:59", 1), (DAY, "09:30", 150)],
)
def test_within_its_hours_it_is_known_when_they_end(hours, clock, minutes):
    assert hours.seconds_until_closed(at(clock)) == minutes * 60


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("at night", "is not of the form"),
        ("22-7", "is not of the form"),
        ("25:00-07:00", "a time that no day has"),
        ("22:60-07:00", "a time that no day has"),
        ("07:00-07:00", "begins when it ends"),
        ("00:00-24:00", "begins when it ends"),
    ],
)
def test_hours_that_are_none_are_refused_with_what_is_wrong(text, wrong):
    with pytest.raises(ValueError, match=wrong):
        Hours.parse(text)


def test_hours_are_told_as_they_were_written():
    assert str(NIGHT) == "22:00-07:00"
