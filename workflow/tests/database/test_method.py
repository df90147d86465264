"""Speeds measured in different ways are never combined (in pairs: test_pairs.py)."""

import made_up
import pytest

RELEASE, LATER = "macos-26.5-25F71", "macos-27.0-26A100"
MAC = {"host": "made-up-mac", "driver": "apple", "format": "UDSB", "release": RELEASE}
RUNS = "from repeated_speed where statistic = 'theil_sen'"


@pytest.fixture
def measured(save):
    """Saves a record of this speed, measured with the harness of an epoch."""
    return lambda gbps, *, epoch=2, warnings=(), parts=None, **cell: save(
        made_up.noisy(gbps, gbps, spread=0.02),
        parts={"harness": {"epoch": epoch}, "warnings": [*warnings]} | (parts or {}),
        **MAC | cell,
    )


def test_runs_are_of_the_newest_epoch_alone(measured, query):
    # the first record of all was started at 18 h
    runs = ((1, 2.0, 1, 5), (2, 6.0, 2, 3), (3, 6.0, 2, 2), (4, 6.0, 2, 1), (5, 2.0, 1, 0))
    for release in (RELEASE, LATER):
        for repeat, gbps, epoch, hours in runs:
            measured(gbps, epoch=epoch, parts=made_up.at(hours), repeat=repeat, release=release)
    columns = "runs, gbps, method.epoch, method.cache, method.sets, hour(first_started_utc), hour(last_started_utc)"
    found = query(f"select {columns} {RUNS} and op = 'write' and release = '{RELEASE}'")
    assert found == [(3, pytest.approx(6.0, rel=0.05), 2, "none", 10, 19, 21)]
    # nor do the others count in a pair
    assert query("select distinct runs from release_change where op = 'write'") == [(3,)]


@pytest.mark.parametrize(
    ("from_memory", "reads"), [((), 3), ((3,), 2), ((2, 3), 1), ((1, 2, 3), 3)]
)
def test_of_reads_those_that_may_be_compared_count_if_any_may(measured, query, from_memory, reads):
    for repeat in (1, 2, 3):
        measured(4.0, repeat=repeat, warnings=[made_up.WARM] * (repeat in from_memory))
    found = query(f"select op, runs, files, cells {RUNS} order by op")
    assert found == [("read", reads, 160 * reads, 3), ("write", 3, 480, 3)]


@pytest.mark.parametrize("days", [(1, 2), (2, 1)])
def test_of_two_methods_of_one_epoch_the_one_used_last_counts(save, query, days):
    synced, unsynced = {"asked": "fsync", "reached": "fsync"}, {"asked": "none", "reached": "none"}
    ways = [(4.0, synced), (8.0, unsynced)]
    for repeat, (day, (gbps, durability)) in enumerate(zip(days, ways, strict=True), start=1):
        utc = dict.fromkeys(("started_utc", "finished_utc"), f"2026-11-0{day}T10:00:00Z")
        parts = utc | {"durability": durability}
        save(made_up.noisy(gbps, gbps, spread=0.02), parts=parts, repeat=repeat, **MAC)
    found = query(f"select runs, gbps, method.durability {RUNS} and op = 'write'")
    gbps, durability = ways[days.index(2)]
    assert found == [(1, pytest.approx(gbps, rel=0.05), durability["reached"])]


def test_a_repeat_that_failed_does_not_hide_those_that_were_measured(folders, measured, query):
    for repeat in (1, 2):
        measured(4.0, repeat=repeat, warnings=[made_up.WARM])
    latest = dict.fromkeys(("started_utc", "finished_utc"), "2030-01-01T00:00:00Z")
    failed = made_up.record(None, latest | {"harness": {"epoch": 2}}, **MAC, repeat=3)
    made_up.save(made_up.without_figures(failed, "failed", "the volume vanished"), folders.runs)
    found = query(f"select status, runs, gbps {RUNS} and op = 'read'")
    assert found == [("measured", 2, pytest.approx(4.0, rel=0.05))]


@pytest.mark.parametrize(
    ("storage", "disk_encryption", "verdict"),
    [
        # performance-2024 does not say: an external disk may have had none
        ("usb4-980pro", "none", ("reproduced", None)),
        ("usb4-980pro", "FileVault", ("not comparable", ["encryption-unstated"])),
        # an internal disk is encrypted in hardware, with FileVault and without
        ("internal", "none", ("faster", None)),
        ("internal", "FileVault", ("faster", None)),
    ],
)
def test_where_an_article_is_silent_an_external_disk_must_not_be_encrypted(
    save, query, storage, disk_encryption, verdict
):
    # read-write images with AES-256 write about 1 GB/s on both disks
    gbps = 1.0 if storage == "usb4-980pro" else 2.0
    save(
        *made_up.repeats(gbps, gbps),
        parts={"host": {"storage": {"encryption": disk_encryption}}},
        host="mac-studio-m1-max", release="macos-15.0.1-24A348", driver="apple",
        protocol="remounted", format="UDRW", encryption="AES-256", storage=storage,
    )  # fmt: skip
    found = query(
        """
        select verdict, reasons from article_table
        where article = 'performance-2024' and format = 'UDRW' and encryption = 'AES-256'
            and storage = ? and op = 'write' and macos = '15.0.1'
        """,
        storage,
    )
    assert found == [verdict]


def test_native_files_of_another_disk_are_shown_once_with_the_encryption_of_that_disk(save, query):
    # what the internal disk has, then FileVault, too; the external one has none all the time
    for hours, encryption, gbps in ((0, "none", 3.0), (100, "FileVault", 3.2)):
        for storage, own in (("internal", encryption), ("usb4-980pro", "none")):
            save(
                *made_up.repeats(gbps, gbps),
                parts=made_up.at(hours) | {"host": {"storage": {"encryption": own}}},
                **MAC | {"format": "native", "driver": "native", "storage": storage},
                encryption=encryption,
            )
    shown = "select storage, encryption, round(gbps, 1) from {} where op = 'write' {} order by all"
    internal = [("internal", "FileVault", 3.2), ("internal", "none", 3.0)]
    assert query(shown.format("known_speed", "and basis = 'measured'")) == [
        *internal,
        ("usb4-980pro", "none", 3.2),
    ]
    assert query(shown.format("comparable_speed", "")) == [
        *internal,
        ("usb4-980pro", "none", 3.0),
        ("usb4-980pro", "none", 3.2),
    ]


def test_native_files_of_another_disk_are_compared_under_the_encryption_of_that_disk(save, query):
    native = MAC | {"format": "native", "driver": "native", "storage": "usb4-980pro"}
    without = {"host": {"storage": {"encryption": "none"}}}
    for release in (RELEASE, LATER):
        # of the internal disk, which the study names these files after
        for encryption in ("none", "FileVault"):
            save(
                *made_up.repeats(3.0, 3.0),
                parts=without,
                **native | {"release": release, "encryption": encryption},
            )
    # each of two under one release with each of two under the other, and no runs of two in one
    found = query("select encryption, comparable, runs from release_change where op = 'write'")
    assert found == [("none", True, 3)] * 4


def test_a_disk_of_which_something_is_not_known_under_one_release_counts_as_the_same(save, query):
    known = {"device_model": "made-up SSD", "bus": "USB", "size_bytes": 10**12}
    for number, unknown in enumerate(("device_model", "bus", "size_bytes", "file_system")):
        for release, storage in ((RELEASE, known), (LATER, known | {unknown: None})):
            cell = MAC | {"host": f"made-up-{number}", "release": release}
            save(*made_up.repeats(4.0, 4.0), parts={"host": {"storage": storage}}, **cell)
    found = query("select host, why_not_comparable from release_change where op = 'write' order by host")  # fmt: skip
    assert found == [(f"made-up-{number}", None) for number in range(4)]


def test_speeds_on_disks_that_are_not_encrypted_alike_are_no_change_of_macos(save, query):
    for release, encryption in ((RELEASE, "FileVault"), (LATER, "none")):
        save(
            *made_up.repeats(4.0, 4.0),
            parts={"host": {"storage": {"encryption": encryption}}},
            **MAC | {"release": release},
        )
    found = query("select distinct change, why_not_comparable from release_change")
    assert found == [("not comparable", ["other-encryption"])]


MEBIBYTE = 1 << 20
BUNDLE = {"driver": "apple", "format": "UDSB", "host": "mac-mini-m4-pro", "release": "macos-26.3.1-25D125"}  # fmt: skip


def test_an_image_with_bands_of_another_size_is_another_image(save, query):
    save(**BUNDLE)
    save(**BUNDLE, band_bytes=MEBIBYTE)
    found = query("select distinct band_bytes from comparable_speed order by all")
    assert found == [(MEBIBYTE,), (None,)]
    known = "from known_speed inner join cell on cell = origin where basis = 'measured'"
    assert query(f"select op, band_bytes {known} order by op") == [("read", None), ("write", None)]
