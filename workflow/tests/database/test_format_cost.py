"""The cost of a format: our own image compared with the native cell of the same run, and reasons against it."""

import made_up
import numpy as np
import pytest
from scipy import stats

IMAGE = {"driver": "portable", "format": "UDSB"}


def per_byte(ns_for_each_byte):
    """Times without noise and without any cost of a file."""
    return lambda op, order, size: round(size * ns_for_each_byte)


def save(folders, time=None, warnings=None, runs=(1, 2, 3), **cell):
    """Runs that all take the same times."""
    for repeat in runs:
        made = made_up.record(time, **{"repeat": repeat} | cell) | {"warnings": warnings or []}
        made_up.save(made_up.signed(made), folders.runs)


def changed(folders, made, **parts):
    made_up.save(made_up.signed(made | parts), folders.runs)


def test_an_image_that_takes_five_quarters_of_the_native_time_has_four_fifths_of_its_speed(
    folders, query
):
    # 53.3 GB at 0.25 ns a byte are 4 GB/s, at 0.2 ns a byte 5 GB/s; all runs are the same
    save(folders, per_byte(0.25), **IMAGE)
    save(folders, per_byte(0.2))
    rows = query("""
        select op, files, native_files, round(gbps, 9), round(native_gbps, 9),
            round(ratio, 9), round(ratio_low, 9), round(ratio_high, 9), verdict, reasons, notes
        from format_cost order by op""")
    assert rows == [
        (op, 480, 480, 4.0, 5.0, 0.8, 0.8, 0.8, "slower", None, None) for op in ("read", "write")
    ]


@pytest.mark.parametrize(
    ("ns_for_each_byte", "verdict"),
    [
        (0.4, "slower"),  # ratio 0.5
        (0.2222, "slower"),  # 0.900
        (0.2174, "no difference shown"),  # 0.920
        (0.2125, "no difference shown"),  # 0.941
        (0.2083, "costs next to nothing"),  # 0.960
        (0.2, "costs next to nothing"),
        (0.192, "costs next to nothing"),  # 1.042
        (0.189, "no difference shown"),  # 1.058
        (0.183, "no difference shown"),  # 1.093
        (0.180, "faster"),  # 1.111
    ],
)
def test_up_to_five_per_cent_are_no_cost_and_only_beyond_ten_is_there_one(
    folders, query, ns_for_each_byte, verdict
):
    save(folders, per_byte(ns_for_each_byte), **IMAGE)
    save(folders, per_byte(0.2))
    assert query("select distinct verdict from format_cost") == [(verdict,)]


@pytest.mark.parametrize(
    ("shares", "verdict"),
    [
        # Student's t with 2 degrees of freedom: the mean +- 4.30 x the standard deviation / sqrt(3)
        ((0.90, 1.00, 1.11), "no difference shown"),
        ((1.00, 1.10, 1.21), "no difference shown"),
        ((0.99, 1.00, 1.01), "costs next to nothing"),
        # 0.94 to 0.98 or so: less than 1 beyond doubt, by less than a tenth
        ((0.950, 0.960, 0.970), "no difference shown"),
        # 0.83 to 0.87
        ((0.840, 0.850, 0.860), "slower"),
    ],
)
def test_the_verdict_is_that_of_the_interval_between_runs(folders, query, shares, verdict):
    for repeat, share in enumerate(shares, start=1):
        save(folders, per_byte(0.2 / share), runs=[repeat], **IMAGE)
    save(folders, per_byte(0.2))
    expected = stats.ttest_1samp(np.log(shares), 0).confidence_interval(0.95)
    for low, high, found in query("select ratio_low, ratio_high, verdict from format_cost"):
        assert (low, high) == pytest.approx((np.exp(expected.low), np.exp(expected.high)), rel=1e-4)
        assert found == verdict


def test_p_is_corrected_for_all_ratios_of_the_machine_and_release_by_holm(folders, query):
    # six images with different ratios, and with more or less noise
    images = [(form, coded) for form in ("UDRW", "UDSB", "ASIF") for coded in ("none", "AES-256")]
    for number, (form, coded) in enumerate(images):
        for repeat, noise in enumerate((-0.03, 0.01, 0.02), start=1):
            share = (0.8 + 0.04 * number) * (1 + noise * (number + 1) / 3)
            cell = {"driver": "portable", "format": form, "encryption": coded}
            save(folders, per_byte(0.2 / share), runs=[repeat], **cell)
    save(folders, per_byte(0.2))
    # another release is another question
    save(folders, per_byte(0.4), **IMAGE, release="debian-13-6.12.1")
    save(folders, per_byte(0.2), release="debian-13-6.12.1")
    found = query("select p, p_adjusted from format_cost where release like 'debian-12%'")
    assert len(found) == 12
    ps, adjusted = zip(*sorted(found), strict=True)
    # the smallest times the number of all, the next times one fewer: how it goes on is asked of release_change
    assert adjusted[:2] == pytest.approx((12 * ps[0], max(12 * ps[0], 11 * ps[1])))
    assert max(adjusted) > 0.05 > min(ps)


def test_a_difference_that_one_of_many_shows_by_chance_is_not_reported(folders, query):
    # runs differ by a quarter; one image of twelve lies at two thirds, its whole interval below 1 / 1.1
    forms, codes = ("UDRW", "UDSB", "ASIF", "UDSP"), ("none", "AES-128", "AES-256")
    images = [(form, coded) for form in forms for coded in codes]
    noise = np.random.default_rng(1).normal(0, 0.25, (len(images), 3))
    noise[0] = np.log([0.90, 0.50, 0.70])
    for shares, (form, coded) in zip(np.exp(noise), images, strict=True):
        for repeat, share in enumerate(shares, start=1):
            cell = {"driver": "portable", "format": form, "encryption": coded}
            save(folders, per_byte(0.2 / share), runs=[repeat], **cell)
    save(folders, per_byte(0.2))
    found = query(
        "select p, p_adjusted, ratio_high < 1 / 1.1, verdict from format_cost "
        "where format = 'UDRW' and encryption = 'none'"
    )
    assert len(found) == 2
    for p, adjusted, beyond, verdict in found:
        assert p < 0.05 < adjusted
        assert (beyond, verdict) == (True, "no difference shown")


def test_one_run_has_a_ratio_and_no_verdict(folders, query):
    save(folders, per_byte(0.4), runs=[1], **IMAGE)
    save(folders, per_byte(0.2))
    rows = query("select runs, round(ratio, 6), ratio_low, ratio_high, verdict from format_cost")
    assert rows == [(1, 0.5, None, None, "too few runs")] * 2


def test_of_several_runs_those_with_a_native_cell_count(folders, query):
    save(folders, per_byte(0.25), **IMAGE)
    save(folders, per_byte(0.2), runs=(2, 3))
    found = query("select distinct runs, round(ratio, 9), verdict from format_cost")
    assert found == [(2, 0.8, "too few runs")]


def test_without_a_native_cell_there_is_a_row_with_the_reason(folders, query):
    save(folders, **IMAGE)
    rows = query("select native_cell, ratio, verdict, reasons from format_cost")
    assert rows == [(None, None, "not compared", ["no-native"])] * 2


@pytest.mark.parametrize(
    "other",
    [
        {"host": "made-up-other"},
        {"release": "debian-13-6.12.1"},
        {"storage": "usb4-980pro"},
        {"protocol": "remounted"},
        {"scale": "half"},
        {"phase": "emptied"},
        {"runs": [4]},
    ],
)
def test_only_the_native_cell_of_the_same_run_counts(folders, query, other):
    save(folders, **IMAGE)
    save(folders, **other)
    assert query("select distinct native_cell, verdict from format_cost") == [
        (None, "not compared")
    ]


@pytest.mark.parametrize(
    ("status", "why"), [("failed", "native-failed"), ("skipped", "native-skipped")]
)
def test_a_native_cell_that_was_not_measured_is_the_reason(folders, query, status, why):
    save(folders, runs=[1], **IMAGE)
    made_up.save(
        made_up.without_figures(made_up.record(), status, "the disk was full"), folders.runs
    )
    assert query("select distinct ratio, reasons from format_cost") == [(None, [why])]


@pytest.mark.parametrize(
    ("parts", "why"),
    [
        (
            {"cache": {"asked": "none", "reached": "drop"}},
            "other-cache",
        ),
        (
            {"durability": {"asked": "fsync", "reached": "none"}},
            "other-durability",
        ),
        (
            {"harness": {"name": "diskbench-core", "version": "0.2.0", "epoch": 2}},
            "other-epoch",
        ),
    ],
)
def test_what_was_reached_otherwise_is_not_compared(folders, query, parts, why):
    save(folders, runs=[1], **IMAGE)
    changed(folders, made_up.record(), **parts)
    assert query("select distinct ratio, reasons from format_cost") == [(None, [why])]


def test_other_blocks_are_not_compared(folders, query):
    save(folders, runs=[1], **IMAGE)
    save(folders, io={"block_bytes": 65_536, "cache": "none", "durability": "fsync"})
    assert query("select distinct reasons from format_cost") == [(["other-blocks"],)]


def test_a_file_that_the_machine_slept_through_leaves_other_files_on_the_two_sides(folders, query):
    save(folders, runs=[1], **IMAGE)
    native = made_up.record()
    native["samples"][0]["slept"] = True
    changed(folders, native)
    assert query("select op, reasons from format_cost order by op") == [
        ("read", ["slept"]),
        ("write", ["other-files"]),
    ]


def test_reads_that_may_be_memorys_have_neither_ratio_nor_verdict(folders, query):
    save(folders, per_byte(0.25), warnings=[made_up.WARM], **IMAGE)
    save(folders, per_byte(0.2), warnings=[])
    write, read = query(
        "select verdict, reasons, round(ratio, 6), notes from format_cost order by op desc"
    )
    assert write == ("slower", None, 0.8, None)
    why = ["read-from-memory"]
    assert read == ("not comparable", why, None, why)


def test_reads_that_may_be_memorys_on_both_sides_say_so_once(folders, query):
    save(folders, warnings=[made_up.WARM], **IMAGE)
    save(folders, warnings=[made_up.WARM])
    assert query("select verdict, reasons from format_cost where op = 'read'") == [
        ("not comparable", ["read-from-memory"])
    ]


def test_files_that_were_in_memory_are_not_comparable_in_either_direction(folders, query):
    save(folders, warnings=[made_up.IN_MEMORY], **IMAGE)
    save(folders, warnings=[made_up.IN_MEMORY])
    assert query("select distinct verdict, reasons from format_cost") == [
        ("not comparable", ["in-memory"])
    ]


@pytest.mark.parametrize("busy", ["native", "image"])
def test_a_busy_machine_in_either_cell_is_in_the_note(folders, query, busy):
    load = ["load was 3.00 before the cell: something else may have been running"]
    save(folders, per_byte(0.25), warnings=load if busy == "image" else [], **IMAGE)
    save(folders, per_byte(0.2), warnings=load if busy == "native" else [])
    assert query("select distinct verdict, notes from format_cost") == [("slower", ["busy"])]


def test_smoke_scale_has_neither_ratio_nor_verdict(folders, query):
    save(folders, per_byte(0.4), **IMAGE, scale="smoke")
    save(folders, per_byte(0.2), scale="smoke")
    why = ["smoke"]
    found = "select distinct ratio, ratio_low, p, verdict, reasons, notes from format_cost"
    assert query(found) == [(None, None, None, "not comparable", why, why)]


def test_an_encrypted_asif_image_is_marked_as_a_layout_of_our_own(folders, query):
    save(folders, **IMAGE | {"format": "ASIF", "encryption": "AES-256"})
    save(folders, **IMAGE | {"format": "ASIF"})
    save(folders, **IMAGE | {"encryption": "AES-256"})
    save(folders)
    marked = query(
        "select distinct format, encryption from format_cost where list_contains(notes, 'own-layout')"
    )
    assert marked == [("ASIF", "AES-256")]
    assert query("select count(*) from format_cost where notes is null") == [(4,)]


def test_a_disk_that_is_encrypted_itself_is_native_all_the_same(folders, query):
    save(folders, per_byte(0.4), **IMAGE)
    save(folders, per_byte(0.2), encryption="FileVault")
    assert query("select distinct round(ratio, 6), encryption from format_cost") == [(0.5, "none")]


def test_images_of_macos_are_none_of_this(folders, query):
    save(folders, format="UDSB", driver="apple")
    save(folders)
    assert query("select count(*) from format_cost") == [(0,)]


def test_a_cell_that_was_not_measured_has_no_row(folders, query):
    made_up.save(
        made_up.without_figures(made_up.record(**IMAGE), "failed", "it broke"), folders.runs
    )
    save(folders)
    assert query("select count(*) from format_cost") == [(0,)]


def test_a_direction_without_files_has_no_row(folders, query):
    for cell in ({}, IMAGE):
        made = made_up.record(**cell)
        made["samples"] = [sample for sample in made["samples"] if sample["op"] == "write"]
        changed(folders, made)
    assert query("select op from format_cost") == [("write",)]


def test_two_releases_are_compared_within_one_driver_only(folders, query):
    for driver in ("apple", "portable"):
        for release in ("macos-26.3.1-25D", "macos-26.4-25E"):
            save(folders, release=release, driver=driver, format="UDSB")
    rows = query("select driver, earlier_cell, later_cell from release_change")
    assert len(rows) == 4
    for driver, earlier, later in rows:
        assert f"/{driver}/" in earlier
        assert f"/{driver}/" in later
