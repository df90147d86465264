"""Sizes of images: the articles' figures and ours (what differs: test_not_compared.py)."""

import made_up
import pytest

# bands-2024, UDSB: 14.8 MB new; 104.08 GB in 12,408 bands; emptied 1.12 GB in 135, 124.66 GB free; compacted 1.06 GB
# of a Mac Studio M1 Max under macOS 15.0.1
STUDIO = {"host": "mac-studio-m1-max", "release": "macos-15.0.1-24A348", "storage": "usb4-980pro"}
CHURN = STUDIO | {"protocol": "churn", "format": "UDSB", "driver": "apple"}
ROWS = "from article_size_table where article = 'bands-2024' and format = 'UDSB'"
CHURNED = [
    ("new", 14_000_000, 2, 124_900_000_000),
    ("churned", 104_080_000_000, 12_000, 20_000_000_000),
    ("emptied", 2_240_000_000, 270, 124_660_000_000),
    ("compacted", 2_000_000_000, 240, 124_660_000_000),
]


@pytest.fixture
def save(folders):
    """Saves runs of one cell that took the same space."""

    def save(*sizes, runs=(1, 2, 3), parts=None, **cell):
        for repeat in runs:
            made = made_up.record(None, parts, **{"repeat": repeat} | CHURN | cell)
            made_up.save(made_up.sized(made, *sizes), folders.runs)

    return save


def test_when_nothing_was_measured_each_size_has_its_row_and_its_command(query):
    found = query(f"select distinct measured_host, verdict, command {ROWS}")
    command = "bash workflow/run.sh --config study=bands-2024 scale=gold"
    assert found == [(None, "not measured yet", command)]
    kinds = query("select distinct quantity from article_size_table order by quantity")
    # what describes an article's method is left out
    assert kinds == [("bands",), ("free",), ("on-disk",), ("reclaimed",)]


def test_of_several_cells_the_one_measured_like_the_article_is_compared(save, query):
    for other in (
        {},
        {"storage": "internal"},
        {"scale": "half"},
        {"scale": "smoke"},
        {"driver": "portable"},
    ):
        save(*CHURNED, **other)
    found = query(
        "select distinct one.storage, one.protocol, one.scale, one.driver from cell as one "
        f"where cell in (select cell {ROWS} and state = 'churned')"
    )
    assert found == [("usb4-980pro", "churn", "gold", "apple")]
    # sizes of our own images stand beside no others
    assert query("select distinct driver from comparable_size") == [("apple",)]


def test_a_size_of_half_scale_stands_beside_half_scale_although_more_was_measured(save, query):
    for scale in ("gold", "half"):
        save(*CHURNED, scale=scale)
    query("update published_speed set scale = 'half' where article = 'bands-2024'")
    assert query(f"select distinct measured_scale {ROWS}") == [("half",)]


def test_sizes_bands_and_free_space_are_compared_with_the_published_ones(save, query):
    save(*CHURNED)
    found = query(
        f"select quantity, state, published_value, measured_value, ratio, verdict {ROWS} order by table_order"
    )
    assert found == [
        # 14.0 of 14.8 MB
        ("on-disk", "new", 14.8, 14.0, pytest.approx(14 / 14.8), "reproduced"),
        ("on-disk", "churned", 104.08, 104.08, pytest.approx(1), "reproduced"),
        ("bands", "churned", 12408, 12000, pytest.approx(12000 / 12408), "reproduced"),
        ("on-disk", "emptied", 1.12, 2.24, pytest.approx(2), "larger"),
        ("bands", "emptied", 135, 270, pytest.approx(2), "larger"),
        ("free", "emptied", 124.66, 124.66, pytest.approx(1), "reproduced"),
        # 2,240 - 2,000 MB
        ("reclaimed", "compacted", 52.3, 240, pytest.approx(240 / 52.3), "larger"),
        ("on-disk", "compacted", 1.06, 2.0, pytest.approx(2 / 1.06), "larger"),
        ("free", "compacted", 124.66, 124.66, pytest.approx(1), "reproduced"),
    ]
    # published ones are in bytes as well, but bands are not
    found = query(f"select quantity, published_bytes {ROWS} and state = 'churned' order by all")
    assert found == [("bands", None), ("on-disk", 104_080_000_000)]


@pytest.mark.parametrize(
    ("kind", "verdicts"),
    [
        ("exact", {0.89: "smaller", 0.91: "reproduced", 1.09: "reproduced", 1.11: "larger"}),
        # a bound is reproduced by all beyond it
        ("above", {0.89: "smaller", 10: "reproduced"}),
        ("below", {0.1: "reproduced", 1.11: "larger"}),
    ],
)
def test_the_verdict_allows_ten_per_cent(save, query, kind, verdicts):
    for number, share in enumerate(verdicts):
        save(("new", round(14_800_000 * share), None, None), release=f"macos-15.0.1-24A{number}")
    query("update published_size set kind = ? where as_printed = '14.8'", kind)
    found = query(f"select verdict {ROWS} and state = 'new' order by measured_release")
    assert found == [(verdict,) for verdict in verdicts.values()]


def test_a_missing_size_has_a_reason(save, query):
    save(("new", 14_800_000, None, None), ("emptied", 1_120_000_000, 135, None))
    found = query(f"select verdict, reasons, measured_value {ROWS} and quantity = 'free'")
    assert found == [("not comparable", ["not-looked-at"], None)] * 2
    # without compaction nothing is said to be reclaimed
    assert query(f"select measured_value {ROWS} and quantity = 'reclaimed'") == [(None,)]


def test_an_image_that_grew_in_compaction_has_no_ratio(save, query):
    save(("emptied", 1_300_000_000, 135, None), ("compacted", 2_000_000_000, 240, None))
    found = query(f"select measured_value, ratio, verdict {ROWS} and quantity = 'reclaimed'")
    assert found == [(-700, None, "smaller")]


FAILED = {"status": "failed", "reason": "the volume vanished"}


@pytest.mark.parametrize("measured", [1, 3])
def test_sizes_of_failed_cells_are_no_runs(save, query, measured):
    save(("churned", 104_080_000_000, 12_408, None), runs=range(1, measured + 1))
    save(("churned", 30_000_000_000, 4_000, None), runs=(4, 5), parts=FAILED)
    found = query(
        "select measured_runs, measured_value, ratio, verdict, measured_reason "
        f"{ROWS} and state = 'churned' and unit = 'GB'"
    )
    verdict = "reproduced" if measured == 3 else "too few runs"
    assert found == [(measured, 104.08, pytest.approx(1), verdict, None)]


def test_a_size_of_failed_cells_alone_is_none(save, query):
    save(("churned", 104_080_000_000, 12_408, None), parts=FAILED)
    # nor of the states that it did not reach
    found = query(f"select distinct measured_runs, measured_value, verdict, measured_reason {ROWS}")
    assert found == [(0, None, "could not be measured", "the volume vanished")]


def test_a_measured_cell_without_a_size_has_not_the_reason_of_one_that_failed(save, query):
    save(("new", 14_800_000, 2, None), runs=[1])
    save(runs=[2], parts=FAILED)
    found = query(f"select distinct verdict, reasons, measured_reason {ROWS} and quantity = 'free'")
    assert found == [("not comparable", ["not-looked-at"], None)]


def test_sizes_at_the_end_of_a_used_image_come_from_its_last_phase(save, query):
    mini = {"host": "mac-mini-m4-pro", "release": "macos-26.3.1-25D771280a", "storage": "internal"}
    for phase, state, size in (
        ("fresh", "new", 32_000_000),
        ("partly-filled", "emptied", 7_000_000_000),
        ("emptied", "emptied-again", 3_990_000_000),
    ):
        save((state, size, 4, None), **mini, protocol="usage-phases", phase=phase)
    found = query(
        """select state, measured_value, verdict from article_size_table
        where article = 'encryption-2026' and format = 'UDSB'"""
    )
    assert found == [("new", 32.0, "reproduced"), ("emptied-again", 3.99, "reproduced")]


@pytest.mark.parametrize(
    ("runs", "epochs", "found"),
    [
        # 14.8 MB published: two runs are within a tenth of it, one took four times as much
        ((60, 14, 15), (1, 1, 1), (3, 15.0, "reproduced")),
        ((14, 14), (1, 1), (2, 14.0, "too few runs")),
        # runs of an older epoch do not count if there are newer ones
        ((30, 14.8, 14.8), (1, 2, 2), (2, 14.8, "too few runs")),
    ],
)
def test_the_size_of_three_runs_is_their_median(save, query, runs, epochs, found):
    for repeat, (megabytes, epoch) in enumerate(zip(runs, epochs, strict=True), start=1):
        size = ("new", round(megabytes * 1_000_000), None, None)
        save(size, runs=[repeat], parts={"harness": {"epoch": epoch}})
    columns = "measured_runs, measured_value, verdict, ratio"
    [(*rest, ratio)] = query(f"select {columns} {ROWS} and state = 'new'")
    assert tuple(rest) == found
    assert ratio == pytest.approx(found[1] / 14.8)


def test_runs_on_an_older_file_system_do_not_count_for_the_median(save, query):
    for runs, day, megabytes, file_system in (
        ((1, 2), 1, 60, "exfat"),
        ((3, 4, 5), 2, 14.8, "apfs"),
    ):
        at = dict.fromkeys(("started_utc", "finished_utc"), f"2026-11-0{day}T10:00:00Z")
        parts = at | {"host": {"storage": {"file_system": file_system}}}
        save(("new", round(megabytes * 1e6), None, None), runs=runs, parts=parts)
    found = query(f"select measured_runs, measured_value, verdict {ROWS} and state = 'new'")
    assert found == [(3, 14.8, "reproduced")]
