"""The number for each word of a conclusion, and equality of macOS releases."""

import made_up
import pytest


def test_each_word_has_one_number_with_its_reason_and_day(query):
    rules = query(
        "select rule, tolerance, reason, set_on from verdict_rule where comparison = 'conclusion'"
    )
    assert {rule for rule, *_ in rules} >= {
        rule for (rule,) in query("select distinct rule from conclusion where rule is not null")
    }
    assert all(reason and day for *_, reason, day in rules)
    # words that say the same have the same number
    same = {rule: number for rule, number, *_ in rules}
    assert same["almost"] == same["similar"] == same["slightly more"]
    assert same["no more"] == same["the same"]


def test_words_with_one_number_and_another_meaning_have_reasons_of_their_own(query):
    close = ["almost", "similar", "slightly more"]
    reasons = query("select distinct reason from verdict_rule where list_contains(?, rule)", close)
    assert len(reasons) == len(close)


@pytest.mark.parametrize(
    ("rule", "inside", "outside"),
    [
        ("more", [1.01, 9], [0.99, 0.5]),
        ("less than", [0.99, 0.01], [1.01]),
        ("no more", [1.10, 0.2], [1.12, 2]),
        ("the same", [0.92, 1.08], [0.88, 1.13]),
        ("about", [0.85, 1.15], [0.75, 1.25]),
        ("just under", [0.85, 0.99], [0.75, 1.01]),
        ("almost", [0.77, 0.99, 3], [0.73]),
        ("almost a figure", [0.77, 0.99, 1.10], [0.73, 1.12, 3]),
        ("similar", [0.77, 1.30], [0.73, 1.36]),
        ("slightly more", [1.01, 1.30], [0.99, 1.36]),
        ("significantly more", [1.12, 9], [1.10, 0.5]),
        ("high", [0.52, 2], [0.48]),
        ("much more", [1.55, 9], [1.45]),
        ("little", [0.09, 0, -0.2], [0.11, 1]),
        ("no relationship", [-0.45, 0.45], [-0.55, 0.55]),
    ],
)
def test_what_a_word_means(query, rule, inside, outside):
    asked = """select judged(?::double, ?::double, supported_from, supported_to) from verdict_rule
        where comparison = 'conclusion' and rule = ?"""
    for value in inside:
        assert query(asked, value, value, rule) == [("supported",)], value
    for value in outside:
        assert query(asked, value, value, rule) == [("contradicted",)], value


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
