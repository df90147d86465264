"""What a format costs: an image of our own driver against the native cell beside it, and what keeps them apart."""

import math

import made_up
import numpy as np
import pytest
from scipy import stats

from database.format_ratios import ratio
from database.statistics import Files

WARM = "0.27 GB were read that fit into memory and had not been dropped from it: these reads may be memory's"
IMAGE = {"driver": "portable", "format": "UDSB"}


def per_byte(ns_for_each_byte):
    """Times without noise and without any cost of a file."""
    return lambda op, order, size: round(size * ns_for_each_byte)


def save(folders, time=None, warnings=None, **cell):
    made = made_up.record(time, **cell) | {"warnings": warnings or []}
    made_up.save(made_up.signed(made), folders.runs)
    return made


def changed(folders, made, **parts):
    made_up.save(made_up.signed(made | parts), folders.runs)


def test_an_image_that_takes_five_quarters_of_the_native_time_has_four_fifths_of_its_speed(
    folders, query
):
    # 53.3 GB at 0.25 ns a byte are 4 GB/s, at 0.2 ns a byte 5 GB/s; without noise every resample gives the same
    save(folders, per_byte(0.25), **IMAGE)
    save(folders, per_byte(0.2))
    rows = query("""
        select op, files, native_files, round(gbps, 9), round(native_gbps, 9),
            round(ratio, 9), round(ratio_low, 9), round(ratio_high, 9), verdict, reason, note
        from format_cost order by op""")
    assert rows == [
        (op, 160, 160, 4.0, 5.0, 0.8, 0.8, 0.8, "slower", None, None) for op in ("read", "write")
    ]


@pytest.mark.parametrize(
    ("ns_for_each_byte", "verdict"),
    [
        (0.4, "slower"),  # ratio 0.5
        (0.2125, "slower"),  # 0.941
        (0.2083, "costs nothing measurable"),  # 0.960
        (0.2, "costs nothing measurable"),
        (0.192, "costs nothing measurable"),  # 1.042
        (0.189, "faster"),  # 1.058
    ],
)
def test_a_cost_of_up_to_five_per_cent_is_none_that_could_be_measured(
    folders, query, ns_for_each_byte, verdict
):
    save(folders, per_byte(ns_for_each_byte), **IMAGE)
    save(folders, per_byte(0.2))
    assert query("select distinct outcome, verdict from format_cost") == [(verdict, verdict)]


@pytest.mark.parametrize(("native", "above"), [(0.32, False), (0.38, True)])
def test_an_interval_that_holds_one_and_reaches_beyond_five_per_cent_decides_nothing(
    folders, query, native, above
):
    # the largest files decide, and here they take between half and thrice the time
    def unsteady(op, order, size):
        return round(size * 0.2 * (0.5 + order * 7919 % 101 / 40))

    save(folders, unsteady, **IMAGE)
    save(folders, per_byte(native))
    for middle, low, high, verdict in query(
        "select ratio, ratio_low, ratio_high, verdict from format_cost"
    ):
        assert low < 1 < high
        assert (middle > 1) == above
        assert high - low > 0.1
        assert verdict == (
            "inconclusive: the interval of the ratio holds 1, and reaches beyond 5 % of it"
        )


def test_an_interval_that_lies_only_partly_within_five_per_cent_is_slower_when_it_is_below_one():
    # 0.94 to 0.98 or so: less than one for sure, more than five per cent perhaps
    dice = np.random.default_rng(1)
    native = Files("native", "write", np.full(100, 1000), np.full(100, 1000))
    ours = Files("ours", "write", np.full(100, 1000), dice.integers(800, 1290, 100))
    found = ratio(ours, native)
    assert found.low < 0.95 < found.high < 1


def files(name, sizes, dice, ns_for_each_byte, spread):
    times = sizes * ns_for_each_byte * np.exp(dice.normal(0, spread, len(sizes)))
    return Files(name, "write", sizes, np.maximum(times.astype(int), 1))


def test_the_interval_is_that_of_scipys_bootstrap_where_all_files_have_one_size():
    dice = np.random.default_rng(7)
    sizes = np.full(60, 1_000_000)
    ours, native = (
        files("ours", sizes, dice, 0.3, 0.3),
        files("native", sizes, dice, 0.2, 0.2),
    )
    expected = stats.bootstrap(
        (ours.elapsed_ns, native.elapsed_ns),
        lambda x, y, axis: y.mean(axis=axis) / x.mean(axis=axis),
        n_resamples=20_000,
        method="percentile",
        vectorized=True,
        rng=np.random.default_rng(1),
    ).confidence_interval
    found = ratio(ours, native)
    assert found.value == native.elapsed_ns.sum() / ours.elapsed_ns.sum()
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=0.02)


def test_the_interval_is_that_of_the_spread_within_each_size():
    # the delta method: the variance of a side's total time is the sum over its sizes of count x variance;
    # Student's t by Satterthwaite, for few files of the largest sizes hold most of it
    dice = np.random.default_rng(11)
    sizes = np.repeat(np.array(made_up.SIZES_MB) * 1_000_000, 10)
    ours, native = (
        files("ours", sizes, dice, 0.3, 0.2),
        files("native", sizes, dice, 0.2, 0.1),
    )
    parts = [
        10
        * np.var(side.elapsed_ns[side.size_bytes == size], ddof=1)
        / float(side.elapsed_ns.sum()) ** 2
        for side in (ours, native)
        for size in set(sizes.tolist())
    ]
    degrees = sum(parts) ** 2 / sum(part**2 / 11 for part in parts) - 2
    reach = stats.t.ppf(0.975, degrees) * math.sqrt(sum(parts))
    found = ratio(ours, native)
    assert math.log(found.high / found.low) == pytest.approx(2 * reach, rel=0.06)
    # resampling over all sizes alike would make it wider: a draw with more of the 2 GB files takes longer
    assert math.log(found.high / found.low) < 0.25


def test_the_same_records_give_the_same_interval():
    dice = np.random.default_rng(3)
    sizes = np.repeat([1000, 2000], 20)
    pair = files("ours", sizes, dice, 30, 0.2), files("native", sizes, dice, 20, 0.1)
    assert ratio(*pair) == ratio(*pair)


def test_where_each_size_has_one_file_there_is_a_ratio_and_no_interval(folders, query):
    save(folders, per_byte(0.4), **IMAGE, scale="tenth")
    save(folders, per_byte(0.2), scale="tenth")
    rows = query("select round(ratio, 6), ratio_low, ratio_high, verdict from format_cost")
    assert rows == [
        (
            0.5,
            None,
            None,
            "inconclusive: one file of each size: nothing to resample for an interval",
        )
    ] * 2  # fmt: skip


def test_without_a_native_cell_there_is_a_row_that_says_so(folders, query):
    save(folders, **IMAGE)
    rows = query("select native_cell, ratio, outcome, verdict, reason from format_cost")
    why = "no native cell was measured beside it"
    assert rows == [(None, None, "not compared", f"not compared: {why}", why)] * 2


@pytest.mark.parametrize(
    "other",
    [
        {"host": "made-up-other"},
        {"release": "debian-13-6.12.1"},
        {"storage": "usb4-980pro"},
        {"protocol": "remounted"},
        {"scale": "half"},
        {"phase": "emptied"},
        {"repeat": 2},
    ],
)
def test_only_the_native_cell_of_the_same_run_counts(folders, query, other):
    save(folders, **IMAGE)
    save(folders, **other)
    assert query("select distinct native_cell, outcome from format_cost") == [
        (None, "not compared")
    ]


@pytest.mark.parametrize(
    ("status", "complaint"),
    [
        ("failed", "the native cell failed: the disk was full"),
        ("skipped", "the native cell was skipped: the disk was full"),
    ],
)
def test_a_native_cell_that_was_not_measured_is_the_reason(folders, query, status, complaint):
    save(folders, **IMAGE)
    made_up.save(
        made_up.without_figures(made_up.record(), status, "the disk was full"), folders.runs
    )
    assert query("select distinct ratio, reason from format_cost") == [(None, complaint)]


@pytest.mark.parametrize(
    ("parts", "complaint"),
    [
        (
            {"cache": {"asked": "none", "reached": "drop"}},
            "cache mode none, native drop",
        ),
        (
            {"durability": {"asked": "fsync", "reached": "none"}},
            "durability fsync, native none",
        ),
        (
            {"harness": {"name": "diskbench-core", "version": "0.2.0", "epoch": 2}},
            "harness of epoch 1, native 2",
        ),
    ],
)
def test_what_was_reached_otherwise_is_not_compared(folders, query, parts, complaint):
    save(folders, **IMAGE)
    changed(folders, made_up.record(), **parts)
    assert query("select distinct ratio, reason from format_cost") == [(None, complaint)]


def test_other_blocks_are_not_compared(folders, query):
    save(folders, **IMAGE)
    save(folders, io={"block_bytes": 65_536, "cache": "none", "durability": "fsync"})
    assert query("select distinct reason from format_cost") == [
        ("blocks of 1048576 bytes, native 65536",)
    ]


def test_a_file_that_the_machine_slept_through_leaves_other_files_on_the_two_sides(folders, query):
    save(folders, **IMAGE)
    native = made_up.record()
    native["samples"][0]["slept"] = True
    changed(folders, native)
    assert query("select op, reason from format_cost order by op") == [
        ("read", None),
        ("write", "not the same files: 160, native 159"),
    ]


def test_reads_that_may_be_memorys_keep_their_ratio_and_earn_no_verdict(folders, query):
    save(folders, per_byte(0.25), warnings=[WARM], **IMAGE)
    save(folders, per_byte(0.2), warnings=[])
    write, read = query(
        "select outcome, verdict, round(ratio, 6), note from format_cost order by op desc"
    )
    assert write == ("slower", "slower", 0.8, None)
    why = "image: reads may have come from memory"
    assert read == ("not comparable", f"not comparable: {why}", 0.8, why)


def test_reads_that_may_be_memorys_on_both_sides_say_so_once(folders, query):
    save(folders, warnings=[WARM], **IMAGE)
    save(folders, warnings=[WARM])
    assert query("select verdict, note from format_cost where op = 'read'") == [
        (
            "not comparable: both: reads may have come from memory",
            "reads may have come from memory",
        )
    ]


def test_files_that_were_in_memory_are_not_comparable_in_either_direction(folders, query):
    words = "the files were in memory, not on a disk: the figures are memory's"
    save(folders, warnings=[words], **IMAGE)
    save(folders, warnings=[words])
    assert query("select distinct verdict from format_cost") == [
        ("not comparable: both: the files were in memory, not on a disk",)
    ]


@pytest.mark.parametrize("busy", ["native", "image"])
def test_a_machine_that_was_busy_beside_either_cell_stands_in_the_note(folders, query, busy):
    load = ["load was 3.00 before the cell: something else may have been running"]
    save(folders, per_byte(0.25), warnings=load if busy == "image" else [], **IMAGE)
    save(folders, per_byte(0.2), warnings=load if busy == "native" else [])
    assert query("select distinct verdict, note from format_cost") == [
        ("slower", "something else may have been running beside one of the two cells")
    ]


def test_smoke_scale_has_its_verdict_and_a_note(folders, query):
    save(folders, per_byte(0.4), **IMAGE, scale="smoke")
    save(folders, per_byte(0.2), scale="smoke")
    assert query("select distinct verdict, note from format_cost") == [
        ("slower", "smoke scale only shows that everything works")
    ]


def test_an_encrypted_asif_image_is_marked_as_a_layout_of_our_own(folders, query):
    save(folders, **IMAGE | {"format": "ASIF", "encryption": "AES-256"})
    save(folders, **IMAGE | {"format": "ASIF"})
    save(folders, **IMAGE | {"encryption": "AES-256"})
    save(folders)
    marked = query(
        "select distinct format, encryption from format_cost where contains(note, 'layout of our own')"
    )
    assert marked == [("ASIF", "AES-256")]
    assert query("select count(*) from format_cost where note is null") == [(4,)]


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


def test_measured_speed_keeps_two_drivers_in_rows_of_their_own(folders, query):
    save(folders, per_byte(0.2), driver="apple", format="UDSB")
    save(folders, per_byte(0.4), driver="portable", format="UDSB")
    assert query(
        "select driver, round(total_gbps, 6), files from measured_speed where op = 'write' order by all"
    ) == [("apple", 5.0, 160), ("portable", 2.5, 160)]
