"""Changes between two releases: corrected for many comparisons, and beyond the variation of runs."""

from types import SimpleNamespace

import made_up
import pytest
from asked import make_anew

from database import load
from proofs import again

OLD, NEW, NEWEST = "macos-26.4-25E246", "macos-26.5-25F71", "macos-27.0-26A100"


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
    make_anew(query.connection, load.sql_file(query.folders.sql, "release_change"))
    found = query("select p_adjusted, change, earlier_cell from release_change order by all")
    return [row[:2] for row in sorted(found, key=lambda row: row[2])]


def test_the_correction_is_holms(query):
    # the smallest of six times six, the next one times five, ...: none below the one before it, and none above 1
    values = {0.03: 0.1, 0.004: 0.024, 0.02: 0.1, 0.9: 1, 0.6: 1}
    pairs = [("mac", OLD, NEW, p, True) for p in (*values, 0.02)]
    # alone 0.03 would be a change, and here it is none
    assert corrected(query, pairs) == [
        (pytest.approx(adjusted), "faster" if adjusted < 0.05 else "no change shown")
        for adjusted in (*values.values(), 0.1)
    ]


def test_families_are_corrected_by_themselves_and_pairs_without_a_verdict_count_for_none(query):
    pairs = [
        ("mac", OLD, NEW, 0.02, True),
        ("mac", OLD, NEW, None, True),
        ("mac", OLD, NEW, 0.001, False),
        ("mac", OLD, NEW, 0.03, True),
        ("mac", NEW, NEWEST, 0.02, True),
        ("mac", OLD, NEWEST, 0.02, True),
        ("other", OLD, NEW, 0.02, True),
    ]
    twice, once = ((pytest.approx(p), "faster") for p in (0.04, 0.02))
    assert corrected(query, pairs) == [
        twice,
        (None, "not judged"),
        (None, "not comparable"),
        twice,
        *[once] * 3,
    ]


RUNS = made_up.RUNS
# as much, in another order
OTHERWISE = (0.995, 1.005, 1.0)


@pytest.fixture
def measured(folders):
    """Saves runs of one cell of a release, and of the disk."""
    mac = {"host": "made-up-mac", "format": "UDSB", "driver": "apple"}
    return lambda release, write_gbps, runs=RUNS, **cell: made_up.measure(
        folders.runs, write_gbps, runs, **mac | {"release": release} | cell
    )


WRITES = "from release_change where op = 'write' and format <> 'native'"


@pytest.mark.parametrize(
    ("earlier", "later", "ratio", "to_disk", "change"),
    [
        # slower, or faster by less, with the whole machine
        ((4.0, (8.0, 8.1, 7.9)), (2.0, (4.0, 3.95, 4.05)), 0.5, 1.0, "not beyond the disk"),
        ((4.0, (4.0,) * 3), (6.0, (8.0,) * 3), 1.5, 0.75, "not beyond the disk"),
        # as fast as before, while the disk halves
        ((4.0, (8.0,) * 3), (4.0, (4.0,) * 3), 1.0, 2.0, "no change shown"),
    ],
)
def test_an_image_has_changed_only_beyond_the_disk(
    measured, query, earlier, later, ratio, to_disk, change
):
    for release, (gbps, disk) in ((OLD, earlier), (NEW, later)):
        measured(release, gbps, disk=disk)
    [found] = query(f"select change, ratio, ratio_to_disk {WRITES}")
    assert found == (change, pytest.approx(ratio, rel=0.02), pytest.approx(to_disk, rel=0.02))
    # the disk itself is not judged
    assert query("select distinct change, ratio_to_disk from release_change where format = 'native'") == [
        ("not judged", None)
    ]  # fmt: skip


def test_a_disk_whose_runs_differ_makes_the_p_of_its_images_larger(measured, query):
    measured(OLD, 4.0, disk=(4.0,) * 3)
    measured(NEW, 4.8, runs=(1.0, 0.99, 1.01), disk=(3.0, 4.0, 5.0))
    [(p, low, high, alone)] = query(
        f"select p, ratio_to_disk_low, ratio_to_disk_high, ratio_low {WRITES}"
    )
    assert alone > 1.1
    # an interval of 95 % that holds 1 has a p above 5 %
    assert low < 1 < high
    assert p > 0.05


def test_each_state_of_an_image_is_compared_with_the_disk_in_that_state(measured, query):
    for release, disk in ((OLD, 8.0), (NEW, 4.0)):
        measured(release, 4.0, disk=(8.0,) * 3)
        measured(release, 4.0, disk=(disk,) * 3, phase="emptied")
    found = query(f"select phase, ratio_to_disk {WRITES} order by phase")
    assert found == [("emptied", pytest.approx(2, rel=0.02)), ("fresh", pytest.approx(1, rel=0.02))]


DISK = {"format": "native", "driver": "native", "disk": ()}


def at(hours):
    return {"parts": made_up.at(hours)}


NIGHTS = [(side, hours) for side in (OLD, NEW) for hours in (-13, -11, 11, 13)]


def test_the_disk_of_another_night_is_not_that_of_the_image(measured, query):
    # a night at half the speed: the image was measured in it, and the disk in it, or in another one
    for number, (side, hours) in enumerate(NIGHTS):
        host = {"host": f"made-up-{number}"}
        for release, gbps in ((OLD, 8.0), (NEW, 4.0)):
            measured(release, gbps, disk=(), **at(0), **host)
            measured(release, 8.0, **DISK | at(hours if release == side else 0) | host)
    found = query(f"select change {WRITES} order by host")
    assert found == [("slower" if abs(hours) < 12 else "not judged",) for _, hours in NIGHTS]


FILEVAULT = {"encryption": "FileVault"}
UNSYNCED = {"parts": {"durability": {"reached": "none"}}}
OTHER_EPOCH = {"parts": {"harness": {"epoch": 2}}}
OTHER_DISK = {"parts": {"host": {"storage": {"bus": "usb"}}}}
SMALL_BLOCKS = {"io": {"block_bytes": 4096}}


# of the earlier and of the later release
NO_DISK = [
    ([{}], []),
    ([{}], [{"runs": RUNS[:2]}]),
    # of two disks neither is the one
    ([{}, FILEVAULT], [{}, FILEVAULT]),
    ([{}], [UNSYNCED]),
    *(([other], [other]) for other in (OTHER_EPOCH, OTHER_DISK, SMALL_BLOCKS)),
]


def test_without_a_disk_to_compare_with_there_are_a_ratio_and_no_verdict(measured, query):
    for number, (earlier, later) in enumerate(NO_DISK):
        host = {"host": f"made-up-{number}"}
        for release, gbps, disks in ((OLD, 4.0, earlier), (NEW, 2.0, later)):
            measured(release, gbps, disk=(), **host)
            for disk in disks:
                measured(release, 2 * gbps, **DISK | disk | host)
    found = query(f"select change, p, ratio_high < 0.6 {WRITES}")
    assert found == [("not judged", None, True)] * len(NO_DISK)


# the later speed after 4 GB/s, its runs, and the change
CHANGES = [
    (4.0, OTHERWISE, "no change shown"),
    # differs beyond doubt, by less than a tenth
    (4.3, OTHERWISE, "no change shown"),
    (3.75, OTHERWISE, "no change shown"),
    (4.8, OTHERWISE, "faster"),
    (3.2, OTHERWISE, "slower"),
    # the whole interval has to lie beyond a tenth
    (4.45, (1.0, 1.01, 0.99), "no change shown"),
    # a tenth more time is 1 / 1.1 of the speed: 0.909, and not 0.9
    (3.632, (0.99, 1.001, 1.00899), "no change shown"),
    (3.615, (0.99, 1.001, 1.00899), "slower"),
]


def test_a_change_is_more_than_ten_per_cent(measured, query):
    for number, (later_gbps, runs, _) in enumerate(CHANGES):
        measured(OLD, 4.0, host=f"made-up-{number}")
        measured(NEW, later_gbps, runs, host=f"made-up-{number}")
    found = query(f"select change, ratio_low, ratio_high, p_adjusted, runs {WRITES} order by host")
    for (later_gbps, _, expected), (change, low, high, p, runs) in zip(CHANGES, found, strict=True):
        assert (change, runs) == (expected, 3), later_gbps
        assert (low > 1.1, high < 1 / 1.1) == (change == "faster", change == "slower")
        assert (p < 0.05) == (later_gbps != 4.0)


@pytest.mark.parametrize(("seconds", "change"), [(6, "not comparable"), (4, "slower")])
def test_the_mean_of_the_runs_decides_whether_a_speed_depends_on_the_statistic(
    measured, save, query, seconds, change
):
    # one file of 2 GB in one of three runs takes that long instead of 0.5 s; all take 13.4 s: bytes / time
    # is 1 / 1.41 or 1 / 1.26 in that run, and 0.89 or 0.93 as the mean of three
    measured(OLD, 4.0)
    measured(NEW, 2.0)
    usual = made_up.noisy(4.0, 6.0, spread=0.02)

    def one_slow(op, order, size):
        slow = op == "write" and order <= 16 and size == 2_000_000_000
        return seconds * 10**9 if slow else usual(op, order, size)

    save(one_slow, host="made-up-mac", format="UDSB", driver="apple", release=OLD)
    assert query(f"select change {WRITES}") == [(change,)]
    [(differs,)] = query(
        f"select count(*) from measured_speed where release = '{OLD}' and statistics_differ is not null"
    )
    assert differs == 1


def test_a_stand_in_is_no_measurement_of_a_release(measured, query):
    measured(OLD, 4.0)
    measured(NEW, 4.0, parts={"host": {"stand_in": True}})
    assert query("select count(*) from release_change") == [(0,)]


def test_the_benchmark_of_repeated_runs_knows_the_disk_by_its_format(measured, query):
    measured(OLD, 4.0)
    found = again._runs(SimpleNamespace(query=query))
    disk, image = sorted({cell for cell, _ in found}, key=len)
    assert (disk, image.endswith("/UDSB-none/fresh")) == ("native", True)
    assert found[disk, "write"] == pytest.approx(dict.fromkeys((1, 2, 3), 8.0), rel=0.02)
    # and with one release there is nothing to compare
    assert query("select count(*) from release_change") == [(0,)]


BYPASSED = {"parts": {"cache": {"asked": "bypass", "reached": "bypass"}}}
ONE_RUN = {"runs": RUNS[:1]}
BETA, LAST_BETA = "macos-27.0-26A5100a", "macos-27.0-26A5200a"
LATER = "macos-27.1-26B50"
FEW, SAME = "too few runs", "no change shown"
# what was measured of each release, and the consecutive pairs
CONSECUTIVE = [
    # a release without a verdict hides none on the release before: of one run, in another way, without native files
    (
        [(OLD, 4.0, {}), (NEW, 4.0, ONE_RUN), (NEWEST, 2.0, {})],
        [(OLD, NEW, FEW), (OLD, NEWEST, "slower"), (NEW, NEWEST, FEW)],
    ),
    (
        [(OLD, 4.0, {}), (NEW, 4.0, BYPASSED), (NEWEST, 2.0, {})],
        [(OLD, NEW, "not comparable"), (OLD, NEWEST, "slower"), (NEW, NEWEST, "not comparable")],
    ),
    (
        [(OLD, 4.0, {}), (NEW, 4.0, {"disk": ()}), (NEWEST, 2.0, {})],
        [(OLD, NEW, "not judged"), (OLD, NEWEST, "slower"), (NEW, NEWEST, "not judged")],
    ),
    # betas stand between no release and the one before it: a tenth and less each time, a third in all
    (
        [(OLD, 4.0, {}), (BETA, 3.7, {}), (LAST_BETA, 3.4, {}), (NEWEST, 2.7, {}), (LATER, 2.7, {})],
        [(OLD, BETA, SAME), (OLD, NEWEST, "slower"), (BETA, LAST_BETA, SAME), (NEWEST, LATER, SAME)],
    ),
    # a release is compared with its last beta if no release gives a verdict
    (
        [(BETA, 4.0, {}), (LAST_BETA, 4.0, {}), (NEWEST, 4.0, {})],
        [(BETA, LAST_BETA, SAME), (LAST_BETA, NEWEST, SAME)],
    ),
    (
        [(OLD, 4.0, ONE_RUN), (BETA, 4.0, {}), (LAST_BETA, 4.0, {}), (NEWEST, 4.0, {})],
        [(OLD, BETA, FEW), (OLD, NEWEST, FEW), (BETA, LAST_BETA, SAME), (LAST_BETA, NEWEST, SAME)],
    ),
    # without any verdict with the release before, and with no beta
    (
        [(release, 4.0, ONE_RUN) for release in (OLD, NEW, BETA, LAST_BETA, NEWEST)],
        [(OLD, NEW, FEW), (NEW, BETA, FEW), (NEW, NEWEST, FEW), (BETA, LAST_BETA, FEW)],
    ),
]  # fmt: skip


def test_a_release_is_compared_with_the_one_before_it(measured, query):
    for number, (releases, _) in enumerate(CONSECUTIVE):
        for release, gbps, how in releases:
            measured(release, gbps, host=f"made-up-{number}", **how)
    for number, (_, pairs) in enumerate(CONSECUTIVE):
        found = query(
            f"select earlier_release, later_release, change {WRITES} and consecutive and host = ?",
            f"made-up-{number}",
        )
        assert found == pairs, number


def test_a_release_on_which_a_cell_failed_does_not_hide_figures_of_the_one_before(
    folders, measured, query
):
    for release in (OLD, NEWEST):
        measured(release, 4.0, **ONE_RUN)
    failed = made_up.record(host="made-up-mac", format="UDSB", driver="apple", release=NEW)
    made_up.save(made_up.without_figures(failed, "failed", "it broke"), folders.runs)
    found = query(
        f"select earlier_release, change {WRITES} and consecutive and later_release = '{NEWEST}'"
    )
    assert (OLD, FEW) in found


def test_a_verdict_on_one_image_of_a_release_hides_none_on_another(measured, query):
    for release in (OLD, NEW, NEWEST):
        measured(release, 4.0)
        measured(release, 4.0, RUNS[:1] if release == NEW else RUNS, format="ASIF", disk=())
    skipped = query(f"select distinct format {WRITES} and not consecutive")
    assert skipped == [("UDSB",)]


@pytest.mark.parametrize("runs", [1, 3])
def test_the_disk_itself_is_compared_with_the_last_release_of_enough_runs(measured, query, runs):
    for release in (OLD, NEW, NEWEST):
        measured(release, 8.0, RUNS[:runs] if release == NEW else RUNS, **DISK)
    found = query("""
        select earlier_release, later_release from release_change
        where op = 'write' and consecutive order by all
    """)  # fmt: skip
    across = [(OLD, NEWEST)] if runs == 1 else []
    assert found == sorted([(OLD, NEW), (NEW, NEWEST), *across])


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
    volume = (
        "26.0: recalled in the article of March 2026; not known whether both were measured in the same way; "
        "26.0: the original article on 26.0 says \u201cAPFS Encrypted\u201d (a volume), but that of March 2026, "
        "which recalls its figures, says that the image is encrypted (a container): perhaps not comparable"
    )
    # of one of two amounts of data nothing is known: no doubt says that they differ
    amount = (
        "26.4: the article says only \u201cas before\u201d. It may mean 10 sets of files, as for macOS 26.3.1, or 5, "
        "as in its virtual machines; the image is taken to be new"
    )
    assert [row[5] for row in found] == [volume, f"{volume}; {amount}", amount]
    # two articles of one Mac
    found = query(
        """
        select distinct earlier_macos, later_macos, earlier_gbps, later_gbps from release_published
        where host = 'mac-studio-m1-max' and format = 'UDSP' and encryption = 'none' and op = 'write'
        """
    )
    assert ("12.4", "15.0.1", 0.9, 2.0) in found
