"""Releases of macOS and of other systems: order, equality, names."""

import made_up
import pytest


def test_releases_are_in_numeric_order(example):
    for earlier, later in (
        ("12.4", "15.0.1"),
        ("26.9", "26.10"),
        ("26.3.1 (a)", "26.4"),
        ("26 beta", "26.0"),
        ("macos-26.4-25E246", "macos-27.0-26A100"),
        ("macos-9.2-1", "10.0"),
        # betas follow each earlier release, in the order of their builds
        ("26.3.1 (a)", "26.4 beta"),
        ("27.2", "macos-28.0-27A5194q"),
        ("macos-28.0-27A5194q", "macos-28.0-27A5290c"),
        ("macos-28.0-27A5290c", "macos-28.0-27A300"),
        ("28.0 beta (27A5290c)", "28.0"),
    ):
        asked = "select release_order(?) < release_order(?)"
        assert example.execute(asked, [earlier, later]).fetchone() == (True,), earlier
    # a word has no place
    asked = "select release_order('unstated'), release_order('Monterey'), release_order(null)"
    assert example.execute(asked).fetchone() == (None, None, None)


@pytest.mark.parametrize(
    ("published", "system", "version", "build", "same"),
    [
        ("26.4", "macos", "26.4", "25E246", True),
        ("26.4", "macos", "26.4.1", "25E300", False),
        ("26.3.1 (a)", "macos", "26.3.1", "25D771280a", True),
        ("26.3.1 (a)", "macos", "26.3.1", "25D771280b", False),
        ("26.3.1 (a)", "macos", "26.3.1", "25D2128", False),
        ("26.3.1 (a)", "macos", "26.3.1 (a)", None, True),
        ("26.3.1", "macos", "26.3.1", "25D2128", True),
        ("26.3.1", "macos", "26.3.1", "25D771280a", False),
        # a major release alone is any of it
        ("12", "macos", "12.4", "21F79", True),
        ("12", "macos", "13.4", "22F66", False),
        # betas: the fifth of 26.4, one of 26.3.1, one of 12.4
        ("26.4", "macos", "26.4", "25E5207k", False),
        ("26.3.1 (a)", "macos", "26.3.1", "25D5112a", False),
        ("26.3.1", "macos", "26.3.1", "25D5112a", False),
        ("12", "macos", "12.4", "21F5048e", False),
        # another system that counts alike
        ("26.4", "debian", "26.4", "trixie", False),
        ("26.4", "debian", "26.4", "25E246", False),
        ("26.4", None, "26.4", "25E246", False),
    ],
)
def test_a_release_is_the_same_to_the_patch_level_and_no_beta_is_one(
    query, published, system, version, build, same
):
    asked = "select same_macos(?, ?, ?, ?)"
    assert query(asked, published, system, version, build) == [(same,)]


def test_releases_of_a_host_are_numbered_by_version_and_build_whenever_measured(save, query):
    # the last beta was measured after the release, and the update before it
    measured = [
        ("macos-26.10-25K771280a", 1),
        ("macos-26.10-25K5207k", 2),
        ("macos-26.9-25J90", 3),
        ("macos-26.10-25K246", 2),
        ("macos-26.10-25K5210a", 4),
        ("macos-26.10-25K246", 4),
    ]
    for release, day in measured:
        parts = {f"{end}_utc": f"2026-11-0{day}T10:00:00Z" for end in ("started", "finished")}
        save(parts=parts, host="a", release=release, scale="tenth", repeat=day)
    assert query(
        "select release, release_number, day(first_started_utc), day(last_finished_utc) from host order by 2"
    ) == [
        ("macos-26.9-25J90", 1, 3, 3),
        ("macos-26.10-25K5207k", 2, 2, 2),
        ("macos-26.10-25K5210a", 3, 4, 4),
        ("macos-26.10-25K246", 4, 2, 4),
        ("macos-26.10-25K771280a", 5, 1, 1),
    ]


def test_builds_of_another_system_are_numbered_by_their_first_day(save, query):
    for day, kernel in ((1, "6.9.1"), (2, "6.12.1"), (3, "6.1.147")):
        parts = {f"{end}_utc": f"2026-11-0{day}T10:00:00Z" for end in ("started", "finished")}
        save(parts=parts, release=f"debian-12-{kernel}", scale="tenth")
    assert query("select os_build, macos from host order by release_number") == [
        ("6.9.1", None),
        ("6.12.1", None),
        ("6.1.147", None),
    ]


def test_a_beta_and_an_update_have_known_speeds_under_names_of_their_own(folders, query):
    builds = (
        "26.4-25E246",
        "26.4-25E5207k",
        "26.4-25E5210a",
        "26.3.1-25D2128",
        "26.3.1-25D771280a",
    )
    for build in builds:
        made = made_up.record(
            host="mac-mini-m4-pro", release=f"macos-{build}", driver="apple", format="UDSB"
        )
        made_up.save(made_up.sized(made, ("new", 32_000_000, 4, None)), folders.runs)
    found = query(
        "select distinct macos, split_part(origin, '/', 2) from known_speed "
        "where basis = 'measured' order by all"
    )
    assert found == [
        ("26.3.1", "macos-26.3.1-25D2128"),
        ("26.3.1 (a)", "macos-26.3.1-25D771280a"),
        ("26.4", "macos-26.4-25E246"),
        # of two betas the later one
        ("26.4 beta", "macos-26.4-25E5210a"),
    ]
    assert query("select distinct macos from comparable_size order by all") == [
        ("26.3.1",),
        ("26.3.1 (a)",),
        ("26.4",),
        ("26.4 beta",),
    ]
