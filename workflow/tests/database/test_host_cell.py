"""Where each machine stands: what is measured, missing and out of date, of made-up machines."""

import made_up
import pytest

OLD, NEW = "macos-26.4-25E246", "macos-27.0-26A5300"
IMAGE = {"driver": "apple", "format": "UDSB"}
NATIVE = {"driver": "native", "format": "native"}


@pytest.fixture
def saved(folders):
    """Saves the record of a cell; one without figures where its status is another than measured."""

    def save(host, release=NEW, status="measured", reason="no room", facts=None, **cell):
        made = made_up.record(host=host, release=release, scale=cell.pop("scale", "tenth"), **cell)
        made["host"] |= {"virtual_machine": False} | (facts or {})
        made = made_up.signed(made)
        if status != "measured":
            made = made_up.without_figures(made, status, reason)
        made_up.save(made, folders.runs)

    return save


@pytest.fixture
def states(query):
    """The states of a host's cells under its newest release, by what is asked for."""

    def ask(host, what="format"):
        return query(
            f"select {what}, state from host_cell where host = ? and newest order by all", host
        )

    return ask


def test_what_was_measured_before_an_update_is_out_of_date_until_it_is_measured_again(saved, query):
    saved("a", OLD, **IMAGE)
    saved("a", OLD, **NATIVE)
    saved("a", NEW, **NATIVE)
    assert query("""
        select release, newest, format, state, reason, cell, recorded_release from host_cell
        where format = 'UDSB' order by newest
    """) == [
        (OLD, False, "UDSB", "measured", None,
         f"a/{OLD}/usage-phases-tenth/internal/apple/UDSB-none/1/fresh", OLD),
        (NEW, True, "UDSB", "out of date", f"measured under {OLD}, not yet under {NEW}",
         f"a/{OLD}/usage-phases-tenth/internal/apple/UDSB-none/1/fresh", OLD),
    ]  # fmt: skip
    assert query("select release, state from host_cell where format = 'native' order by all") == [
        (OLD, "measured"),
        (NEW, "measured"),
    ]


def test_a_cell_that_only_older_releases_of_the_three_have_has_one_row_that_is_due(saved, query):
    saved("a", "macos-26.3-25D", **IMAGE)
    saved("a", OLD, **IMAGE)
    saved("a", NEW, **NATIVE)
    assert query("""
        select state, recorded_release from host_cell where newest and format = 'UDSB'
    """) == [("out of date", OLD)]


def test_the_newest_release_is_that_of_the_highest_version_whenever_it_was_measured(folders, query):
    days = {"macos-26.10-25K": 1, "macos-26.9-25J": 3, "macos-26.10-25L": 2}
    for release, day in days.items():
        made = made_up.record(host="a", release=release, scale="tenth")
        made |= {"started_utc": f"2026-11-0{day}T10:00:00Z"}
        made_up.save(made_up.signed(made), folders.runs)
    assert query("select release, release_number, newest from host order by 2") == [
        ("macos-26.9-25J", 1, False),
        ("macos-26.10-25K", 2, False),
        ("macos-26.10-25L", 3, True),
    ]
    assert query("select distinct release from host_cell where newest") == [("macos-26.10-25L",)]


def test_a_mac_lacks_what_others_have_of_a_study_that_it_began(saved, states, query):
    for host in ("a", "b", "c", "d"):
        saved(host, **IMAGE)
    saved("b", driver="apple", format="ASIF")
    for host in ("b", "c"):
        saved(host, driver="apple", format="UDRW")
    for host in ("b", "c", "d"):
        saved(host, driver="apple", format="UDSP")
    assert states("a") == [
        ("ASIF", "missing"),
        ("UDRW", "missing"),
        ("UDSB", "measured"),
        ("UDSP", "missing"),
    ]
    assert query("""
        select format, reason, cell, recorded_release, comparable from host_cell
        where host = 'a' and state = 'missing' order by all
    """) == [
        ("ASIF", "no record; b has one", None, None, None),
        ("UDRW", "no record; b and c have one", None, None, None),
        ("UDSP", "no record; b and 2 others have one", None, None, None),
    ]
    assert states("b") == [(form, "measured") for form in ("ASIF", "UDRW", "UDSB", "UDSP")]


@pytest.mark.parametrize(
    "other",
    [
        {"protocol": "remounted"},
        {"scale": "half"},
        {"storage": "external"},
        {"driver": "portable"},
        {"repeat": 2},
        {"band_bytes": 33_554_432},
        {"release": "debian-13-6.12"},
        {"facts": {"virtual_machine": True}},
        {"facts": {"stand_in": True}},
    ],
    ids=str,
)
def test_what_a_mac_never_began_or_another_kind_of_machine_did_is_not_missing(saved, states, other):
    saved("a", **IMAGE)
    saved("b", **(IMAGE | other))
    # the same study, but for that
    saved("b", **({"driver": "apple", "format": "UDRW"} | other))
    assert states("a") == [("UDSB", "measured")]


def test_a_test_asks_nothing_of_a_real_mac(saved, states):
    saved("a", facts={"chip": "Apple M4 Pro"}, **IMAGE)
    saved("b", **IMAGE)
    saved("b", driver="apple", format="UDRW")
    assert states("a") == [("UDSB", "measured")]


def test_a_repeat_and_a_size_of_bands_that_were_begun_are_asked_of_every_cell(saved, states):
    large = {"band_bytes": 33_554_432}
    saved("a", **IMAGE, **large)
    saved("a", **IMAGE, repeat=2)
    for repeat in (1, 2, 3):
        saved("b", **IMAGE, repeat=repeat)
        saved("b", **IMAGE, repeat=repeat, encryption="AES-256", **large)
    assert states("a", "encryption, band_bytes, repeat") == [
        ("AES-256", 33_554_432, 1, "missing"),
        ("AES-256", 33_554_432, 2, "missing"),
        ("none", 33_554_432, 1, "measured"),
        ("none", None, 1, "missing"),
        ("none", None, 2, "measured"),
    ]


def test_native_files_are_one_cell_whatever_the_disk_is_encrypted_with(saved, states):
    saved("a", OLD, **NATIVE, encryption="none")
    saved("a", OLD, **NATIVE, phase="emptied", encryption="none")
    saved("a", NEW, **NATIVE, encryption="FileVault")
    saved("b", NEW, **NATIVE, phase="partly-filled", encryption="none")
    saved("b", NEW, **NATIVE, encryption="none")
    assert states("a", "phase, encryption") == [
        ("emptied", "FileVault", "out of date"),
        ("fresh", "FileVault", "measured"),
        ("partly-filled", "FileVault", "missing"),
    ]
    assert states("b", "phase, encryption") == [
        ("emptied", "none", "missing"),
        ("fresh", "none", "measured"),
        ("partly-filled", "none", "measured"),
    ]


def test_an_image_is_another_cell_for_each_encryption(saved, states):
    saved("a", OLD, **IMAGE, encryption="AES-128")
    saved("a", NEW, **IMAGE, encryption="AES-256")
    assert states("a", "encryption") == [("AES-128", "out of date"), ("AES-256", "measured")]


def test_a_cell_that_failed_or_was_skipped_says_why_and_so_does_one_of_an_older_release(
    saved, query
):
    saved("a", OLD, "skipped", "no ASIF here", driver="apple", format="ASIF")
    saved("a", OLD, "failed", "the disk went", driver="apple", format="UDRW")
    saved("a", NEW, "failed", "it was full", **IMAGE)
    saved("a", NEW, "skipped", "not today", driver="apple", format="UDSP")
    assert query("""
        select format, state, reason, recorded_release from host_cell where newest order by all
    """) == [
        ("ASIF", "missing", f"skipped under {OLD}: no ASIF here", OLD),
        ("UDRW", "missing", f"failed under {OLD}: the disk went", OLD),
        ("UDSB", "failed", "it was full", NEW),
        ("UDSP", "skipped", "not today", NEW),
    ]


def test_what_was_measured_once_is_out_of_date_even_if_a_later_release_failed(saved, query):
    saved("a", "macos-26.3-25D", **IMAGE)
    saved("a", OLD, "failed", **IMAGE)
    saved("a", NEW, **NATIVE)
    assert query("""
        select state, recorded_release from host_cell where newest and format = 'UDSB'
    """) == [("out of date", "macos-26.3-25D")]


def test_a_failure_under_the_newest_release_is_no_gap(saved, states):
    saved("a", OLD, **IMAGE)
    saved("a", NEW, "failed", **IMAGE)
    assert states("a") == [("UDSB", "failed")]


def test_nothing_is_missing_under_an_older_release(saved, query):
    saved("a", OLD, **IMAGE)
    saved("a", NEW, **IMAGE)
    saved("b", OLD, **IMAGE)
    saved("b", OLD, driver="apple", format="UDRW")
    assert query("select format, state from host_cell where host = 'a' and not newest") == [
        ("UDSB", "measured")
    ]


def test_smoke_scale_is_asked_for_until_a_larger_one_was_begun(saved, states):
    for host in ("a", "b"):
        saved(host, OLD, **IMAGE, scale="smoke")
        saved(host, NEW, **NATIVE, scale="smoke")
    saved("b", NEW, **NATIVE, scale="tenth")
    assert states("a", "format, scale") == [
        ("UDSB", "smoke", "out of date"),
        ("native", "smoke", "measured"),
    ]
    assert states("b", "format, scale") == [
        ("native", "smoke", "measured"),
        ("native", "tenth", "measured"),
    ]


def test_every_record_has_its_row_and_whether_it_may_be_compared(example):
    assert (
        example.execute("""
        select count(*), count(*) filter (where host_cell.comparable = cell.comparable)
        from host_cell
        left join cell on cell.cell = host_cell.cell
        where host_cell.state in ('measured', 'failed', 'skipped')
    """).fetchall()
        == example.execute("select count(*), count(*) from cell").fetchall()
    )


def test_a_fleet_without_records_has_no_rows(query):
    assert query("select count(*) from host_cell") == [(0,)]
