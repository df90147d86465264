"""The comparable_* views contain all comparable measurements, and nothing else has a ratio."""

import made_up
import pytest

MAC = {
    "host": "mac-mini-m4-pro",
    "release": "macos-26.4-25E246",
    "driver": "apple",
    "format": "UDSB",
}


def save(folders, warnings=(), stand_in=False, **cell):
    for encryption in ("none", "AES-256"):
        made = made_up.record(**(MAC | {"encryption": encryption} | cell))
        made["warnings"] = list(warnings)
        made["host"]["stand_in"] = stand_in
        made["sizes"] = [
            {
                "state": "new",
                "allocated_bytes": 32_000_000,
                "apparent_bytes": 32_000_000,
                "bands": 4,
                "free_bytes": 9,
            }
        ]
        made_up.save(made_up.signed(made), folders.runs)


SPEEDS = "select op, format, encryption from comparable_speed order by all"
SIZES = "select state, format, encryption from comparable_size order by all"


def test_a_gold_run_of_a_mac_is_in_both_views(folders, query):
    save(folders)
    assert query(SPEEDS) == [
        (op, "UDSB", code) for op in ("read", "write") for code in ("AES-256", "none")
    ]
    assert query(SIZES) == [("new", "UDSB", "AES-256"), ("new", "UDSB", "none")]


@pytest.mark.parametrize(
    "cell",
    [
        {"scale": "smoke"},
        {"driver": "portable"},
        {"release": "debian-12-6.1.147"},
        {"storage": "an-ssd-of-no-article"},
        {"stand_in": True},
    ],
)
def test_what_compares_with_nothing_is_in_neither_view_and_has_no_ratio(folders, query, cell):
    save(folders, **cell)
    assert query(SPEEDS) == []
    assert query(SIZES) == []
    assert query("select count(*) from comparable_article where measured_host is not null") == [
        (0,)
    ]
    assert query("select count(*) from comparable_article_size where measured_value > 0") == [(0,)]
    if set(cell) & {"scale", "driver"}:  # all that such a machine differs by
        assert query("select count(ratio) + count(least_ratio) from article_table") == [(0,)]
        assert query("select count(ratio) from article_size_table") == [(0,)]


def test_reads_that_may_be_memorys_are_no_comparable_speed_and_the_writes_are(folders, query):
    save(folders, warnings=[made_up.WARM])
    assert query(SPEEDS) == [("write", "UDSB", "AES-256"), ("write", "UDSB", "none")]


def test_each_published_figure_always_has_a_row(folders, query):
    every = "select count(*) from (select distinct article, table_order, op from article_table)"
    save(folders, scale="smoke")
    [expected] = query(every)
    assert query("select count(*) from comparable_article") == [expected]
    assert query("select distinct verdict from comparable_article") == [("not measured yet",)]


def test_comparable_views_have_no_incomparable_rows(folders, query):
    for host in ("mac-mini-m4-pro", "a-first-mac", "the-last-mac"):
        for repeat in (1, 2, 3):
            save(folders, host=host, repeat=repeat, release="macos-26.3.1-25D771280a")
    assert query("select distinct measured_host from comparable_article where ratio > 0") == [
        ("mac-mini-m4-pro",)
    ]
    figures = "select count(*) from (select distinct article, table_order, op from article_table)"
    assert query("select count(*) from comparable_article") == query(figures)
    sizes = "select count(*) from (select distinct article, table_order from article_size_table)"
    assert query("select count(*) from comparable_article_size") == query(sizes)
