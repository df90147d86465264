"""Sizes of images: the articles' figures and ours."""

import made_up
import pytest

# bands-2024, UDSB: 14.8 MB new; 104.08 GB in 12,408 bands; emptied 1.12 GB in 135, 124.66 GB free; compacted 1.06 GB
# of a Mac Studio M1 Max under macOS 15.0.1
STUDIO = {"host": "mac-studio-m1-max", "release": "macos-15.0.1-24A348", "storage": "usb4-980pro"}
CHURN = STUDIO | {"protocol": "churn", "format": "UDSB", "driver": "apple"}
ROWS = "from article_size_table where article = 'bands-2024' and format = 'UDSB'"


def save(folders, *sizes, runs=(1, 2, 3), change=lambda made: made, **cell):
    """Runs of one cell that took the same space, if `change` does not say otherwise."""
    for repeat in runs:
        made = made_up.record(**({"repeat": repeat} | CHURN | cell))
        made_up.save(made_up.signed(change(made_up.sized(made, *sizes))), folders.runs)


def churned(folders, **other):
    save(
        folders,
        ("new", 14_000_000, 2, 124_900_000_000),
        ("churned", 104_080_000_000, 12_000, 20_000_000_000),
        ("emptied", 2_240_000_000, 270, 124_660_000_000),
        ("compacted", 2_000_000_000, 240, 124_660_000_000),
        **other,
    )


def test_when_nothing_was_measured_each_size_has_its_row_and_its_command(query):
    found = query(f"select distinct measured_host, verdict, command {ROWS}")
    command = "bash workflow/run.sh --config study=bands-2024 scale=gold"
    assert found == [(None, "not measured yet", command)]


def test_a_size_in_memory_is_not_compared(folders, query):
    def in_memory(made):
        return made | {"warnings": [made_up.IN_MEMORY]}

    churned(folders, change=in_memory)
    assert query(f"select distinct verdict {ROWS}") == [("not measured yet",)]


@pytest.mark.parametrize("unknown", ["chip", "virtual_machine"])
def test_sizes_of_a_machine_that_may_be_another_are_not_compared(folders, query, unknown):
    churned(folders, change=lambda made: made | {"host": made["host"] | {unknown: None}})
    found = query(f"select distinct verdict, reasons {ROWS}")
    assert found == [("not comparable", ["machine-unknown"])]


@pytest.mark.parametrize(
    "other",
    [
        {"storage": "internal"},
        {"scale": "half"},
        {"scale": "smoke"},
        {"driver": "portable"},
    ],
)
def test_of_several_cells_the_one_measured_like_the_article_is_compared(folders, query, other):
    churned(folders)
    churned(folders, **other)
    found = query(
        "select distinct one.storage, one.protocol, one.scale, one.driver from cell as one "
        f"where cell in (select cell {ROWS} and state = 'churned')"
    )
    assert found == [("usb4-980pro", "churn", "gold", "apple")]


def test_sizes_of_an_articles_method_are_left_out(query):
    kinds = query("select distinct quantity from article_size_table order by quantity")
    assert kinds == [("bands",), ("free",), ("on-disk",), ("reclaimed",)]


def test_sizes_bands_and_free_space_are_compared_with_the_published_ones(folders, query):
    churned(folders)
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
    save(folders, ("new", round(megabytes * 1e6), None, None))
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
    folders, query, kind, megabytes, verdict
):
    save(folders, ("new", round(megabytes * 1e6), None, None))
    query("update published_size set kind = ? where as_printed = '14.8'", kind)
    assert query(f"select verdict {ROWS} and state = 'new'") == [(verdict,)]


@pytest.mark.parametrize(
    ("cell", "why"),
    [
        ({"host": "mac-mini-m4-pro"}, "other-machine"),
        ({"storage": "internal"}, "other-storage"),
        ({"scale": "smoke"}, "smoke"),
        ({"scale": "half"}, "other-scale"),
        ({"driver": "portable"}, "our-driver"),
        ({"protocol": "remounted"}, "other-protocol"),
    ],
)
def test_what_differs_makes_a_size_not_comparable_and_is_said(folders, query, cell, why):
    save(folders, ("new", 14_800_000, 2, None), **cell)
    found = query(f"select verdict, reasons, ratio {ROWS} and state = 'new'")
    assert found == [("not comparable", [why], None)]


def test_a_missing_size_has_a_reason(folders, query):
    save(folders, ("new", 14_800_000, None, None))
    found = query(f"select verdict, reasons, measured_value {ROWS} and quantity = 'free'")
    assert found == [("not comparable", ["not-looked-at"], None)] * 2


def test_without_compaction_nothing_is_said_to_be_reclaimed(folders, query):
    save(folders, ("emptied", 1_120_000_000, 135, None))
    assert query(f"select measured_value {ROWS} and quantity = 'reclaimed'") == [(None,)]


def test_an_image_that_grew_in_compaction_has_no_ratio(folders, query):
    save(folders, ("emptied", 1_300_000_000, 135, None), ("compacted", 2_000_000_000, 240, None))
    found = query(f"select measured_value, ratio, verdict {ROWS} and quantity = 'reclaimed'")
    assert found == [(-700, None, "smaller")]


def test_a_cell_that_failed_could_not_be_measured_in_any_state(folders, query):
    made = made_up.record(**CHURN)
    made_up.save(made_up.without_figures(made, "failed", "no room"), folders.runs)
    found = query(f"select distinct verdict, measured_reason {ROWS}")
    assert found == [("could not be measured", "no room")]


def test_programs_that_stood_in_and_other_bands_are_left_out(folders, query):
    churned(folders, change=made_up.stand_in)
    churned(folders, runs=(4, 5, 6), band_bytes=1_048_576)
    assert query(f"select distinct measured_host {ROWS}") == [(None,)]


def test_sizes_at_the_end_of_a_used_image_come_from_its_last_phase(folders, query):
    mini = {"host": "mac-mini-m4-pro", "release": "macos-26.3.1-25D771280a", "storage": "internal"}
    for phase, state, size in (
        ("fresh", "new", 32_000_000),
        ("partly-filled", "emptied", 7_000_000_000),
        ("emptied", "emptied-again", 3_990_000_000),
    ):
        save(folders, (state, size, 4, None), **mini, protocol="usage-phases", phase=phase)
    found = query(
        """select state, measured_value, verdict from article_size_table
        where article = 'encryption-2026' and format = 'UDSB'"""
    )
    assert found == [("new", 32.0, "reproduced"), ("emptied-again", 3.99, "reproduced")]


def test_each_release_has_its_own_row_and_another_than_published_no_verdict(folders, query):
    churned(folders)
    churned(folders, release="macos-15.6-24G84")
    churned(folders, release="macos-15.0.1-24A5331b")  # a beta
    found = query(
        f"select measured_release, ratio, verdict {ROWS} and state = 'churned' and unit = 'GB' order by all"
    )
    assert found == [
        ("macos-15.0.1-24A348", pytest.approx(1), "reproduced"),
        ("macos-15.0.1-24A5331b", pytest.approx(1), "another release"),
        ("macos-15.6-24G84", pytest.approx(1), "another release"),
    ]


def test_of_fewer_than_three_runs_there_is_a_ratio_and_no_verdict(folders, query):
    churned(folders, runs=(1, 3))
    found = query(f"select measured_runs, ratio, verdict {ROWS} and state = 'new'")
    assert found == [(2, pytest.approx(14 / 14.8), "too few runs")]


def test_the_size_of_three_runs_is_their_median(folders, query):
    # 14.8 MB published: two runs are within a tenth of it, one took four times as much
    for repeat, megabytes in ((1, 60), (2, 14), (3, 15)):
        save(folders, ("new", megabytes * 1_000_000, None, None), runs=[repeat])
    found = query(f"select measured_runs, measured_value, verdict {ROWS} and state = 'new'")
    assert found == [(3, 15.0, "reproduced")]


def test_runs_of_an_older_epoch_do_not_count_if_there_are_newer_ones(folders, query):
    def newer(made):
        return made | {"harness": made["harness"] | {"epoch": 2}}

    save(folders, ("new", 30_000_000, None, None), runs=[1])
    save(folders, ("new", 14_800_000, None, None), runs=[2, 3], change=newer)
    found = query(f"select measured_runs, measured_value, verdict {ROWS} and state = 'new'")
    assert found == [(2, 14.8, "too few runs")]


def test_a_guest_that_bears_the_name_of_the_mac_has_no_verdict(folders, query):
    def guest(made):
        return made | {"host": made["host"] | {"virtual_machine": True}}

    save(folders, ("new", 14_800_000, None, None), change=guest)
    found = query(f"select verdict, reasons {ROWS} and state = 'new'")
    assert found == [("not comparable", ["virtual-machine"])]


def test_a_repeat_with_other_cache_mode_still_has_its_sizes(folders, query):
    churned(folders, change=lambda made: made | {"cache": {"asked": "bypass", "reached": "none"}})
    assert query(f"select verdict {ROWS} and state = 'new'") == [("reproduced",)]


@pytest.mark.parametrize(("model", "synthetic"), [("Mac13,1", False), ("synthetic Mac13,1", True)])
def test_a_row_from_synthetic_records_is_marked(folders, query, model, synthetic):
    churned(folders, change=lambda made: made | {"host": made["host"] | {"model": model}})
    assert query(f"select distinct made_up {ROWS}") == [(synthetic,)]
    evidence = """select distinct basis, made_up from conclusion_evidence
        where article = 'bands-2024' and number = 4 order by all"""
    assert query(evidence) == [("measured", synthetic), ("published", False)]
