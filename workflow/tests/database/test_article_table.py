"""The articles' speeds and ours: the choice of the cell, and the verdict (what differs: test_not_compared.py)."""

import made_up
import pytest

# UDSB, not encrypted, fresh: published read 6.13, write 7.62 GB/s on a Mac mini M4 Pro with macOS 26.3.1
# the build of the update (a) of 26.3.1
MAC = {"host": "mac-mini-m4-pro", "release": "macos-26.3.1-25D771280a"}
UDSB = MAC | {"format": "UDSB", "driver": "apple"}
BOTH = """
    from article_table
    where article = 'encryption-2026' and format = 'UDSB' and encryption = 'none' and phase = 'fresh'
"""
ROW = f"{BOTH} and op = 'write'"
SIZE = """
    from article_size_table
    where article = 'encryption-2026' and format = 'UDSB' and state = 'new' and quantity = 'on-disk'
"""
NATIVE = "from article_table where article = 'vm-2026' and format = 'native' and op = 'read'"
LATER = MAC | {"release": "macos-26.4-25E"}


@pytest.fixture
def measured(save):
    """Saves runs of one cell, each with its own share of the speed."""
    return lambda write_gbps=7.62, read_gbps=6.13, runs=made_up.RUNS, **cell: save(
        *made_up.repeats(write_gbps, read_gbps, runs), **cell
    )


def test_a_figure_depends_on_the_statistic_if_the_mean_of_its_runs_does(save, query):
    def slow(op, order, size):
        return round(size / 7.62 * (3 if order <= 16 else 1))

    steady = made_up.steady(7.62, 6.13, per_file_ns=0)
    save(steady, slow, steady, **UDSB)
    of_runs = "from measured_speed where op = 'write' and statistics_differ is not null"
    assert query(f"select count(*) {of_runs}") == [(1,)]
    assert query(f"select statistics_differ {ROW}") == [(None,)]
    [(comment,)] = query(
        "select comment from duckdb_columns() "
        "where (table_name, column_name) = ('article_table', 'statistics_differ')"
    )
    assert "(repeated_speed.statistics_differ)" in comment


def test_a_row_without_a_number_in_the_text_has_a_reason(measured, query):
    measured(**UDSB)
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
    # other cells of the article are still not measured
    assert query(
        "select verdict, count(*) from article_table where article = 'encryption-2026' group by all order by all"
    ) == [("not comparable", 3), ("not measured yet", 43), ("reproduced", 1)]


def test_the_disk_itself_is_shown_whatever_its_encryption_and_compared_with_filevault(
    measured, query
):
    measured(read_gbps=6.57, **LATER)
    assert query(f"select verdict, reasons, ratio {NATIVE}") == [
        ("not comparable", ["other-encryption"], None)
    ]


def test_more_bytes_do_not_outweigh_the_disk_s_encryption(measured, query):
    # 6.57 GB/s with FileVault are the article's; without, more was measured
    measured(read_gbps=6.57, **LATER, encryption="FileVault", scale="half")
    measured(read_gbps=6.57, **LATER)
    found = query(f"select verdict, measured_encryption, measured_scale {NATIVE}")
    assert found == [("reproduced", "FileVault", "half")]


def test_without_a_stated_protocol_cold_reads_are_compared(measured, query):
    disk = LATER | {"encryption": "FileVault"}
    measured(read_gbps=10, **disk, protocol="as-created")
    measured(read_gbps=5, **disk, phase="emptied")
    measured(read_gbps=6.57, **disk)
    assert query(f"select verdict, measured_protocol, measured_cells {NATIVE}") == [
        ("reproduced", "usage-phases", 3)
    ]


def test_the_closest_of_several_cells_is_compared(measured, query):
    measured(1.0, **UDSB, scale="smoke")
    measured(2.0, **UDSB, protocol="remounted")
    measured(3.0, **UDSB, scale="half")
    measured(7.62, **UDSB)
    [(speed, runs, cells, verdict)] = query(
        f"select measured_gbps, measured_runs, measured_cells, verdict {ROW}"
    )
    assert speed == pytest.approx(7.62, rel=0.01)
    assert (runs, cells, verdict) == (3, 4, "reproduced")


def test_a_speed_of_one_tenth_stands_beside_one_tenth_although_more_was_measured(measured, query):
    asif = UDSB | {"format": "ASIF", "encryption": "AES-256"}
    for scale in ("gold", "tenth"):
        measured(**asif, scale=scale)
    found = query(
        "select distinct scale, measured_scale from article_table where article = 'encryption-2026' "
        "and format = 'ASIF' and encryption = 'AES-256' and phase = 'fresh' and scale <> 'unstated' order by scale"
    )
    assert found == [("gold", "gold"), ("tenth", "tenth")]


def test_an_image_of_macos_takes_precedence_over_our_own(measured, query):
    # ours is of the right scale and could be compared, macOS's only of smoke scale
    measured(**UDSB | {"driver": "portable"})
    measured(**UDSB, scale="smoke")
    assert query(f"select measured_driver, measured_cells {ROW}") == [("apple", 2)]


@pytest.mark.parametrize("other", [{"scale": "smoke"}, {"driver": "portable"}])
def test_a_run_that_failed_is_not_hidden_by_one_that_is_never_compared(folders, query, other):
    failed = made_up.record(parts={"status": "failed", "reason": "no room"}, **UDSB)
    made = made_up.sized(made_up.record(**UDSB | other), ("new", 32_000_000, 4, None))
    for one in (failed, made):
        made_up.save(one, folders.runs)
    for figure in (ROW, SIZE):
        said = query(f"select verdict, measured_reason {figure}")
        assert said == [("could not be measured", "no room")]


def test_an_incomparable_run_does_not_count_if_there_are_others(measured, save, query):
    measured(**UDSB, runs=(1, 0.99, 1, 1.01))
    save(made_up.noisy(1.0, 1.0), parts={"durability": {"reached": "none"}}, **UDSB)
    [(verdict, runs, speed, cell)] = query(
        f"select verdict, measured_runs, measured_gbps, cell {ROW}"
    )
    assert (verdict, runs) == ("reproduced", 3)
    assert speed == pytest.approx(7.62, rel=0.01)
    assert cell.endswith("/UDSB-none/2/fresh")


def slow_files(share, factor):
    """The times of 7.62 GB/s, of which one file in so many of each size takes so much longer."""

    def time(op, order, size):
        return round(size / 7.62 * (factor if (order - 1) // 16 < share else 1)) + order % 7

    return time


def test_where_the_statistics_disagree_the_verdict_depends_on_which_was_printed(save, query):
    # three of the ten files of each size take five times as long: Theil-Sen hardly sees them,
    # bytes / time is 1 / (0.7 + 0.3 * 5) of it
    save(*[slow_files(3, 5)] * 3, **UDSB)
    [(verdict, reasons, least, largest, differ)] = query(
        f"select verdict, reasons, least_ratio, largest_ratio, statistics_differ {ROW}"
    )
    assert (verdict, reasons) == ("depends on the statistic", ["reproduced", "slower"])
    assert least == pytest.approx(1 / 2.2, rel=0.02)
    assert largest == pytest.approx(1, rel=0.02)
    assert differ == "some files far slower than others of their size"


STUDIO = {"host": "mac-studio-m1-max", "protocol": "remounted", "driver": "apple"}
ENCRYPTED_SPARSE = {"format": "UDSP", "encryption": "AES-256", "runs": (1.0,) * 3}
OF_2024, OF_2026 = "macos-15.0.1-24A{}", "macos-26.3.1-25D77128{}a"
# a figure, the cell, its releases, and the verdict on each speed; a run of made-up times differs by up to 2 % from its speed
ROUNDED = [
    # raw images of performance-2024 are written at "about 1", encrypted sparse ones at "0.1", and read at 0.08 to 0.5
    (
        "article = 'performance-2024' and table_order = 5 and op = 'write'",
        STUDIO | ENCRYPTED_SPARSE | {"format": "UDRW"}, OF_2024,
        {0.45: "slower", 0.55: "reproduced", 1.45: "reproduced", 1.55: "faster"},
    ),
    (
        "article = 'performance-2024' and table_order = 7 and op = 'write'",
        STUDIO | ENCRYPTED_SPARSE, OF_2024,
        {0.045: "slower", 0.055: "reproduced", 0.145: "reproduced", 0.155: "faster"},
    ),
    (
        "article = 'performance-2024' and kind = 'range' and storage = 'internal' and op = 'read'",
        STUDIO | ENCRYPTED_SPARSE, OF_2024,
        {0.05: "slower", 0.078: "reproduced", 0.3: "reproduced", 0.7: "faster"},
    ),
    # 6.13 has three digits, and less than a tenth between two of them
    (
        "article = 'encryption-2026' and table_order = 1 and op = 'read'",
        UDSB | {"runs": (1.0,) * 3}, OF_2026,
        {5.4: "slower", 5.6: "reproduced", 6.7: "reproduced", 6.9: "faster"},
    ),
]  # fmt: skip


@pytest.mark.parametrize(("figure", "cell", "releases", "verdicts"), ROUNDED)
def test_a_figure_is_reproduced_by_what_it_may_be_rounded_from(
    measured, query, figure, cell, releases, verdicts
):
    for number, speed in enumerate(verdicts):
        measured(speed, speed, **cell | {"release": releases.format(number)})
    found = query(f"select verdict from article_table where {figure} order by measured_release")
    assert [verdict for (verdict,) in found] == [*verdicts.values()]


def test_each_end_of_a_range_is_widened_by_its_own_last_digit(measured, query):
    verdicts = {0.07: "slower", 0.075: "reproduced", 1.45: "reproduced", 1.55: "faster"}
    for number, read_gbps in enumerate(verdicts):
        measured(0.1, read_gbps, **STUDIO | ENCRYPTED_SPARSE, release=f"macos-15.0.1-24A{number}")
    # 0.08 has two digits, 1 has one
    query(
        "update stg_published_figure set as_printed = '0.08 to 1', gbps_to = 1 where kind = 'range'"
    )
    found = query("""
        select verdict, ratio from article_table
        where article = 'performance-2024' and kind = 'range' and storage = 'internal' and op = 'read'
        order by measured_release
    """)  # fmt: skip
    assert found == [(verdict, None) for verdict in verdicts.values()]


# 7.62 GB/s is published, and reproduced is what lies within a tenth of it. Student's t with 2 degrees of freedom is 4.30: of
# three runs that differ by a share s to either side, the interval reaches 4.30 s / sqrt(3) to either side.
VERDICTS = {
    # 7.4 % to either side: all within
    (0.97, 1, 1.03): "reproduced",
    # the middle is within a tenth, the interval is not
    (1.03, 1.06, 1.09): "inconclusive",
    (0.95, 1, 1.05): "inconclusive",
    # the interval meets the band, its middle is outside
    (1.09, 1.12, 1.15): "inconclusive",
    # all of it is outside, however wide it is
    (1.2, 1.22, 1.24): "faster",
    (0.35, 0.4, 0.45): "slower",
}


def test_a_verdict_is_that_of_the_whole_interval(measured, query):
    for number, runs in enumerate(VERDICTS):
        measured(**UDSB | {"release": f"macos-26.3.1-25D77128{number}a"}, runs=runs)
    found = query(f"select verdict, ratio, ratio_low, ratio_high {ROW} order by measured_release")
    assert [row[0] for row in found] == [*VERDICTS.values()]
    for runs, (_, ratio, low, high) in zip(VERDICTS, found, strict=True):
        assert ratio == pytest.approx(runs[1], rel=0.01)
        assert low < ratio < high


@pytest.mark.parametrize(
    ("cell", "figure", "why"),
    [
        # UDRW with AES-256, 4.3 GB/s: recalled in March 2026 without its protocol
        ({"format": "UDRW"}, "article = 'encryption-2026' and macos = '26.0' and format = 'UDRW' and encryption = 'AES-256' and op = 'write'", "recalled"),
        ({"format": "ASIF", "host": "macbook-pro-m3-pro"}, "tool = 'Blackmagic'", "other-tool"),
    ],
)  # fmt: skip
def test_what_was_measured_in_an_unknown_or_another_way_is_never_comparable(
    measured, query, cell, figure, why
):
    measured(**UDSB | {"encryption": "AES-256"} | cell)
    found = query(f"select distinct verdict, reasons from article_table where {figure}")
    assert found == [("not comparable", [why])]
