"""The pages of articles: every row of every table, in order, with measurements."""

import csv
import html
import re
from itertools import groupby
from pathlib import Path

import pytest
from rendered import linked, rows, tables

SPEEDS = Path(__file__).resolve().parents[3] / "data" / "published" / "speeds.csv"
with SPEEDS.open(encoding="utf-8", newline="") as speeds:
    ARTICLES = sorted({row["article"] for row in csv.DictReader(speeds)})
NOT_STATED = "not stated"


@pytest.fixture(params=ARTICLES)
def article(request) -> str:
    return request.param


def shown(site, article: str, begins: str) -> dict:
    """The tables of a page whose name begins so, without the lines that head others."""
    found = tables(site, f"articles/{article}.html")
    return {
        name: table[table[table.columns[-1]] != table[table.columns[0]]]
        for name, table in found.items()
        if name.startswith(begins) and not name.endswith("-rest")
    }


def in_order(values) -> list:
    return [value for value, _ in groupby(values)]


def test_every_table_of_an_article_is_named_with_its_words_and_what_is_not_known_of_it(
    site, article
):
    page = site.words(f"articles/{article}.html")
    stated = rows(
        site,
        f"""
        select table_number, if(picture, concat('the picture ', table_name, ' '), 'compiled by us from its text'),
            rtrim(quote, '.:'), coalesce(concat(upper(note[1]), note[2:], '.'), '')
        from published_table where article = '{article}' order by table_number
        """,
    )
    places = []
    for number, kind, quote, note in stated:
        places.append(page.find(f"Table {number} , {kind}: \u201c{quote}\u201d."))
        assert places[-1] > 0 and " ".join(note.split()) in page, number
    assert places == sorted(places) != []


def test_every_published_row_is_on_its_page_in_order(site, article):
    stated = rows(
        site,
        f"""
        select coalesce(table_name, 'text'), table_order, max(as_printed) filter (where op = 'write'),
            max(as_printed) filter (where op = 'read')
        from comparable_article
        where article = '{article}'
        group by all
        having count(published_gbps) + count(measured_gbps) > 0
        order by coalesce(table_name, 'text'), table_order
        """,
    )
    found = shown(site, article, "figures-")
    assert set(found) == {f"figures-{name}" for name, *_ in stated}
    for name, table in found.items():
        expected = [row for row in stated if f"figures-{row[0]}" == name]
        if table["Image"].str.len().eq(0).any():
            raise AssertionError(f"{name}: a row without a name")
        # a figure stands once for each machine and release
        pairs = list(
            zip(
                table["Image"],
                table["Published write (GB/s)"],
                table["Published read (GB/s)"],
                strict=True,
            )
        )
        pairs = in_order(pairs)
        assert len(pairs) == len(expected), name
        for (_, *cells), (_, _, *printed) in zip(pairs, expected, strict=True):
            for cell, figure in zip(cells, printed, strict=True):
                assert (figure in cell) if figure else cell.startswith(NOT_STATED), (name, cell)


def test_measured_figures_stand_beside_them_with_interval_ratio_and_verdict(site):
    # of the articles whose figures the synthetic Macs have, the one of releases that they run
    article = "vm-2026"
    found = [
        line
        for name, table in tables(site, f"articles/{article}.html").items()
        if name.startswith("figures-") and "Measured on" in table
        for line in table.to_dict("records")
    ]
    judged = rows(
        site,
        f"""
        select op, measured_release, measured_gbps, measured_gbps_low, measured_gbps_high, ratio, verdict
        from comparable_article
        where article = '{article}' and verdict in ('reproduced', 'faster', 'slower', 'inconclusive')
        """,
    )
    assert {verdict for *_, verdict in judged} == {"inconclusive", "slower"}
    for op, slug, *numbers, verdict in judged:
        speed, low, high, ratio = numbers
        _, version, build = slug.split("-")
        release = f"macOS {version} ({build})"
        lines = [
            line
            for line in found
            if release in line["Measured on"]
            and line[f"Measured {op} (GB/s)"].startswith(_speed(speed))
            and f"{_speed(low)} to {_speed(high)}" in line[f"Measured {op} (GB/s)"]
            and (ratio is None or f"{ratio:.2f}\u00d7" in line[f"Measured {op} (GB/s)"])
            and verdict in line["Verdict"]
        ]
        assert lines, (op, slug, speed)


def _speed(number: float) -> str:
    return f"{number:#.2g}" if 0 < number < 0.1 else f"{number:.2f}"


def test_every_measurable_stated_size_is_on_its_page_in_order(site, article):
    stated = rows(
        site,
        f"""
        select coalesce(table_name, 'text'), table_order, concat(any_value(as_printed), ' ', any_value(unit))
        from article_size_table
        where article = '{article}'
        group by all
        order by coalesce(table_name, 'text'), table_order
        """,
    )
    found = shown(site, article, "sizes-")
    assert set(found) == {f"sizes-{name}" for name, *_ in stated}
    for name, table in found.items():
        expected = [printed for of, _, printed in stated if f"sizes-{of}" == name]
        keys = in_order(zip(table["Image"], table["What"], table["Published"], strict=True))
        assert len(keys) == len(expected)
        assert all(printed in cell for (*_, cell), printed in zip(keys, expected, strict=True))


MACS = {
    "mac-studio-m1-max": "Mac Studio M1 Max",
    "imac-pro": "iMac Pro",
    "macbook-pro-m1-pro": "MacBook Pro M1 Pro",
    "macbook-pro-m3-pro": "MacBook Pro M3 Pro",
    "mac-mini-m4-pro": "Mac mini M4 Pro",
}


def test_every_other_number_stands_in_order_with_its_mac_and_its_words(site, article):
    stated = rows(
        site,
        f"""
        select host, macos, condition, as_printed, quote from published_figure
        where article = '{article}' order by table_order
        """,
    )
    shown = tables(site, f"articles/{article}.html")["numbers"]
    assert len(shown) == len(stated) > 0
    for line, (host, macos, condition, printed, quote) in zip(
        shown.to_dict("records"), stated, strict=True
    ):
        place = [MACS.get(host), macos and f"macOS {macos}", condition]
        place = [one for one in place if one and one not in ("macOS any", "macOS unstated")]
        assert line["Of"].casefold().endswith(", ".join(place).casefold())
        assert sum(name in line["Of"] for name in MACS.values()) == (host in MACS), line
        assert printed in line["Published"]
        assert line["In its words"].startswith(f"\u201c{' '.join(quote.split())}\u201d")


def test_each_conclusion_says_what_its_query_answers_and_links_to_it(site, article):
    page = site.text(f"articles/{article}.html")
    items = dict(
        re.findall(r'<li id="conclusion-(\d+)">(.*?)(?=<li id="conclusion-|</ol>)', page, re.S)
    )
    stated = rows(
        site, f"select number, claim, quote, sql from conclusion where article = '{article}'"
    )
    assert set(items) == {str(number) for number, *_ in stated}
    for number, claim, quote, sql in stated:
        item = items[str(number)]
        assert html.escape(claim, quote=False) in item
        assert " ".join(quote.split()) in " ".join(html.unescape(item).split())
        if sql:
            assert linked(item)
            assert sql.strip().splitlines()[-1].strip() in html.unescape(item)
    answers = rows(
        site,
        f"""
        select number, outcome, detail, basis = 'published' from conclusion_evidence
        where article = '{article}'
            and outcome in ('supported', 'contradicted', 'undecided')
        """,
    )
    for number, outcome, detail, _ in answers:
        assert outcome in items[str(number)]
        assert not detail or detail in html.unescape(items[str(number)])
    for number, item in items.items():
        whose = re.findall(
            r'<span class="basis">(.*?)</span> <span class="verdict[^>]*>(.*?)<', item
        )
        told = sorted((outcome, text.startswith("its own figures")) for text, outcome in whose)
        assert told == sorted(
            (outcome, own) for of, outcome, _, own in answers if str(of) == number
        )


def test_each_table_links_to_its_rows_and_names_its_command(site, article):
    page = site.text(f"articles/{article}.html")
    for name in re.findall(r'id="table-((?:figures|sizes)-[\w-]+)"', page):
        below = page.split(f'id="table-{name}"')[1].split("</table>")[1][:6000]
        assert linked(below.split("</p>")[0]), name
    command = f"bash workflow/run.sh --config study={article} scale="
    assert command in html.unescape(page)


def test_the_doubts_about_published_figures_are_shown(site, article):
    found = tables(site, f"articles/{article}.html").get("doubts", {"Caveat or deduction": []})
    notes = rows(
        site,
        f"""
        select note from published_speed where article = '{article}' and note is not null
        union select note from published_size where article = '{article}' and note is not null
        union select note from published_figure where article = '{article}' and note is not null
        union select note from conclusion where article = '{article}' and note is not null
        """,
    )
    stated = {" ".join(note.split()) for (note,) in notes}
    assert set(found["Caveat or deduction"]) == stated


def test_a_table_that_an_article_only_recalls_is_folded_and_its_own_are_not(published_site):
    found = rows(
        published_site,
        """
        select article, table_name, bool_and(second_hand)
        from published_speed
        where table_name is not null group by all
        """,
    )
    assert {recalled for *_, recalled in found} == {True, False}
    for article, name, recalled in found:
        text = published_site.text(f"articles/{article}.html")
        before, table, _ = text.partition(f'id="table-figures-{name}"')
        assert table, (article, name)
        open_folds = before.count("<details") - before.count("</details>")
        assert bool(open_folds) == recalled, (article, name)


def test_in_short_the_speeds_with_a_verdict_and_those_without_add_up_to_those_published(
    site, article
):
    short = re.search(r"In short (.*?) Its tables", site.words(f"articles/{article}.html"))[1]
    assert "conclusions" in short
    assert "Measured again" in short
    [(published, judged)] = rows(
        site,
        f"""
        select
            (select count(read_gbps) + count(write_gbps) from published_speed where article = '{article}'),
            count(*) filter (verdict in (
                'reproduced', 'faster', 'slower', 'depends on the statistic', 'inconclusive'
            ))
        from comparable_article where article = '{article}' and published_gbps is not null
        """,
    )
    counted = re.findall(r"of (\d+) speeds, (.*?)(?:;|\.(?!\d))", short)
    assert bool(counted) == bool(judged)
    for total, verdicts in counted:
        assert int(total) == published
        assert sum(map(int, re.findall(r"\b\d+\b", verdicts))) == published, verdicts


@pytest.mark.parametrize(
    ("article", "said"),
    [
        (
            "slow-writes-2022",
            "Encrypted images write at 52 to 71 MB/s : 57 MB/s on the Mac Studio M1 Max, "
            "71 MB/s on the iMac Pro and 52 MB/s on the MacBook Pro M1 Pro . The article calls",
        ),
        # "about 1" may be 1.5: not twice as fast
        (
            "performance-2024",
            "Encrypted sparse images are slowest : they write 0.1 GB/s. Not encrypted, they write "
            "2.0 GB/s, faster than read-write images.",
        ),
        # two Macs of the past, which may be no Mac mini
        (
            "vm-2026",
            "The article recalls 0.7 GB/s under macOS 12 and 13, on a Mac that it does not name.",
        ),
        ("vm-2026", "recalled figures: macOS 12 and 13, Mac not stated"),
    ],
)
def test_a_page_says_in_short_no_more_than_the_figures_of_its_article(
    published_site, article, said
):
    found = published_site.words(f"articles/{article}.html").replace("\u00a0", " ")
    assert re.sub(r" ([:.])", r"\1", said) in re.sub(r" ([:.])", r"\1", found)
