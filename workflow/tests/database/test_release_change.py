"""Changes between two releases: corrected for many comparisons, and beyond the variation of runs."""

import random
from types import SimpleNamespace

import made_up
import pytest

from database import load
from proofs import again

OLD, NEW, NEWEST = "macos-26.4-25E246", "macos-26.5-25F71", "macos-27.0-26A100"
FORMATS = ("UDRW", "UDSP", "UDSB", "ASIF")


def holm(values):
    """Holm's correction by its definition: step down through the sorted values."""
    order = sorted(range(len(values)), key=values.__getitem__)
    adjusted, highest = [0.0] * len(values), 0.0
    for step, index in enumerate(order):
        highest = max(highest, min(1.0, (len(values) - step) * values[index]))
        adjusted[index] = highest
    return adjusted


def corrected(query, pairs):
    """What release_change makes of pairs `(host, earlier, later, p, comparable)`, in their order."""
    query("delete from stg_release_pair; delete from stg_run_interval")
    for number, (host, earlier, later, p, comparable) in enumerate(pairs):
        query(
            """insert into stg_release_pair by name select ? as item, item as earlier_cell, 1 as repeat, 2.0 as earlier_gbps,
            4.0 as later_gbps, 0.7 as value, ? as host, ? as earlier_release, ? as later_release, ? as why_not_comparable""",
            f"{number:04}", host, earlier, later, None if comparable else ["smoke"],
        )  # fmt: skip
        for source in ("stg_release_pair", "stg_release_to_disk"):
            query(
                "insert into stg_run_interval values (?, 'family', ?, 3, ln(2), ln(1.9), ln(2.1), ?, 0.01, 4)",
                source, f"{number:04}", p,
            )  # fmt: skip
    load.make_anew(query.connection, load.sql_file(query.folders.sql, "release_change"))
    found = query("select p_adjusted, change, earlier_cell from release_change order by all")
    return [row[:2] for row in sorted(found, key=lambda row: row[2])]


def test_a_known_example_of_holms_correction(query):
    # four tests of 0.005, 0.01, 0.03, 0.04: times 4, 3, 2, 1, and never below the one before
    pairs = [("mac", OLD, NEW, p, True) for p in (0.01, 0.04, 0.03, 0.005)]
    found = corrected(query, pairs)
    assert [adjusted for adjusted, _ in found] == pytest.approx([0.03, 0.06, 0.06, 0.02])
    # one of twenty is the level
    assert [change for _, change in found] == ["faster", *["no change shown"] * 2, "faster"]


@pytest.mark.parametrize("seed", range(5))
def test_the_correction_agrees_with_its_definition(query, seed):
    drawn = random.Random(seed)
    values = [drawn.random() ** 6 for _ in range(40)]
    # equal values among them
    values += values[:5]
    found = [a for a, _ in corrected(query, [("mac", OLD, NEW, p, True) for p in values])]
    assert found == pytest.approx(holm(values))


def test_each_host_and_each_two_releases_are_a_family_of_their_own(query):
    pairs = [
        ("mac", OLD, NEW, 0.02, True),
        ("mac", OLD, NEW, 0.03, True),
        ("mac", NEW, NEWEST, 0.02, True),
        ("mac", OLD, NEWEST, 0.02, True),
        ("other", OLD, NEW, 0.02, True),
    ]
    found = [adjusted for adjusted, _ in corrected(query, pairs)]
    assert found == pytest.approx([0.04, 0.04, 0.02, 0.02, 0.02])


def test_pairs_without_a_p_or_not_comparable_count_for_nothing(query):
    pairs = [
        ("mac", OLD, NEW, 0.02, True),
        ("mac", OLD, NEW, None, True),
        ("mac", OLD, NEW, 0.001, False),
        ("mac", OLD, NEW, 0.04, True),
    ]
    assert corrected(query, pairs) == [
        (pytest.approx(0.04), "faster"),
        (None, "not judged"),
        (None, "not comparable"),
        (pytest.approx(0.04), "faster"),
    ]


def test_one_difference_of_many_is_not_a_change(query):
    # alone 0.03 would be one; beside nine others it is 0.3
    alone = [("mac", OLD, NEW, 0.03, True)]
    assert corrected(query, alone) == [(pytest.approx(0.03), "faster")]
    many = alone + [("mac", OLD, NEW, 0.9, True)] * 9
    assert corrected(query, many)[0] == (pytest.approx(0.3), "no change shown")


# how much three runs differ
RUNS = (0.99, 1.0, 1.01)


def measured(folders, release, write_gbps, runs=RUNS, **cell):
    """Runs of one cell and of the disk."""
    mac = {"host": "made-up-mac", "format": "UDSB", "driver": "apple", "release": release}
    return made_up.measure(folders.runs, write_gbps, runs, **(mac | cell))


WRITES = "from release_change where op = 'write' and format <> 'native'"


def test_an_image_that_is_slower_with_the_whole_machine_is_not_called_slower(folders, query):
    measured(folders, OLD, 4.0, disk=(8.0, 8.1, 7.9))
    measured(folders, NEW, 2.0, disk=(4.0, 3.95, 4.05))
    [(change, ratio, to_disk)] = query(f"select change, ratio, ratio_to_disk {WRITES}")
    assert change == "not beyond the disk"
    assert (ratio, to_disk) == (pytest.approx(0.5, rel=0.02), pytest.approx(1.0, rel=0.02))


def test_an_image_that_is_faster_by_less_than_the_disk_is_not_called_faster(folders, query):
    measured(folders, OLD, 4.0, disk=(4.0,) * 3)
    measured(folders, NEW, 6.0)
    [(change, ratio, to_disk)] = query(f"select change, ratio, ratio_to_disk {WRITES}")
    assert (ratio, to_disk) == (pytest.approx(1.5, rel=0.02), pytest.approx(0.75, rel=0.02))
    assert change == "not beyond the disk"


def test_a_disk_whose_runs_differ_makes_the_p_of_its_images_larger(folders, query):
    measured(folders, OLD, 4.0, disk=(4.0,) * 3)
    measured(folders, NEW, 4.8, runs=(1.0, 0.99, 1.01), disk=(3.0, 4.0, 5.0))
    [(p, low, high, alone)] = query(
        f"select p, ratio_to_disk_low, ratio_to_disk_high, ratio_low {WRITES}"
    )
    assert alone > 1.1
    # an interval of 95 % that holds 1 has a p above 5 %
    assert low < 1 < high
    assert p > 0.05


def test_each_state_of_an_image_is_compared_with_the_disk_in_that_state(folders, query):
    for release, disk in ((OLD, 8.0), (NEW, 4.0)):
        measured(folders, release, 4.0, disk=(8.0,) * 3)
        measured(folders, release, 4.0, disk=(disk,) * 3, phase="emptied")
    found = query(f"select phase, ratio_to_disk {WRITES} order by phase")
    assert found == [("emptied", pytest.approx(2, rel=0.02)), ("fresh", pytest.approx(1, rel=0.02))]


def test_an_image_that_keeps_its_speed_while_the_disk_halves_has_not_changed(folders, query):
    measured(folders, OLD, 4.0)
    measured(folders, NEW, 4.0, disk=(4.0,) * 3)
    [(change, to_disk)] = query(f"select change, ratio_to_disk {WRITES}")
    assert (change, to_disk) == ("no change shown", pytest.approx(2.0, rel=0.02))


@pytest.mark.parametrize("disk", [(), (8.0, 8.0)])
def test_without_the_disk_in_three_repeats_there_are_a_ratio_and_no_verdict(folders, query, disk):
    measured(folders, OLD, 4.0)
    measured(folders, NEW, 2.0, disk=disk)
    [(change, high, p)] = query(f"select change, ratio_high, p {WRITES}")
    assert (change, p) == ("not judged", None)
    assert high < 0.6


def test_the_disk_itself_is_not_judged(folders, query):
    measured(folders, OLD, 4.0)
    measured(folders, NEW, 4.0, disk=(2.0, 2.1, 2.05))
    found = query(
        "select change, ratio_to_disk from release_change where format = 'native' and op = 'write'"
    )
    assert found == [("not judged", None)]


def test_of_two_disks_neither_is_the_one_to_compare_with(folders, query):
    for release, gbps in ((OLD, 8.0), (NEW, 2.0)):
        measured(folders, release, gbps / 2)
        other = {"format": "native", "driver": "native", "encryption": "FileVault", "disk": ()}
        measured(folders, release, gbps, **other)
    assert query(f"select change {WRITES}") == [("not judged",)]


def test_a_disk_that_may_not_be_compared_is_none_to_compare_with(folders, query):
    measured(folders, OLD, 4.0)
    for repeat, share in enumerate(RUNS, start=1):
        unsynced = made_up.record(
            made_up.noisy(8.0 * share, 6.0, spread=0.02), release=NEW, host="made-up-mac", format="native",
            driver="native", encryption="none", repeat=repeat,
        )  # fmt: skip
        unsynced["durability"]["reached"] = "none"
        made_up.save(made_up.signed(unsynced), folders.runs)
    measured(folders, NEW, 2.0, disk=())
    assert query(f"select change {WRITES}") == [("not judged",)]


def test_a_disk_measured_in_another_epoch_is_none_to_compare_with(folders, query):
    for release, gbps in ((OLD, 4.0), (NEW, 2.0)):
        measured(folders, release, gbps, disk=())
        for repeat, share in enumerate(RUNS, start=1):
            older = made_up.record(
                made_up.noisy(8.0 * share, 6.0, spread=0.02), release=release, host="made-up-mac",
                format="native", driver="native", encryption="none", repeat=repeat,
            )  # fmt: skip
            older["harness"]["epoch"] -= 1
            made_up.save(made_up.signed(older), folders.runs)
    assert query(f"select change {WRITES}") == [("not judged",)]


@pytest.mark.parametrize(
    ("later_gbps", "change"),
    [
        (4.0, "no change shown"),
        (4.3, "no change shown"),
        (3.75, "no change shown"),
        (4.8, "faster"),
        (3.2, "slower"),
    ],
)
def test_a_change_is_more_than_ten_per_cent(folders, query, later_gbps, change):
    # runs in another order, so that the ratios of the repeats differ
    measured(folders, OLD, 4.0)
    measured(folders, NEW, later_gbps, runs=(0.995, 1.005, 1.0))
    [(found, p, runs)] = query(f"select change, p_adjusted, runs {WRITES}")
    assert (found, runs) == (change, 3)
    # 4.3 differs beyond doubt from 4.0, and is no change all the same
    assert (p < 0.05) == (later_gbps != 4.0)


@pytest.mark.parametrize("runs", [1, 2])
def test_with_fewer_than_three_runs_there_is_a_ratio_and_no_verdict(folders, query, runs):
    measured(folders, OLD, 4.0, runs=RUNS[:runs])
    measured(folders, NEW, 8.0)
    [(change, ratio, low, high, p, counted)] = query(
        f"select change, ratio, ratio_low, ratio_high, p, runs {WRITES}"
    )
    assert change == "too few runs"
    assert ratio == pytest.approx(2, rel=0.01)
    assert (low, high, p, counted) == (None, None, None, runs)


def test_runs_that_differ_by_a_quarter_show_no_change_of_a_fifth(folders, query):
    measured(folders, OLD, 4.0, runs=(0.9, 1.0, 1.12))
    measured(folders, NEW, 4.8, runs=(1.1, 0.88, 1.0))
    # another image of the same host has steady runs, and shares little of that
    measured(folders, OLD, 4.0, format="ASIF", runs=(1.0, 1.0, 1.0))
    measured(folders, NEW, 8.0, format="ASIF", runs=(1.0, 1.0, 1.0))
    found = query(f"select format, change {WRITES} order by format")
    assert found == [("ASIF", "faster"), ("UDSB", "no change shown")]


def test_the_whole_interval_has_to_lie_beyond_the_least_change(folders, query):
    measured(folders, OLD, 4.0)
    measured(folders, NEW, 4.45, runs=(1.0, 1.01, 0.99))
    [(low, ratio, high, change)] = query(f"select ratio_low, ratio, ratio_high, change {WRITES}")
    assert low < 1.1 < ratio < high
    assert change == "no change shown"


@pytest.mark.parametrize(("later_gbps", "change"), [(3.632, "no change shown"), (3.615, "slower")])
def test_slower_is_below_one_over_the_least_change(folders, query, later_gbps, change):
    # a tenth more time is 1 / 1.1 of the speed: 0.909, and not 0.9
    measured(folders, OLD, 4.0)
    measured(
        folders,
        NEW,
        later_gbps,
        runs=[share * nudge for share, nudge in zip(RUNS, NUDGES, strict=True)],
    )
    [(ratio, high, found)] = query(f"select ratio, ratio_high, change {WRITES}")
    assert 0.9 < ratio < 1 / 1.1
    assert (high < 1 / 1.1) == (change == "slower")
    assert found == change


NUDGES = (1.0, 1.001, 0.999)


def test_an_incomparable_run_is_ignored_if_there_are_others(folders, query):
    measured(folders, OLD, 4.0, runs=(1.0, *RUNS))
    measured(folders, NEW, 4.0, runs=(1.0, *RUNS))
    unsynced = measured(folders, NEW, 9.0, runs=(1.0,))
    unsynced["durability"]["reached"] = "none"
    made_up.save(made_up.signed(unsynced), folders.runs)
    [(runs, ratio, change)] = query(f"select runs, ratio, change {WRITES}")
    assert (runs, change) == (3, "no change shown")
    assert ratio == pytest.approx(1)


def test_the_benchmark_of_repeated_runs_knows_the_disk_by_its_format(folders, query):
    measured(folders, OLD, 4.0)
    found = again._runs(SimpleNamespace(query=query))
    disk, image = sorted({cell for cell, _ in found}, key=len)
    assert (disk, image.endswith("/UDSB-none/fresh")) == ("native", True)
    assert found[disk, "write"] == pytest.approx(dict.fromkeys((1, 2, 3), 8.0), rel=0.02)


def test_with_one_release_there_is_nothing_to_compare(folders, query):
    measured(folders, OLD, 4.0)
    assert query("select count(*) from release_change") == [(0,)]


def test_three_releases_give_three_families(folders, query):
    for release, speed in ((OLD, 4.0), (NEW, 4.0), (NEWEST, 2.0)):
        measured(folders, release, speed)
    found = query(f"select earlier_release, later_release, change, consecutive {WRITES}")
    assert found == [
        (OLD, NEW, "no change shown", True),
        (OLD, NEWEST, "slower", False),
        (NEW, NEWEST, "slower", True),
    ]


def test_smoke_scale_is_not_comparable(folders, query):
    measured(folders, OLD, 4.0, scale="smoke")
    measured(folders, NEW, 8.0, scale="smoke")
    found = query(f"select change, ratio, ratio_low, p_adjusted, why_not_comparable {WRITES}")
    assert found == [("not comparable", None, None, None, ["smoke"])]


def test_published_figures_of_two_releases_are_paired_with_their_caveats(query):
    # encryption-2026 has 1.58 GB/s under 26.3.1, recalls 4.3 of 26.0; vm-2026 has 1.59 under 26.4
    found = query(
        """
        select earlier_macos, later_macos, earlier_gbps, later_gbps, ratio, doubts
        from release_published
        where host = 'mac-mini-m4-pro' and format = 'UDRW' and encryption = 'AES-256' and op = 'write'
        order by all
        """
    )
    assert [row[:4] for row in found] == [
        ("26.0", "26.3.1 (a)", 4.3, 1.58),
        ("26.0", "26.4", 4.3, 1.59),
        ("26.3.1 (a)", "26.4", 1.58, 1.59),
    ]
    assert [row[4] for row in found] == pytest.approx([1.58 / 4.3, 1.59 / 4.3, 1.59 / 1.58])
    assert "26.0: recalled in the article of March 2026" in found[0][5]
    assert "APFS Encrypted" in found[0][5]


def test_the_mac_studio_of_2022_is_paired_with_that_of_2024(query):
    found = query(
        """
        select distinct earlier_macos, later_macos, earlier_gbps, later_gbps from release_published
        where host = 'mac-studio-m1-max' and format = 'UDSP' and encryption = 'none' and op = 'write'
        """
    )
    assert ("12.4", "15.0.1", 0.9, 2.0) in found
