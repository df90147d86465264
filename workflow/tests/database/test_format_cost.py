"""The cost of a format: our own image compared with the native cell of the same run, and reasons against it."""

import made_up
import numpy as np
import pytest
from scipy import stats

IMAGE = {"driver": "portable", "format": "UDSB"}


def runs(*shares):
    """Times of a run for each share of 5 GB/s, without noise and without any cost of a file."""
    return [made_up.steady(5 * share, 5 * share, per_file_ns=0) for share in shares]


NATIVE = runs(1, 1, 1)


def test_an_image_that_takes_five_quarters_of_the_native_time_has_four_fifths_of_its_speed(
    save, query
):
    # 53.3 GB at 0.25 ns a byte are 4 GB/s, at 0.2 ns a byte 5 GB/s; all runs are the same
    save(*runs(0.8, 0.8, 0.8), parts={"warnings": []}, **IMAGE)
    save(*NATIVE, parts={"warnings": []})
    rows = query("""
        select op, files, native_files, round(gbps, 9), round(native_gbps, 9),
            round(ratio, 9), round(ratio_low, 9), round(ratio_high, 9), verdict, reasons, notes
        from format_cost order by op""")
    assert rows == [
        (op, 480, 480, 4.0, 5.0, 0.8, 0.8, 0.8, "slower", None, None) for op in ("read", "write")
    ]


NIGHTS = {
    (-12, 0, 12): (3, "costs next to nothing", None),
    (13, -13, 24 * 45): (0, "not compared", ["other-night"]),
    # one repeat is left out
    (1, 1, 13): (2, "too few runs", None),
}


def test_native_files_of_another_night_are_not_compared(save, query):
    # a night at half the speed
    for number, hours in enumerate(NIGHTS):
        for repeat, later in enumerate(hours, start=1):
            cell = {"host": f"made-up-{number}", "repeat": repeat}
            save(*runs(1), parts=made_up.at(0), **cell)
            share = 1 if abs(later) <= 12 else 0.5
            save(*runs(share), parts=made_up.at(later), **IMAGE | cell)
    columns = "runs, verdict, reasons"
    found = query(f"select {columns} from format_cost where op = 'write' order by host")
    assert found == [*NIGHTS.values()]


# what runs have of the native speed
VERDICTS = {
    # up to five per cent are no cost, and only beyond ten is there one
    (0.9,) * 3: "slower",
    (0.92,) * 3: "no difference shown",
    (0.941,) * 3: "no difference shown",
    (0.96,) * 3: "costs next to nothing",
    (1.042,) * 3: "costs next to nothing",
    (1.058,) * 3: "no difference shown",
    (1.093,) * 3: "no difference shown",
    (1.111,) * 3: "faster",
    # Student's t with 2 degrees of freedom: the mean +- 4.30 x the standard deviation / sqrt(3)
    (0.90, 1.00, 1.11): "no difference shown",
    (1.00, 1.10, 1.21): "no difference shown",
    (0.99, 1.00, 1.01): "costs next to nothing",
    # 0.94 to 0.98 or so: less than 1 beyond doubt, by less than a tenth
    (0.950, 0.960, 0.970): "no difference shown",
    # 0.83 to 0.87
    (0.840, 0.850, 0.860): "slower",
}


def test_the_verdict_is_that_of_the_interval_between_runs(save, query):
    for number, shares in enumerate(VERDICTS):
        save(*runs(*shares), **IMAGE, host=f"made-up-{number:02}")
        save(*NATIVE, host=f"made-up-{number:02}")
    found = query("select host, verdict, ratio_low, ratio_high from format_cost where op = 'write' order by host")  # fmt: skip
    assert [row[1] for row in found] == [*VERDICTS.values()]
    for shares, (*_, low, high) in zip(VERDICTS, found, strict=True):
        logs = np.log(shares)
        reach = stats.t.ppf(0.975, 2) * logs.std(ddof=1) / 3**0.5
        assert np.log([low, high]) == pytest.approx(
            logs.mean() + np.array([-reach, reach]), abs=1e-4
        )


def test_one_of_many_ratios_that_differs_by_chance_is_not_reported(save, query):
    # runs differ by a quarter; one image of twelve lies at two thirds, its whole interval below 1 / 1.1
    forms, codes = ("UDRW", "UDSB", "ASIF", "UDSP"), ("none", "AES-128", "AES-256")
    images = [(form, coded) for form in forms for coded in codes]
    noise = np.random.default_rng(1).normal(0, 0.25, (len(images), 3))
    noise[0] = np.log([0.90, 0.50, 0.70])
    for shares, (form, coded) in zip(np.exp(noise), images, strict=True):
        save(*runs(*shares), driver="portable", format=form, encryption=coded)
    save(*NATIVE)
    # another release is another question
    save(*runs(0.9, 1.0, 1.2), **IMAGE, release="debian-13-6.12.1")
    save(*NATIVE, release="debian-13-6.12.1")
    found = query(
        "select p, p_adjusted, ratio_high < 1 / 1.1, verdict, format, encryption from format_cost "
        "where release like 'debian-12%' order by p"
    )
    # Holm: the smallest times the number of all; how it goes on is asked of release_change
    assert len(found) == 24
    assert found[0][1] == pytest.approx(min(1, 24 * found[0][0]))
    of_one = [row[:4] for row in found if row[4:] == ("UDRW", "none")]
    assert len(of_one) == 2
    for p, adjusted, beyond, verdict in of_one:
        assert p < 0.05 < adjusted
        assert (beyond, verdict) == (True, "no difference shown")


def test_native_runs_that_do_not_count_are_no_native_speed(save, query):
    # of three native runs one reaches the limit: the two slower ones are no sample of the disk, and the image
    # has half the speed of the fastest
    limit = {"ceiling": {"write_bytes_per_second": 10**10}}
    save(*runs(0.8, 0.8, 0.8), parts=limit, **IMAGE)
    save(*runs(0.8, 0.8, 1.6), parts=limit)
    found = query("select runs, round(ratio, 9), round(native_gbps, 9), verdict, reasons from format_cost where op = 'write'")  # fmt: skip
    assert found == [(1, None, 8.0, "not comparable", ["near-limit"])]


@pytest.mark.parametrize("status", [None, "failed", "skipped"])
def test_without_a_measured_native_cell_there_is_a_row_with_the_reason(
    folders, save, query, status
):
    save(**IMAGE)
    if status:
        native = made_up.without_figures(made_up.record(), status, "the disk was full")
        made_up.save(native, folders.runs)
        # nor does another repeat hide it
        save(repeat=2)
    rows = query("select native_cell is null, ratio, verdict, reasons from format_cost")
    why = f"native-{status}" if status else "no-native"
    assert rows == [(status is None, None, "not compared", [why])] * 2


@pytest.mark.parametrize(("measured", "failed"), [("none", "FileVault"), ("FileVault", "none")])
def test_of_two_native_cells_of_a_run_the_measured_one_is_compared(
    folders, save, query, measured, failed
):
    save(**IMAGE)
    save(encryption=measured)
    native = made_up.without_figures(made_up.record(encryption=failed), "failed", "it broke")
    made_up.save(native, folders.runs)
    found = query("select distinct split_part(native_cell, '/', 6), reasons from format_cost")
    assert found == [(f"native-{measured}", None)]


def test_a_file_that_the_machine_slept_through_leaves_other_files_on_the_two_sides(
    folders, save, query
):
    save(**IMAGE)
    native = made_up.record()
    native["samples"][0]["slept"] = True
    made_up.save(native, folders.runs)
    assert query("select op, reasons from format_cost order by op") == [
        ("read", ["slept"]),
        ("write", ["other-files"]),
    ]


def test_a_direction_that_the_machine_slept_through_has_its_row(folders, save, query):
    made = made_up.record(**IMAGE)
    for sample in made["samples"]:
        sample["slept"] = sample["op"] == "write"
    made_up.save(made, folders.runs)
    save()
    assert query("select op, ratio is null from format_cost order by op") == [
        ("read", True),
        ("write", True),
    ]


@pytest.mark.parametrize(
    ("image", "native", "read", "write"),
    [
        ([made_up.WARM], [], ("not comparable", ["read-from-memory"]), ("slower", None)),
        # on both sides it is said once
        ([made_up.WARM], [made_up.WARM], ("not comparable", ["read-from-memory"]), ("slower", None)),
        ([made_up.IN_MEMORY], [], *[("not comparable", ["in-memory"])] * 2),
    ],
)  # fmt: skip
def test_what_may_be_memorys_has_neither_ratio_nor_verdict(save, query, image, native, read, write):
    save(*runs(0.8, 0.8, 0.8), parts={"warnings": image}, **IMAGE)
    save(*NATIVE, parts={"warnings": native})
    found = query(
        "select verdict, reasons, ratio is null, p is null, notes from format_cost order by op"
    )
    expected = [(verdict, why, *[why is not None] * 2, why) for verdict, why in (read, write)]
    assert found == expected


@pytest.mark.parametrize("busy", ["native", "image"])
def test_a_busy_machine_in_either_cell_is_in_the_note(save, query, busy):
    load = ["load was 3.00 before the cell: something else may have been running"]
    save(*runs(0.8, 0.8, 0.8), parts={"warnings": load if busy == "image" else []}, **IMAGE)
    save(*NATIVE, parts={"warnings": load if busy == "native" else []})
    assert query("select distinct verdict, notes from format_cost") == [("slower", ["busy"])]


def test_an_encrypted_asif_image_is_marked_as_a_layout_of_our_own(save, query):
    quiet = {"warnings": []}
    save(**IMAGE | {"format": "ASIF", "encryption": "AES-256"}, parts=quiet)
    save(**IMAGE | {"format": "ASIF"}, parts=quiet)
    save(**IMAGE | {"encryption": "AES-256"}, parts=quiet)
    # a disk that is encrypted itself is native all the same
    save(encryption="FileVault", parts=quiet)
    assert query(
        "select distinct format, encryption, notes, ratio is null from format_cost order by all"
    ) == [
        ("ASIF", "AES-256", ["own-layout"], False),
        ("ASIF", "none", None, False),
        ("UDSB", "AES-256", None, False),
    ]


def test_what_is_no_measured_image_of_our_own_has_no_row(folders, save, query):
    save(format="UDSB", driver="apple")
    made = made_up.without_figures(made_up.record(**IMAGE), "failed", "it broke")
    made_up.save(made, folders.runs)
    # nor has a direction without files
    for cell in ({}, IMAGE | {"format": "UDRW"}):
        made = made_up.record(**cell)
        made["samples"] = [sample for sample in made["samples"] if sample["op"] == "write"]
        made_up.save(made, folders.runs)
    assert query("select format, op from format_cost") == [("UDRW", "write")]
