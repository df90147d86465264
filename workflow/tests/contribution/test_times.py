"""One machine measures one cell at a time: records whose times overlap are named."""

from datetime import datetime

import pytest
from sent import found, record, save

from contribution.plausible import overlaps
from record import path_of


def test_a_record_is_measured_at_no_time_of_one_that_is_here_already(folder, tmp_path):
    assert found(folder)[1] == set()
    save(record(0, repeat=3), tmp_path / "runs")
    report, kinds = found(folder)
    assert (kinds, report.bad) == ({"overlapping"}, {path_of(record()["cell"])})


@pytest.mark.parametrize("began", ["2026-05-20 18:00:00", 5])
def test_an_edited_record_in_data_runs_does_not_stop_the_check(folder, tmp_path, began):
    save(record(0, repeat=3) | {"started_utc": began}, tmp_path / "runs")
    assert found(folder)[1] == set()


def at(second):
    return datetime(2026, 5, 20, 18, 0, second)


def test_times_that_touch_do_not_overlap():
    begin, middle, end = (at(second) for second in (10, 20, 30))
    assert list(overlaps([("a", begin, middle), ("b", middle, end)])) == []
    assert list(overlaps([("a", begin, end), ("b", middle, end)])) == [("a", "b")]
    # a long one reaches beyond several
    inside = [(name, at(second), at(second + 2)) for name, second in (("b", 12), ("c", 20))]
    assert list(overlaps([("a", begin, end), *inside])) == [("a", "b"), ("a", "c")]
    # each clock tells whole seconds, so two of them are no overlap
    for second, overlapping in ((22, []), (23, [("a", "b")])):
        assert list(overlaps([("a", begin, at(second)), ("b", middle, end)])) == overlapping


def test_a_long_measurement_overlaps_every_one_that_lies_within_it(folder):
    save(record(0, repeat=5) | {"finished_utc": "2026-05-20T18:30:00Z"}, folder)
    save(record(31, repeat=6), folder)
    # the two good ones do not overlap each other; all three are doubtful together, the last is not
    report, kinds = found(folder)
    assert kinds == {"overlapping"}
    assert len(report.bad) == 3
    assert not [path for path in report.bad if "/6/" in path]


def test_others_are_measured_between_the_two_halves_of_a_restart(folder):
    made = record(0, protocol="restart")
    save(made | {"finished_utc": "2026-05-20T18:30:00Z"}, folder)
    assert found(folder)[1] == set()
