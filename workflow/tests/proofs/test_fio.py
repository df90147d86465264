"""The comparison with fio: the same calls on both sides, and a verdict by the whole interval."""

import json
import shutil
from pathlib import Path

import pytest

from proofs import fio as proof_of_fio
from proofs.fio import AGAIN, OURS, THEIRS, fio, judged


def results(ours, theirs, again):
    names = {OURS: ours, THEIRS: theirs, AGAIN: again}
    return [
        {f"direct {name}": {"write": rates[at], "read": 1e9} for name, rates in names.items()}
        for at in range(len(ours))
    ]


ALIKE, SWINGS, UNLIKE = [1e9] * 9, [1e9, 1.2e9, 0.8e9] * 3, [1.2e9] * 9


@pytest.mark.parametrize(
    ("ours", "again", "verdict", "of_fio"),
    [
        ([1.04e9] * 9, ALIKE, True, True),
        ([1.06e9] * 9, ALIKE, False, True),
        (SWINGS, ALIKE, None, True),
        # we are like fio only where fio is surely like itself
        (ALIKE, SWINGS, None, None),
        # what is surely unlike it is so all the same
        (UNLIKE, SWINGS, False, None),
        # but where fio is surely unlike itself something is wrong with the bench
        (UNLIKE, UNLIKE, None, False),
    ],
)
def test_the_harness_and_fio_itself_are_compared_with_fio(ours, again, verdict, of_fio):
    figure, own, *_ = judged(results(ours, ALIKE, again), "direct", "ext4")
    assert (figure.reached, own.reached) == (verdict, of_fio)


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

    monkeypatch.setattr(proof_of_fio, "called", called)
    rates = fio([1_400_000, 100_000], tmp_path, direct=True)()
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
    rates = fio([1_400_000, 100_000], tmp_path, direct=False)()
    assert min(rates.values()) > 0
    assert [file.name for file in tmp_path.iterdir()] == ["fio.log"]
