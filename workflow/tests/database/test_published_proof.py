"""Our transcription compared with the articles' text: numbers, words around them, tables."""

import re
from pathlib import Path

import pytest

from database import published

ROWS = published.read(Path(__file__).parents[3] / "data/published")
# the words that make a number a bound or a round one; "reached only" and the like are no such words
KINDS = {
    "about": r"about|around|almost|typically read and write as slow as|the equivalent of",
    "below": r"less than|just under|up to|limited to|no faster(?: than)?|to exceed",
    "above": r"over|more than|at least",
}


def printed(row):
    """Each number as printed with its kind and its quote; both ends of a range."""
    write_quote = row.get("write_quote") or row["quote"]
    write_kind = row.get("write_kind") or row["kind"]
    for column, kind, quote in (
        ("read_as_printed", row["kind"], row["quote"]),
        ("write_as_printed", write_kind, write_quote),
        ("as_printed", row["kind"], row["quote"]),
    ):
        for number in filter(None, row.get(column, "").split(" to ")):
            yield number, kind, quote


def test_the_kind_of_a_number_is_that_of_the_words_around_it():
    for name in ("speeds", "sizes", "figures", "elsewhere"):
        for row in ROWS[name]:
            for number, kind, quote in printed(row):
                assert kind in kinds_in(quote, number), row


def kinds_in(quote, number):
    """The kinds that the words before the number (up to four between), or right after it, speak for."""
    found = set()
    for place in re.finditer(rf"(?<![\w.,]){re.escape(number)}(?!\d|[.,]\d)", quote):
        before, after = quote[: place.start()], quote[place.end() :]
        near = {
            kind
            for kind, words in KINDS.items()
            if re.search(rf"\b(?:{words})(?: [^\s\d,]+){{0,4}} (?:\d+(?:/|% and ))?$", before, re.I)
            or re.match(rf"\W*\S+(?: and|,) (?:{words})\b", after)
        }
        # "from 0.9 to 2.0": two figures, each exact, or the ends of one range
        ranged = re.search(r"\b(?:from|between) (?:\S+ )?(?:\S+ )?(?:to )?$", before)
        ranged = ranged or re.search(r"\d(?: [MG]B(?:/s)?)? to $", before)
        ranged = ranged or re.match(r"(?: [MG]B(?:/s)?)? to \d", after)
        found |= near or {"exact"}
        if ranged:
            found.add("range")
    return found


TWICE = "select {columns} from {table} group by all having count(*) > 1"
# what there is none of
NONE = {
    "a list in the text with a row without a figure": """
        select article, table_order from published_speed inner join published_table using (article, table_name)
        where not picture and (read_gbps is null or write_gbps is null)
    """,
    "a row of a table with one direction": """
        select article, table_order from article_table
        where table_name is not null group by all having count(distinct op) <> 2
    """,
    "a published host that is no Mac of the articles": """
        from published_host where host not in (select host from published_speed) or source not in (select article from article)
    """,
    "a figure from elsewhere in the comparison": """
        from published_elsewhere
        where source_id in (select article from article) or source_id in (select article from article_table)
    """,
    "a known speed of an unknown Mac": "from known_speed where gbps is null or 'unstated' in (host, macos)",
    "a gap in the conclusions of an article": "select article from conclusion group by all having max(number) <> count(*)",
    "a conclusion without one answer of its article": """
        select article, number from conclusion left join conclusion_evidence using (article, number)
        group by all having count(*) filter (where basis = 'published') <> 1
    """,
    # remove one of each, or say in one of these columns what differs
    **{
        f"a row of {table} that is there twice": TWICE.format(table=table, columns=columns)
        for table, columns in (
            ("published_speed", "article, host, macos, storage, format, encryption, phase, condition, tool"),
            ("published_size", "article, host, storage, format, encryption, quantity, state, condition, as_printed"),
            ("published_figure", "article, host, storage, format, encryption, quantity, op, condition, as_printed"),
            ("published_elsewhere", "source_id, host, macos, storage, format, encryption, condition, quantity, op, as_printed, read_as_printed is null"),
            ("conclusion", "article, quote"),
        )
    },
}  # fmt: skip


@pytest.mark.parametrize("what", NONE)
def test_of_what_was_transcribed_there_is_not(example, what):
    assert example.execute(NONE[what]).fetchall() == []
