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


def test_every_table_has_its_rows(example):
    found = example.execute(
        """
        select article, table_name, picture, shape, same_as, count(row.table_name)
        from published_table
        left join (
            select article, table_name from published_speed
            union all
            select article, table_name from published_size
        ) as row using (article, table_name)
        group by article, table_name, table_number, picture, shape, same_as
        order by article, table_number
        """
    ).fetchall()
    inferred = "inferred from the text"
    reprint = "performance-2024/xferdiskimage24"
    stated = [
        ("bands-2024", "states", False, "stated", None, 16),
        ("bands-2024", "steps", False, "stated", None, 23),
        ("encryption-2026", "three-tests", False, "stated", None, 12),
        ("encryption-2026", "test-2-summary", True, inferred, None, 6),
        ("explainer-2026", "xferdiskimage24", True, inferred, reprint, 0),
        ("performance-2024", "diskimages13", True, inferred, None, 1),
        ("performance-2024", "xferdiskimage24", True, inferred, None, 14),
        ("slow-writes-2022", "diskimage00", True, inferred, None, 5),
        ("vm-2026", "results", False, "stated", None, 5),
    ]
    assert [row for row in found if row in stated] == stated


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


def test_the_totals_that_the_articles_give_agree(example):
    """160 files a round: what is left after each deletion follows from what was written."""
    steps = example.execute(
        """
        select condition, quantity, value from published_size
        where article = 'bands-2024' and table_name = 'steps'
            and quantity in ('files', 'files-deleted', 'files-left')
        order by table_order
        """
    ).fetchall()
    left = written = deleted = 0
    for _, quantity, value in steps:
        if quantity == "files":
            left, written = left + value, written + value
        elif quantity == "files-deleted":
            left, deleted = left - value, deleted + value
        else:
            assert value == left
    assert (written, deleted, left) == (800, 160, 640)
    # bands of 8 MiB fill what the bundle takes, but for the last digit
    states = example.execute(
        """
        select
            max(value_bytes) filter (where quantity = 'on-disk'),
            max(value) filter (where quantity = 'bands')
        from published_size
        where article = 'bands-2024' and state in ('churned', 'emptied') and format = 'UDSB'
            and table_name = 'states'
        group by state
        """
    ).fetchall()
    assert len(states) == 2
    for size, bands in states:
        assert size <= bands * 8 * 1024**2 <= size * 1.02


def test_what_two_articles_say_of_one_figure_is_the_same(example):
    """4.4 / 0.7 of virtual machines, and 7.66 of the SSD, stand in two articles each."""
    twice = example.execute(
        """
        select write_as_printed, read_as_printed, string_agg(article, ' ' order by article)
        from published_speed
        where (format = 'VM' and macos = '12') or (format = 'native' and encryption = 'FileVault')
        group by format, write_as_printed, read_as_printed
        order by all
        """
    ).fetchall()
    stated = [
        ("0.7", "4.4", "performance-2024 vm-2026"),
        ("7.66", "6.57", "vm-2026"),
        ("7.66", None, "encryption-2026"),
    ]
    assert [row for row in twice if row in stated] == stated


@pytest.mark.parametrize(
    ("where", "share", "expected"),
    [
        # write speed with FileVault over that without: "fell to about half"
        ("article = 'vm-2026' and unit = 'times' and as_printed = 'half'", 3.11 / 5.91, "about"),
        ("article = 'vm-2026' and as_printed = 'ten'", 5.91 / 0.7, "about"),
        ("article = 'performance-2024' and as_printed = '45'", 4.5 / 0.1, "exact"),
    ],
)
def test_factors_follow_from_the_speeds_that_they_are_of(example, where, share, expected):
    [(value, kind)] = example.execute(
        f"select value, kind from published_figure where {where}"
    ).fetchall()
    assert kind == expected
    assert value == pytest.approx(share, rel=0.2 if kind == "about" else 1e-9)


def of_a_known_mac(name):
    return [row for row in ROWS[name] if "unstated" not in (row["host"], row["macos"])]


def speeds(row):
    """Direction, GB/s and the upper end of a range; a direction without a number is left out."""
    return [
        (op, float(row[f"{op}_gbps"]), float(to) if (to := row.get(f"{op}_gbps_to")) else None)
        for op in ("read", "write")
        if row[f"{op}_gbps"]
    ]


def test_the_articles_speeds_have_the_kind_of_number_of_each_direction(example):
    expected = [
        (row["article"], int(row["table_order"]), op, gbps, to,
         row["write_kind"] or row["kind"] if op == "write" else row["kind"], row[f"{op}_as_printed"])
        for row in of_a_known_mac("speeds")
        for op, gbps, to in speeds(row)
    ]  # fmt: skip
    found = example.execute(
        "select article, table_order, op, gbps, gbps_to, kind, as_printed from known_speed "
        "where basis = 'published' and article is not null"
    ).fetchall()
    assert sorted(found) == sorted(expected)
    assert expected


def test_the_speeds_of_other_sources_stand_with_theirs(example):
    expected = [
        (row["source_id"], op, gbps, row["kind"], row[f"{op}_as_printed"], row["read_as"] != "opening")
        for row in of_a_known_mac("elsewhere")
        if row["quantity"] == "speed"
        for op, gbps, _ in speeds(row)
    ]  # fmt: skip
    found = example.execute(
        "select origin, op, gbps, kind, as_printed, second_hand from known_speed "
        "where basis = 'published' and article is null"
    ).fetchall()
    assert sorted(found) == sorted(expected)
    assert expected


def test_a_written_speed_has_the_quote_that_states_it(example):
    quotes = {}
    for row in ROWS["speeds"]:
        place = (row["article"], int(row["table_order"]))
        quotes[*place, "read"] = row["quote"]
        quotes[*place, "write"] = row["write_quote"] or row["quote"]
    found = example.execute("select distinct article, table_order, op, quote from article_table")
    for article, order, op, quote in found.fetchall():
        assert quote == quotes[article, order, op]
