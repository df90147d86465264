"""What images take on disk: the articles' figures beside ours."""

import duckdb
import made_up
import pytest

from database.build import build

# bands-2024, UDSB: 14.8 MB new; 104.08 GB in 12,408 bands; emptied 1.12 GB in 135, 124.66 GB free; compacted 1.06 GB
STUDIO = {"host": "mac-studio-m1-max", "release": "macos-15.6-24G84", "storage": "usb4-980pro"}
CHURN = STUDIO | {"protocol": "churn", "format": "UDSB", "driver": "apple"}
ROWS = "from article_size_table where article = 'bands-2024' and format = 'UDSB'"


def churned(**cell):
    return made_up.sized(
        made_up.record(**(CHURN | cell)),
        ("new", 14_000_000, 2, 124_900_000_000),
        ("churned", 104_080_000_000, 12_000, 20_000_000_000),
        ("emptied", 2_240_000_000, 270, 124_660_000_000),
        ("compacted", 2_000_000_000, 240, 124_660_000_000),
    )


def test_when_nothing_was_measured_each_size_has_its_row_and_its_command(query):
    found = query(f"select distinct measured_host, outcome, command, verdict {ROWS}")
    command = "bash workflow/run.sh --config study=bands-2024 scale=gold"
    assert found == [(None, "not measured yet", command, f"not measured yet: {command}")]


def test_what_an_article_says_of_its_method_is_no_size(query):
    kinds = query("select distinct quantity from article_size_table order by quantity")
    assert kinds == [("bands",), ("free",), ("on-disk",), ("reclaimed",)]


def test_sizes_bands_and_free_space_stand_beside_the_published_ones(folders, query):
    made_up.save(churned(), folders.runs)
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


def test_published_sizes_are_in_bytes_as_well_but_bands_are_not(query):
    found = query(f"select quantity, published_bytes {ROWS} and state = 'churned' order by all")
    assert found == [("bands", None), ("on-disk", 104_080_000_000)]


@pytest.mark.parametrize(
    ("megabytes", "verdict"),
    [
        (14.8 * 1.09, "reproduced"),
        (14.8 * 0.91, "reproduced"),
        (14.8 * 1.11, "larger"),
        (14.8 * 0.89, "smaller"),
    ],
)
def test_the_verdict_allows_ten_per_cent(folders, query, megabytes, verdict):
    made = made_up.record(**CHURN)
    made_up.save(made_up.sized(made, ("new", round(megabytes * 1e6), None, None)), folders.runs)
    assert query(f"select verdict {ROWS} and state = 'new'") == [(verdict,)]


@pytest.mark.parametrize(
    ("kind", "megabytes", "verdict"),
    [
        ("above", 140.0, "reproduced"),
        ("above", 14.8 * 0.89, "smaller"),
        ("below", 1.4, "reproduced"),
        ("below", 14.8 * 1.11, "larger"),
    ],
)
def test_what_is_stated_as_a_bound_is_reproduced_by_all_beyond_it(
    changed, kind, megabytes, verdict
):
    folders = changed("sizes.csv", "14.8,MB,14.8,exact", f"14.8,MB,14.8,{kind}")
    made = made_up.record(**CHURN)
    made_up.save(made_up.sized(made, ("new", round(megabytes * 1e6), None, None)), folders.runs)
    build(folders)
    with duckdb.connect(str(folders.database), read_only=True) as connection:
        found = connection.execute(f"select verdict {ROWS} and state = 'new'").fetchall()
    assert found == [(verdict,)]


@pytest.mark.parametrize(
    ("cell", "why"),
    [
        (
            {"host": "mac-mini-m4-pro"},
            "on another kind of machine (published on mac-studio-m1-max)",
        ),
        ({"storage": "internal"}, "on other storage (published on usb4-980pro)"),
        ({"scale": "smoke"}, "smoke scale only shows that everything works"),
        ({"scale": "half"}, "at scale half, published at gold"),
        ({"driver": "portable"}, "served by our portable driver, not by macOS"),
        ({"protocol": "remounted"}, "by another protocol (published by churn)"),
    ],
)
def test_what_differs_makes_a_size_not_comparable_and_is_said(folders, query, cell, why):
    made = made_up.record(**(CHURN | cell))
    made_up.save(made_up.sized(made, ("new", 14_800_000, 2, None)), folders.runs)
    found = query(f"select verdict, ratio {ROWS} and state = 'new'")
    assert found == [(f"not comparable: {why}", pytest.approx(1))]


def test_a_size_that_was_not_looked_at_is_said(folders, query):
    made = made_up.record(**CHURN)
    made_up.save(made_up.sized(made, ("new", 14_800_000, None, None)), folders.runs)
    assert query(f"select verdict, measured_value {ROWS} and quantity = 'free'") == [
        ("not comparable: this was not looked at (state emptied)", None),
        ("not comparable: this was not looked at (state compacted)", None),
    ]


def test_without_compaction_nothing_is_said_to_be_reclaimed(folders, query):
    made = made_up.sized(made_up.record(**CHURN), ("emptied", 1_120_000_000, 135, None))
    made_up.save(made, folders.runs)
    assert query(f"select measured_value {ROWS} and quantity = 'reclaimed'") == [(None,)]


def test_a_cell_that_failed_could_not_be_measured_in_any_state(folders, query):
    made = made_up.record(**CHURN)
    made_up.save(made_up.without_figures(made, "failed", "no room"), folders.runs)
    assert query(f"select distinct verdict {ROWS}") == [("could not be measured: no room",)]


def test_programs_that_stood_in_and_other_bands_are_left_out(folders, query):
    made_up.save(made_up.stand_in(churned()), folders.runs)
    made_up.save(churned(repeat=2, band_bytes=1_048_576), folders.runs)
    assert query(f"select distinct measured_host {ROWS}") == [(None,)]


def test_sizes_at_the_end_of_a_used_image_come_from_its_last_phase(folders, query):
    mini = {"host": "mac-mini-m4-pro", "release": "macos-26.4-25E246", "format": "UDSB"}
    for phase, state, size in (
        ("fresh", "new", 32_000_000),
        ("partly-filled", "emptied", 7_000_000_000),
        ("emptied", "emptied-again", 3_990_000_000),
    ):
        made = made_up.record(**mini, driver="apple", phase=phase)
        made_up.save(made_up.sized(made, (state, size, 4, None)), folders.runs)
    found = query(
        """select state, measured_value, verdict from article_size_table
        where article = 'encryption-2026' and format = 'UDSB'"""
    )
    assert found == [("new", 32.0, "reproduced"), ("emptied-again", 3.99, "reproduced")]


def test_each_release_has_its_own_row(folders, query):
    made_up.save(churned(), folders.runs)
    made_up.save(churned(release="macos-27.0-26A100"), folders.runs)
    found = query(f"select measured_release, verdict {ROWS} and state = 'churned' and unit = 'GB'")
    assert found == [("macos-15.6-24G84", "reproduced"), ("macos-27.0-26A100", "reproduced")]


def test_a_repeat_with_other_cache_mode_still_has_its_sizes(folders, query):
    made = churned()
    made["cache"] = {"asked": "bypass", "reached": "none"}
    made_up.save(made_up.signed(made), folders.runs)
    assert query(f"select verdict {ROWS} and state = 'new'") == [("reproduced",)]
