"""The cost of encryption: pairs of cells or published figures that differ only in encryption."""

import made_up
import numpy as np
import pytest
from scipy import stats

IMAGE = {"driver": "apple", "format": "UDSB"}


def save(folders, *times, **cell):
    """Runs of one cell, each with its own times; one run with the usual ones when none is given."""
    for repeat, time in enumerate(times or [None], start=1):
        made_up.save(made_up.record(time, **IMAGE | {"repeat": repeat} | cell), folders.runs)


def runs(write_gbps, read_gbps, shares=(0.99, 1.0, 1.01)):
    return [made_up.steady(share * write_gbps, share * read_gbps) for share in shares]


def measured(query, columns):
    return query(f"select {columns} from encryption_cost where basis = 'measured' order by all")


def test_half_the_speed_is_a_ratio_of_a_half(folders, query):
    save(folders, *runs(6.0, 6.0))
    save(folders, *runs(3.0, 6.0, (1.0, 1.01, 0.99)), encryption="AES-256")
    [read, write] = measured(query, "op, ratio, ratio_low, ratio_high, layer, comparable, runs")
    assert write[1] == pytest.approx(0.5, rel=0.01)
    assert write[2] < write[1] < write[3]
    assert read[1] == pytest.approx(1)
    assert write[4:] == ("image", True, 3)


def test_the_interval_is_students_of_the_ratios_of_the_repeats(folders, query):
    save(folders, *runs(6.0, 6.0, (1.0, 1.0, 1.0)))
    save(folders, *runs(3.0, 6.0, (0.9, 1.0, 1.1)), encryption="AES-256")
    expected = stats.ttest_1samp(np.log([0.45, 0.5, 0.55]), 0).confidence_interval(0.95)
    [_, (op, low, high)] = measured(query, "op, ratio_low, ratio_high")
    assert op == "write"
    assert (low, high) == pytest.approx((np.exp(expected.low), np.exp(expected.high)), rel=1e-4)


def test_one_run_has_a_ratio_and_no_interval(folders, query):
    save(folders)
    save(folders, encryption="AES-256")
    assert measured(query, "distinct runs, ratio, ratio_low, ratio_high") == [(1, 1, None, None)]


@pytest.mark.parametrize(
    "other",
    [
        {"host": "made-up-other"},
        {"release": "debian-13-6.12.1"},
        {"storage": "usb4-980pro"},
        {"driver": "portable"},
        {"protocol": "remounted"},
        {"scale": "half"},
        {"format": "UDRW"},
        {"band_bytes": 1 << 20},
        {"phase": "emptied"},
        {"repeat": 2},
    ],
)
def test_cells_that_differ_in_anything_else_are_no_pair(folders, query, other):
    save(folders)
    save(folders, **{"encryption": "AES-256"} | other)
    assert measured(query, "op") == []


def test_bands_of_the_same_size_are_a_pair_and_both_encryptions_have_their_rows(folders, query):
    for encryption in ("none", "AES-128", "AES-256"):
        save(folders, encryption=encryption, band_bytes=1 << 20)
    assert measured(query, "encryption, op, band_bytes") == [
        (encryption, op, 1 << 20)
        for encryption in ("AES-128", "AES-256")
        for op in ("read", "write")
    ]


def test_a_guest_with_filevault_is_another_layer(folders, query):
    for encryption in ("none", "FileVault"):
        save(folders, encryption=encryption, format="VM", driver="native")
    assert measured(query, "distinct layer, encryption") == [("volume", "FileVault")]


def test_a_cell_that_failed_keeps_its_row_and_says_why(folders, query):
    save(folders)
    failed = made_up.record(**IMAGE, encryption="AES-256")
    made_up.save(made_up.without_figures(failed, "failed", "the disk was full"), folders.runs)
    why = ["failed"]
    assert measured(query, "distinct ratio, comparable, why_not_comparable") == [(None, False, why)]


def test_a_run_counts_for_the_direction_that_it_may_be_compared_in(folders, query):
    for encryption in ("none", "AES-256"):
        save(folders, *runs(6.0, 6.0), encryption=encryption)
        made = made_up.record(made_up.steady(6.0, 9.0), **IMAGE, encryption=encryption, repeat=3)
        made_up.save(made_up.signed(made | {"warnings": [made_up.WARM]}), folders.runs)
    assert measured(query, "op, runs") == [("read", 2), ("write", 3)]


def test_smoke_scale_and_epochs_are_said(folders, query):
    save(folders, scale="smoke")
    later = made_up.record(**IMAGE, encryption="AES-256", scale="smoke")
    later["harness"]["epoch"] = 2
    made_up.save(made_up.signed(later), folders.runs)
    found = measured(query, "distinct ratio, ratio_low, comparable, why_not_comparable")
    assert found == [(None, None, False, ["other-epoch", "smoke"])]


def test_an_image_of_our_own_is_marked(folders, query):
    for encryption in ("none", "AES-256"):
        save(folders, encryption=encryption, driver="portable", format="ASIF")
    assert measured(query, "distinct driver") == [("portable",)]


def published(query, where, columns):
    return query(
        f"select {columns} from encryption_cost where basis = 'published' and {where} order by op desc"
    )


def test_published_figures_are_divided_within_one_article(query):
    rows = published(
        query,
        "format = 'UDSB'",
        "article, host, release, op, plain_as_printed, encrypted_as_printed, round(ratio, 3), ratio_low",
    )
    assert rows == [
        ("encryption-2026", "mac-mini-m4-pro", "26.3.1 (a)", "write", "7.62", "5.23", 0.686, None),
        ("encryption-2026", "mac-mini-m4-pro", "26.3.1 (a)", "read", "6.13", "5.09", 0.830, None),
    ]


def test_a_published_range_gives_the_two_ends_of_a_ratio(query):
    columns = "ratio, round(ratio_low, 3), round(ratio_high, 3), kind"
    rows = published(query, "format = 'UDSP' and op = 'read' and storage = 'internal'", columns)
    # 0.08 to 0.5 of about 2.2
    assert rows == [(None, 0.036, 0.227, "range")]


def test_a_published_figure_goes_before_a_range_of_the_same(query):
    columns = "encrypted_as_printed, ratio, kind"
    rows = published(query, "format = 'UDSP' and op = 'write' and storage = 'internal'", columns)
    assert rows == [("0.1", pytest.approx(0.05), "exact")]


def test_a_published_guest_is_of_the_layer_of_volumes(query):
    where = "layer = 'volume' and article = 'vm-2026'"
    rows = published(query, where, "article, format, encryption, round(ratio, 3)")
    assert rows == [
        ("vm-2026", "VM", "FileVault", 0.526),
        ("vm-2026", "VM", "FileVault", 0.704),
    ]


def test_figures_of_other_sources_are_divided_too_and_a_printed_share_is_a_ratio(query):
    columns = "article, storage, op, encrypted_as_printed, round(ratio, 3), kind, second_hand"
    assert published(query, "article = 'P28'", f"distinct {columns}") == [
        ("P28", "tb5-ssd", "write", "4.7", 0.887, "exact", False),
        ("P28", "tb5-ssd", "read", None, 0.98, "about", False),
        ("P28", "usb4-ssd", "read", None, 0.95, "about", False),
    ]
    assert published(query, "article = 'P18' and storage = 'tb3-ssd-a'", columns) == [
        ("P18", "tb3-ssd-a", "write", "1,8", 0.818, "exact", True),
        ("P18", "tb3-ssd-a", "read", "2,7", 0.964, "exact", True),
    ]
