"""Verdicts of the articles' own figures on their conclusions."""

import re

import pytest
import worlds
from conclusion_world import ANSWER


@pytest.mark.parametrize(
    ("article", "number", "outcome", "figures"),
    [
        # what we read out of figures, they do not prove
        ("encryption-2026", 13, "undecided", "we drew the conclusion from these figures, so they cannot confirm it; "),
        ("encryption-2026", 13, "undecided", "UDSB AES-256 / UDRW AES-256: 5.23 / 1.58 = 3.31"),
        # unencrypted it is not the fastest, by writes that are faster than the SSD itself
        ("encryption-2026", 2, "undecided", "UDSB / UDRW (write, internal), UDSB / ASIF (write, internal); read, "),
        ("encryption-2026", 2, "undecided", "UDSB / UDRW: 7.62 / 10.11 = 0.75"),
        ("encryption-2026", 12, "undecided", "a write is faster than the SSD itself, so part of it may still have been in memory: "),
        # nor those that the tolerance of the word was taken from
        ("encryption-2026", 5, "undecided", "the tolerance was set from these figures, so they cannot decide the conclusion; "),
        ("encryption-2026", 5, "undecided", "1.72 / 1.58 = 1.09"),
        ("encryption-2026", 3, "undecided", "ASIF partly-filled / ASIF: 8.93 / 9.55 = 0.94"),
        ("encryption-2026", 14, "undecided", "3.99 / 0.621 GB = 6.43"),
        ("encryption-2026", 6, "supported", "1.52 / 1.72 = 0.88"),
        ("encryption-2026", 7, "undecided", "only recalls one of the figures"),
        # a figure of the SSD's read speed is missing
        ("encryption-2026", 1, "undecided", "not stated: native (read, internal); "),
        ("vm-2026", 1, "undecided", "5.91 / 7.66 = 0.77"),
        ("vm-2026", 5, "undecided", "3.11 / 1.59 = 1.96"),
        ("vm-2026", 2, "undecided", "5.91 / 0.7 = 8.44, 0.84 \u00d7 the stated 10.0 [0.79, 0.91]; write, "),
        ("vm-2026", 2, "undecided", "; required: 0.75 to 1.11 \u00d7 the stated 10.0"),
        ("vm-2026", 9, "undecided", "3.11 / 5.91 = 0.53, 1.05 \u00d7 the stated 0.5 [1.05, 1.06]; required: 0.80 to 1.20 \u00d7 the stated 0.5"),
        ("vm-2026", 3, "supported", "; required ratio: above 1.11"),
        ("vm-2026", 4, "supported", "1.59 / 1.58 = 1.01"),
        ("vm-2026", 8, "undecided", "not stated: "),
        # 0.06 GB of 103.02 GB: the figure of number 8, which set the tolerance
        ("bands-2024", 4, "undecided", "UDSB: 0.0005824 [0.00, 0.00]; required: below 0.10"),
        ("bands-2024", 8, "undecided", "UDSB: 0.0005824 [0.00, 0.00]; required: below 0.10"),
        ("bands-2024", 4, "undecided", "the tolerance was set from these figures"),
        ("bands-2024", 2, "undecided", "not stated: UDSB with larger bands (write, usb4-980pro), "),
        ("bands-2024", 3, "undecided", "104.1 / 91.63 GB = 1.14"),
        ("bands-2024", 9, "undecided", "3.2 / 1 = 3.20"),
        # fastest: not without the read speeds
        ("performance-2024", 6, "undecided", "not stated: "),
        ("performance-2024", 3, "undecided", "the text gives no figure but the claim itself"),
        ("performance-2024", 15, "undecided", "the text gives no figure but the claim itself"),
        # the text states the quotient beside the two
        ("performance-2024", 5, "undecided", "the text gives no figure but the claim itself"),
        # 10 Gb/s are 1.25 GB/s; “about 1” may be 0.5 to 1.5
        ("performance-2024", 11, "undecided", "UDRW: 1, 0.80 \u00d7 the stated 1.25 [0.40, 1.20]; write, "),
        # at most 1.5 / 1.95
        ("performance-2024", 12, "contradicted", "UDRW / UDSP: 1 / 2 = 0.50 [0.24, 0.77]; "),
        # one that contradicts is not mended by others that are missing
        ("performance-2024", 12, "contradicted", "write, internal, UDRW / UDSP: 1 / 2 = 0.50"),
        ("performance-2024", 9, "undecided", "only recalls one of the figures"),
        ("performance-2024", 3, "undecided", "UDRW AES-256: 1 [0.50, 1.50]; required: 0.50 to 1.50"),
        ("slow-writes-2022", 5, "supported", "UDRW or UDSP AES-256 on imac-pro / UDRW or UDSP AES-256: 0.071 / 0.057 = 1.25 [1.23, 1.27]; "),
        ("slow-writes-2022", 10, "undecided", "the text gives no figure but the claim itself"),
        ("explainer-2026", 4, "undecided", "the text does not state the figures"),
        ("repair-2026", 1, "undecided", "no figure decides this"),
    ],
)  # fmt: skip
def test_the_articles_own_figures_get_verdicts_too(query, article, number, outcome, figures):
    [published, *_] = query(ANSWER, article, number)
    assert (published[0], published[2]) == ("published", outcome)
    assert figures in published[3]


def test_the_writes_that_decide_nothing_are_those_whose_note_says_perhaps_in_memory(query):
    noted = query(
        """
        select distinct article, host, format, encryption, phase, write_gbps from published_speed
        where note like '%part of the data may still have been in memory%' order by all
        """
    )
    found = query(
        """
        select distinct article, host, format, encryption, state, value from conclusion_figure
        where faster_than_disk order by all
        """
    )
    assert len(found) == 8
    assert found == noted


def test_the_query_of_a_conclusion_asks_for_it_alone_and_shows_what_is_published_first(query):
    [(article, number, asked)] = query(
        "select article, number, sql from conclusion where sql is not null and number > 1 limit 1"
    )
    found = query(asked)
    assert [row[0] for row in found] == ["published", "measured"]
    of_it = f"from conclusion_evidence where article = '{article}' and number = {number}"
    assert found == query(f"select basis, host, release, outcome, detail {of_it}")


def test_without_measurements_each_conclusion_is_decided_by_published_figures_only(query):
    found = query(
        """
        select article, number, host, release, outcome, detail from conclusion_evidence
        where basis = 'measured'
        """
    )
    measurable = {(article, number) for article, number, *_ in worlds.WORLDS}
    # no study measures these
    assert {row[:2] for row in found} == measurable | {("performance-2024", 5), ("vm-2026", 8)}
    assert {row[2:5] for row in found} == {(None, None, "not measured yet")}
    for *_, detail in found:
        assert re.fullmatch(
            r"bash workflow/run\.sh --config study=[a-z-]+-20\d\d scale=(gold|half) repeats=3|no command measures it",
            detail,
        )


def test_a_conclusion_that_set_a_tolerance_is_one_that_there_is(query):
    named = query("select distinct unnest(set_by) from verdict_rule order by all")
    there = query("select concat(article, ' ', number) from conclusion")
    assert len(named) == 11
    assert set(named) <= set(there)
