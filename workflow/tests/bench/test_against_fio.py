"""Against fio: the same calls on both sides, and a verdict only where fio agrees with itself."""

import json
import shutil
from pathlib import Path

import pytest
from scipy import stats

from bench import contenders
from bench.against_fio import AGAIN, OURS, THEIRS, judged
from bench.contenders import fio
from bench.rounds import median_interval


@pytest.mark.parametrize("count", [6, 7, 15, 61, 200])
def test_the_interval_of_a_median_is_the_narrowest_that_covers_95_percent_by_ranks(count):
    values = [float(value) for value in range(1, count + 1)]
    low, high = median_interval(values[::-1])
    assert low + high == count + 1

    def coverage(rank):
        # the median lies below the value of that rank when fewer than that many lie below it
        return 1 - 2 * stats.binom.cdf(rank - 1, count, 0.5)

    assert coverage(low) >= 0.95
    assert coverage(low + 1) < 0.95


def test_of_too_few_rounds_the_interval_is_all_of_them():
    assert median_interval([3.0, 1.0, 2.0]) == (1.0, 3.0)


def results(ours, theirs, again):
    names = {OURS: ours, THEIRS: theirs, AGAIN: again}
    return [
        {f"direct {name}": {"write": rates[at], "read": 1e9} for name, rates in names.items()}
        for at in range(len(ours))
    ]


def verdict_of_writing(ours, theirs, again):
    [figure, own, *_] = judged(results(ours, theirs, again), "direct", "ext4")
    assert (own.reached, own.goal) == (None, None)
    return figure.reached


def test_the_goal_is_judged_only_where_fio_agrees_with_itself():
    steady = [1e9] * 9
    swings = [1e9, 1.2e9, 0.8e9] * 3
    assert verdict_of_writing([1.04e9] * 9, steady, steady) is True
    assert verdict_of_writing([1.06e9] * 9, steady, steady) is False
    assert verdict_of_writing([0.96e9] * 9, steady, steady) is True
    assert verdict_of_writing([0.94e9] * 9, steady, steady) is False
    assert verdict_of_writing([1.06e9] * 9, swings, steady) is None
    assert verdict_of_writing([1.00e9] * 9, steady, swings) is None


def test_a_figure_is_a_median_within_rounds_with_its_interval():
    found = list(judged(results([1.1e9] * 8, [1e9] * 8, [1e9] * 8), "direct", "ext4"))
    assert [figure.what for figure in found] == [
        "ext4, direct, write: diskbench / fio",
        "ext4, direct, write: fio again / fio",
        "ext4, direct, read: diskbench / fio",
        "ext4, direct, read: fio again / fio",
    ]
    assert found[0].value == pytest.approx(1.1)
    assert (found[0].low, found[0].high) == pytest.approx((1.1, 1.1))


def test_fio_is_told_each_file_block_by_block_and_its_time_is_that_of_its_calls(
    tmp_path, monkeypatch
):
    told = []

    def called(command):
        [log] = [word.partition("=")[2] for word in command if word.startswith("--read_iolog")]
        told.append([*Path(log).read_text(encoding="utf-8").splitlines(), command])
        for line in told[-1][1:-1]:
            (tmp_path / line.split()[0]).touch()
        calls = {"io_bytes": 1_500_000, "lat_ns": {"mean": 1e6, "N": 3}}
        sync = {"lat_ns": {"mean": 6e6, "N": 2 if len(told) == 1 else 0}}
        return "a note" + json.dumps({"jobs": [{"write": calls, "read": calls, "sync": sync}]})

    monkeypatch.setattr(contenders, "called", called)
    rates = fio([1_400_000, 100_000], tmp_path, direct=True).measure()
    assert rates == pytest.approx({"write": 1_500_000 / 0.015, "read": 1_500_000 / 0.003})
    files = [tmp_path / f"fio-{number}.bin" for number in (0, 1)]
    assert told[0][:-1] == [
        "fio version 2 iolog",
        f"{files[0]} add",
        f"{files[0]} open",
        f"{files[0]} write 0 1048576",
        f"{files[0]} write 1048576 351424",
        f"{files[0]} sync 0 0",
        f"{files[0]} close",
        f"{files[1]} add",
        f"{files[1]} open",
        f"{files[1]} write 0 100000",
        f"{files[1]} sync 0 0",
        f"{files[1]} close",
    ]
    assert not [line for line in told[1][:-1] if "sync" in line or "write" in line]
    assert all("--direct=1" in lines[-1] for lines in told)
    assert not any(file.exists() for file in files)


@pytest.mark.skipif(shutil.which("fio") is None, reason="fio is not installed: apt-get install fio")
def test_fio_itself_moves_those_bytes(tmp_path):
    rates = fio([1_400_000, 100_000], tmp_path).measure()
    assert min(rates.values()) > 0
    assert [file.name for file in tmp_path.iterdir()] == ["fio.log"]
