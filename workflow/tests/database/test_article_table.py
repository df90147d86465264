"""The articles' figures and ours: the choice of the cell, and the verdict."""

import made_up
import pytest
from article_rows import MAC, ROW, RUNS, UDSB, measured

BOTH = ROW.replace("and op = 'write'", "")
NATIVE = "from article_table where article = 'vm-2026' and format = 'native' and op = 'read'"
LATER = MAC | {"release": "macos-26.4-25E"}


def test_each_published_host_is_a_mac_of_the_articles(query):
    unknown = query(
        """
        select host from published_host where host not in (select host from published_speed)
        union all
        select host from published_speed
        where host <> 'unstated' and host not in (select host from published_host)
        """
    )
    assert unknown == []
    sources = "select source from published_host where source not in (select article from article)"
    assert query(sources) == []


def test_rows_have_their_table_and_number_and_both_directions(query):
    tables = query(
        """
        select distinct table_name, table_number from article_table
        where article in ('encryption-2026', 'vm-2026') and format <> 'VM' and table_name in ('three-tests', 'results')
        order by all
        """
    )
    assert tables == [("results", 1), ("three-tests", 1)]
    one_sided = query(
        """
        select article, table_order from article_table
        where table_name is not null group by all having count(distinct op) <> 2
        """
    )
    assert one_sided == []


def test_a_row_without_a_number_in_the_text_has_a_reason(folders, query):
    measured(folders, **UDSB)
    why = "the table is a picture"
    query(
        "update stg_published_figure set gbps = null, reason = ? "
        "where article = 'encryption-2026' and table_order = 1 and op = 'read'",
        why,
    )
    found = query(
        f"select op, verdict, reason, published_gbps, measured_gbps > 6, ratio, reasons {BOTH} order by op"
    )
    assert found[0] == ("read", "not comparable", why, None, True, None, ["no-number"])
    assert found[1][:4] == ("write", "reproduced", None, 7.62)


def test_other_cells_of_the_article_are_still_not_measured(folders, query):
    measured(folders, **UDSB)
    assert query(
        "select verdict, count(*) from article_table where article = 'encryption-2026' group by all order by all"
    ) == [("not comparable", 2), ("not measured yet", 43), ("reproduced", 2)]


@pytest.mark.parametrize(
    ("cell", "why"),
    [
        ({"host": "mac-studio-m1-max"}, "other-machine"),
        ({"scale": "smoke"}, "smoke"),
        ({"scale": "tenth"}, "other-scale"),
        ({"storage": "usb4-980pro"}, "other-storage"),
        ({"driver": "portable"}, "our-driver"),
        ({"protocol": "remounted"}, "other-protocol"),
    ],
)
def test_what_differs_makes_a_cell_not_comparable_and_is_said(folders, query, cell, why):
    measured(folders, **(UDSB | cell))
    [(verdict, reasons, ratio)] = query(f"select verdict, reasons, ratio {ROW}")
    assert (verdict, reasons) == ("not comparable", [why])
    assert ratio is None


def test_everything_that_differs_is_said(folders, query):
    measured(folders, **(UDSB | {"host": "made-up-mac", "scale": "smoke"}))
    assert query(f"select reasons {ROW}") == [(["other-machine", "smoke"],)]


def test_the_disk_itself_is_shown_whatever_its_encryption_and_the_difference_is_said(
    folders, query
):
    measured(folders, read_gbps=6.57, **LATER)
    [(verdict, reasons, ratio)] = query(f"select verdict, reasons, ratio {NATIVE}")
    assert (verdict, reasons) == ("not comparable", ["other-encryption"])
    assert ratio is None


def test_the_disk_itself_with_filevault_is_compared(folders, query):
    measured(folders, read_gbps=6.57, **LATER, encryption="FileVault")
    assert query(f"select verdict {NATIVE}") == [("reproduced",)]


def test_an_encrypted_image_is_not_compared_with_an_unencrypted_one(folders, query):
    measured(folders, **UDSB, encryption="AES-256")
    assert query(f"select verdict {ROW}") == [("not measured yet",)]


def test_a_skipped_cell_is_listed_with_its_reason(folders, query):
    made = made_up.record(**UDSB)
    made_up.save(made_up.without_figures(made, "skipped", "no room"), folders.runs)
    found = query(f"select verdict, measured_reason, measured_gbps, measured_status {ROW}")
    assert found == [("could not be measured", "no room", None, "skipped")]


def test_the_closest_of_several_cells_is_compared(folders, query):
    measured(folders, 1.0, **UDSB, scale="smoke")
    measured(folders, 2.0, **UDSB, protocol="remounted")
    measured(folders, 3.0, **UDSB, scale="half")
    measured(folders, 7.62, **UDSB)
    [(speed, runs, cells, verdict)] = query(
        f"select measured_gbps, measured_runs, measured_cells, verdict {ROW}"
    )
    assert speed == pytest.approx(7.62, rel=0.01)
    assert (runs, cells, verdict) == (3, 4, "reproduced")


def test_an_incomparable_run_does_not_count_if_there_are_others(folders, query):
    measured(folders, **UDSB, runs=(1, 0.99, 1, 1.01))
    unsynced = made_up.record(made_up.noisy(1.0, 1.0), **UDSB)
    unsynced["durability"]["reached"] = "none"
    made_up.save(made_up.signed(unsynced), folders.runs)
    [(verdict, runs, speed, cell)] = query(
        f"select verdict, measured_runs, measured_gbps, cell {ROW}"
    )
    assert (verdict, runs) == ("reproduced", 3)
    assert speed == pytest.approx(7.62, rel=0.01)
    assert cell.endswith("/UDSB-none/2/fresh")


def test_with_fewer_than_three_runs_there_are_figures_and_no_verdict(folders, query):
    measured(folders, **UDSB, runs=(1, 1.01))
    [(verdict, ratio, low, high)] = query(f"select verdict, ratio, ratio_low, ratio_high {ROW}")
    assert verdict == "too few runs"
    assert ratio == pytest.approx(1, rel=0.01)
    assert (low, high) == (None, None)


# the same number of another system, and without the update (a); which releases are the same: test_verdict_words.py
@pytest.mark.parametrize("release", ["debian-26.3.1-25D771280a", "macos-26.3.1-25D125"])
def test_another_release_of_macos_gives_no_verdict(folders, query, release):
    measured(folders, 1.2 * 7.62, **UDSB | {"release": release})
    version = release.split("-")[1]
    assert query(f"select verdict, measured_os_version, round(ratio, 2), macos {ROW}") == [
        ("another release", version, 1.2, "26.3.1 (a)")
    ]


def slow_files(share, factor):
    """The times of 7.62 GB/s, of which one file in so many of each size takes so much longer."""

    def time(op, order, size):
        return round(size / 7.62 * (factor if (order - 1) // 16 < share else 1)) + order % 7

    return time


def test_where_the_statistics_disagree_the_verdict_depends_on_which_was_printed(folders, query):
    # three of the ten files of each size take five times as long: Theil-Sen hardly sees them,
    # bytes / time is 1 / (0.7 + 0.3 * 5) of it
    for repeat in (1, 2, 3):
        made_up.save(made_up.record(slow_files(3, 5), **UDSB, repeat=repeat), folders.runs)
    [(verdict, reasons, least, largest, differ)] = query(
        f"select verdict, reasons, least_ratio, largest_ratio, statistics_differ {ROW}"
    )
    assert (verdict, reasons) == ("depends on the statistic", ["reproduced", "slower"])
    assert least == pytest.approx(1 / 2.2, rel=0.02)
    assert largest == pytest.approx(1, rel=0.02)
    assert differ == "some files far slower than others of their size"


def test_without_a_stated_protocol_cold_reads_are_compared(folders, query):
    disk = LATER | {"encryption": "FileVault"}
    measured(folders, read_gbps=30, **disk, protocol="as-created")
    measured(folders, read_gbps=5, **disk, phase="emptied")
    measured(folders, read_gbps=6.57, **disk)
    assert query(f"select verdict, measured_protocol, measured_cells {NATIVE}") == [
        ("reproduced", "usage-phases", 3)
    ]


def test_each_host_and_release_has_its_own_row(folders, query):
    measured(folders, **UDSB)
    measured(folders, **(UDSB | {"release": "macos-27.0-26A"}))
    measured(folders, **(UDSB | {"host": "made-up-mac"}))
    found = query(f"select measured_host, measured_release {ROW}")
    assert found == [
        ("mac-mini-m4-pro", "macos-26.3.1-25D771280a"),
        ("mac-mini-m4-pro", "macos-27.0-26A"),
        ("made-up-mac", "macos-26.3.1-25D771280a"),
    ]


@pytest.mark.parametrize(
    ("read_gbps", "verdict"),
    [(0.05, "slower"), (0.078, "reproduced"), (0.3, "reproduced"), (0.7, "faster")],
)
def test_a_published_range_is_reproduced_from_end_to_end(folders, query, read_gbps, verdict):
    # UDSP, encrypted, 2024: the range of 0.08 to 0.5 GB/s
    cell = {"host": "mac-studio-m1-max", "release": "macos-15.0.1-24A", "protocol": "remounted"}
    measured(folders, 0.1, read_gbps, **cell, format="UDSP", driver="apple", encryption="AES-256")
    found = query(
        """select verdict, ratio from article_table
        where article = 'performance-2024' and kind = 'range' and storage = 'internal' and op = 'read'"""
    )
    assert found == [(verdict, None)]


def test_another_benchmark_is_never_comparable(folders, query):
    measured(
        folders, host="macbook-pro-m3-pro", format="ASIF", driver="apple", encryption="AES-256"
    )
    found = query("select distinct verdict, reasons from article_table where tool = 'Blackmagic'")
    assert found == [("not comparable", ["other-tool"])]


# 7.62 GB/s is published, and reproduced is what lies within a tenth of it. Student's t with 2 degrees of freedom is 4.30: of
# three runs that differ by a share s to either side, the interval reaches 4.30 s / sqrt(3) to either side.
@pytest.mark.parametrize(
    ("runs", "verdict"),
    [
        # 7.4 % to either side: all within
        ((0.97, 1, 1.03), "reproduced"),
        # the middle is within a tenth, the interval is not
        ((1.03, 1.06, 1.09), "inconclusive"),
        ((0.95, 1, 1.05), "inconclusive"),
        # the interval meets the band, its middle is outside
        ((1.09, 1.12, 1.15), "inconclusive"),
        # all of it is outside, however wide it is
        ((1.2, 1.22, 1.24), "faster"),
        ((0.35, 0.4, 0.45), "slower"),
    ],
)
def test_a_verdict_is_that_of_the_whole_interval(folders, query, runs, verdict):
    measured(folders, **UDSB, runs=runs)
    [(found, ratio, low, high)] = query(f"select verdict, ratio, ratio_low, ratio_high {ROW}")
    assert found == verdict
    assert ratio == pytest.approx(runs[1], rel=0.01)
    assert low < ratio < high


def test_what_an_article_only_recalls_without_its_protocol_is_not_comparable(folders, query):
    # UDRW with AES-256, 4.3 GB/s: recalled in March 2026
    measured(folders, 4.3, **MAC, format="UDRW", driver="apple", encryption="AES-256")
    found = query(
        "select distinct verdict, reasons from article_table where article = 'encryption-2026' and macos = '26.0' and format = 'UDRW' and encryption = 'AES-256' and op = 'write'"
    )
    assert found == [("not comparable", ["recalled"])]


def test_reads_that_may_be_of_memory_are_not_comparable_while_writes_are(folders, query):
    for repeat, share in enumerate(RUNS, start=1):
        time = made_up.noisy(7.62 * share, 6.13, spread=0.02, per_file_ns=0)
        warm = made_up.record(time, **UDSB, repeat=repeat)
        warm["warnings"] = [made_up.WARM]
        made_up.save(made_up.signed(warm), folders.runs)
    found = query(
        "select distinct op, comparable, why_not_comparable from measured_speed order by op"
    )
    assert found == [("read", False, ["read-from-memory"]), ("write", True, None)]
    assert query(f"select verdict {ROW}") == [("reproduced",)]
    reads = ROW.replace("'write'", "'read'")
    assert query(f"select verdict, reasons {reads}") == [("not comparable", ["read-from-memory"])]


def test_an_image_of_macos_takes_precedence_over_our_own(folders, query):
    # ours is of the right scale and could be compared, macOS's only of smoke scale
    measured(folders, **(UDSB | {"driver": "portable"}))
    measured(folders, **(UDSB | {"scale": "smoke"}))
    assert query(f"select measured_driver, measured_cells {ROW}") == [("apple", 2)]
