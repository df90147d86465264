"""Speeds measured in different ways are never combined."""

import made_up
import pytest

RELEASE, LATER = "macos-26.5-25F71", "macos-27.0-26A100"
IO = {"block_bytes": 1_048_576, "cache": "none", "durability": "fsync"}
LATEST = "2030-01-01T00:00:00Z"
MAC = {"host": "made-up-mac", "driver": "apple", "format": "UDSB", "release": RELEASE}


def measured(folders, gbps, *, epoch=2, chip="made-up chip", **cell):
    """A saved record of this speed, measured with the harness of an epoch on a chip.

    cell: what the record says of its cell; `model`, `memory_bytes`, `virtual_machine` and `capacity`
    are of its machine, `warnings` of the record.
    """
    warnings = cell.pop("warnings", [])
    machine = {"model": cell.pop("model", "made-up model")}
    machine["memory_bytes"] = cell.pop("memory_bytes", 24 << 30)
    machine |= {key: cell.pop(key) for key in ("virtual_machine",) if key in cell}
    capacity = cell.pop("capacity", 2_001_111_162_880)
    made = made_up.record(made_up.noisy(gbps, gbps, spread=0.02), **MAC | cell)
    made["harness"]["epoch"] = epoch
    made["warnings"] = warnings
    made["host"] |= machine | {"chip": chip}
    made["host"]["storage"]["size_bytes"] = capacity
    for setting in ("cache", "durability"):
        made[setting] = dict.fromkeys(("asked", "reached"), made["cell"]["io"][setting])
    made_up.save(made_up.signed(made), folders.runs)


def test_runs_are_of_the_newest_epoch_alone(folders, query):
    for repeat, gbps, epoch in ((1, 2.0, 1), (2, 2.0, 1), (3, 6.0, 2)):
        measured(folders, gbps, epoch=epoch, repeat=repeat)
    found = query(
        "select runs, gbps from repeated_speed where op = 'write' and statistic = 'theil_sen'"
    )
    assert found == [(1, pytest.approx(6.0, rel=0.05))]


@pytest.mark.parametrize(
    ("from_memory", "reads"), [((), 3), ((3,), 2), ((2, 3), 1), ((1, 2, 3), 3)]
)
def test_of_reads_those_that_may_be_compared_count_if_any_may(folders, query, from_memory, reads):
    for repeat in (1, 2, 3):
        measured(folders, 4.0, repeat=repeat, warnings=[made_up.WARM] * (repeat in from_memory))
    found = query(
        "select op, runs, files, cells from repeated_speed where statistic = 'theil_sen' order by op"
    )
    assert found == [("read", reads, 160 * reads, 3), ("write", 3, 480, 3)]


def test_the_slower_runs_of_a_cell_do_not_count_if_others_reach_the_limit(folders, query):
    for repeat, gbps in enumerate((8.0, 8.1, 8.2, 11.0), start=1):
        measured(folders, gbps, repeat=repeat)
    found = query(
        """
        select runs, gbps, comparable, why_not_comparable from repeated_speed
        where op = 'write' and statistic = 'theil_sen'
        """
    )
    assert found == [(1, pytest.approx(11.0, rel=0.05), False, ["near-limit"])]


def test_a_repeat_that_failed_does_not_hide_those_that_were_measured(folders, query):
    for repeat in (1, 2):
        measured(folders, 4.0, repeat=repeat, warnings=[made_up.WARM])
    failed = made_up.record((), **MAC, repeat=3)
    failed |= {"status": "failed", "reason": "the volume vanished", "finished_utc": LATEST}
    failed |= {"started_utc": LATEST, "samples": [], "sizes": []}
    failed["harness"]["epoch"] = 2
    for setting in ("cache", "durability"):
        failed[setting] = {"asked": "none", "reached": None}
    made_up.save(made_up.signed(failed), folders.runs)
    found = query(
        "select status, runs, gbps from repeated_speed where op = 'read' and statistic = 'theil_sen'"
    )
    assert found == [("measured", 2, pytest.approx(4.0, rel=0.05))]


def test_a_pair_across_two_epochs_has_a_reason(folders, query):
    for repeat in (1, 2, 3):
        measured(folders, 4.0, epoch=1, repeat=repeat)
        measured(folders, 8.0, epoch=2, repeat=repeat, release=LATER)
    found = query("select distinct change, why_not_comparable, runs from release_change")
    assert found == [("not comparable", ["other-epoch"], 3)]


def test_runs_of_an_older_epoch_do_not_count_in_a_pair_either(folders, query):
    for release, gbps in ((RELEASE, 4.0), (LATER, 8.0)):
        for repeat, epoch in ((1, 1), (2, 2), (3, 2)):
            measured(folders, gbps, epoch=epoch, repeat=repeat, release=release)
    assert query("select distinct change, runs from release_change") == [("too few runs", 2)]


@pytest.mark.parametrize(
    ("other", "why"),
    [
        ({"io": IO | {"block_bytes": 4096}}, "other-blocks"),
        ({"io": IO | {"durability": "full"}}, "other-durability"),
        ({"io": IO | {"cache": "bypass"}}, "other-cache"),
        ({"chip": "another chip"}, "other-chip"),
        # two Macs of one kind have one slug
        ({"model": "another model"}, "other-machine"),
        ({"memory_bytes": 8 << 30}, "other-machine"),
        ({"capacity": 500_277_792_768}, "other-disk"),
    ],
)
def test_a_changed_setting_is_not_a_change_of_macos(folders, query, other, why):
    for repeat in (1, 2, 3):
        measured(folders, 8.0, repeat=repeat)
        measured(folders, 4.0, repeat=repeat, release=LATER, **other)
    found = query("select distinct change, why_not_comparable from release_change")
    assert found == [("not comparable", [why])]


@pytest.mark.parametrize(
    ("other", "difference"),
    [
        ({}, None),
        ({"chip": "Apple M1"}, "other-chip"),
        ({"chip": None}, "machine-unknown"),
        ({"virtual_machine": None}, "machine-unknown"),
        ({"io": IO | {"block_bytes": 4096}}, "other-blocks"),
        # the article's SSD has 2 TB, and small ones are slower
        ({"capacity": 500_277_792_768}, "other-disk"),
        ({"scale": "tenth"}, "other-scale"),
    ],
)
def test_a_figure_of_an_article_is_only_for_its_mac_and_method(folders, query, other, difference):
    mac = {"host": "mac-mini-m4-pro", "release": "macos-26.3.1-25D771280a", "chip": "Apple M4 Pro"}
    for repeat in (1, 2, 3):
        measured(folders, 5.0, repeat=repeat, encryption="AES-256", **mac | other)
    verdicts = query(
        """
        select distinct verdict, reasons from article_table
        where article = 'encryption-2026' and format = 'UDSB' and encryption = 'AES-256'
            and phase = 'fresh' and host = measured_host and published_gbps is not null
        """
    )
    assert verdicts
    for verdict, reasons in verdicts:
        if difference:
            assert (verdict, reasons) == ("not comparable", [difference])
        else:
            assert verdict != "not comparable"
