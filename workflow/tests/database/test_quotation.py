"""How much of the articles is quoted: phrases that hold a figure or a claim, and a fifth of none.

The articles are not part of the project. Where they lie beside it, quotes are compared with them;
everywhere else the words of each article, counted once, stand in articles.csv.
"""

import functools
import re
import subprocess
from pathlib import Path

import pytest
import yaml

from database import published

PROJECT = Path(__file__).parents[3]
ROWS = published.read(PROJECT / "data" / "published")
ARTICLES = PROJECT.parent / "shared" / "articles"
MOST_WORDS = 12
MOST_SHARE = 0.20
# as many words in a row are no chance
RUN = 6
QUOTED = re.compile("“([^”]+)”")

there = pytest.mark.skipif(not ARTICLES.is_dir(), reason="the articles are not beside the project")


ALL = {row["article"]: row for row in ROWS["articles"]}


def quotes():
    """Every quote with its article; a title that is cited is none."""
    for article, quote in found_quotes():
        if " ".join(quote.split()) not in {one["title"] for one in ALL.values()}:
            yield article, quote


def found_quotes():
    """Those of the tables, their notes, the studies, their protocols and the pages."""
    for name in ("tables", "speeds", "sizes", "figures", "conclusions", "formats"):
        for row in ROWS[name]:
            for column in ("quote", "write_quote"):
                if row.get(column):
                    yield row["article"], row[column]
            for column in ("note", "reason", "condition"):
                for words in QUOTED.findall(row.get(column) or ""):
                    yield row["article"], words
    study = yaml.safe_load((PROJECT / "workflow/config/study.yaml").read_text(encoding="utf-8"))
    for article, told in study["studies"].items():
        for row in told["matrix"]:
            yield article, row["quote"]
    for article in ALL:
        page = PROJECT / "reports" / "articles" / f"{article}.qmd"
        for words in QUOTED.findall(page.read_text(encoding="utf-8")):
            yield article, words
    for file in (PROJECT / "workflow/config/protocols").glob("*.yaml"):
        text = file.read_text(encoding="utf-8")
        article = yaml.safe_load(text)["article"]
        for words in re.findall('["“]([^"”]+)["”]', comments(text)):
            yield article, words


def comments(text):
    """What stands behind the #, as one line: a quote may go on in the next one."""
    return " ".join(line.partition("#")[2] for line in text.splitlines())


def text_of(article):
    """The article's words, one space between them."""
    title = ALL[article]["title"]
    for file in sorted(ARTICLES.glob("*.txt")):
        text = file.read_text(encoding="utf-8").replace("\u00a0", " ")
        starts = [
            found.start()
            for one in ALL.values()
            if (found := re.search(rf"^{re.escape(one['title'])}\s*$", text, re.M))
        ]
        if found := re.search(rf"^{re.escape(title)}\s*$", text, re.M):
            end = min((start for start in starts if start > found.start()), default=len(text))
            return " ".join(text[found.start() : end].split())
    raise AssertionError(f"{article} is in no file")


def test_every_quote_is_a_phrase():
    for article, quote in quotes():
        assert 0 < len(quote.split()) <= MOST_WORDS, (article, quote)


@pytest.mark.parametrize("article", ALL)
def test_the_quotes_of_an_article_are_less_than_a_fifth_of_its_words(article):
    # in whatever order, overlapping or not: more than they can cover
    own = {" ".join(quote.split()) for of, quote in quotes() if of == article}
    apart = [quote for quote in own if not any(quote != other and quote in other for other in own)]
    words = sum(len(quote.split()) for quote in apart)
    assert 0 < words <= MOST_SHARE * int(ALL[article]["words"]), words


@there
@pytest.mark.parametrize("article", ALL)
def test_the_words_of_an_article_are_counted_right(article):
    assert len(text_of(article).split()) == int(ALL[article]["words"])


@there
def test_every_quote_of_a_table_is_verbatim():
    looked_at = 0
    for name in ("tables", "speeds", "sizes", "figures", "conclusions", "formats"):
        for row in ROWS[name]:
            for column in ("quote", "write_quote"):
                if row.get(column):
                    assert " ".join(row[column].split()) in text_of(row["article"]), row
                    looked_at += 1
    assert looked_at > 300


@functools.cache
def repository_runs():
    """Every run of words in the files of the project."""
    listed = subprocess.check_output(["git", "ls-files"], cwd=PROJECT, text=True).splitlines()
    found = set()
    for name in listed:
        try:
            text = (PROJECT / name).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            continue
        words = plain(re.sub(r"(?m)^\s*(?:#|//|--|\*|>)+ ?", " ", text))
        found |= {tuple(words[place : place + RUN]) for place in range(len(words) - RUN + 1)}
    return found


def plain(text):
    words = (re.sub(r"[^\w%/.,]", "", word.lower()).strip(".,") for word in text.split())
    return [word for word in words if word]


@there
@pytest.mark.parametrize("article", ALL)
def test_less_than_a_fifth_of_an_article_is_in_the_whole_repository(article):
    words = plain(text_of(article).removeprefix(ALL[article]["title"]))
    quoted = [tuple(plain(quote)) for of, quote in quotes() if of == article]
    covered = set()
    for place in range(len(words)):
        if tuple(words[place : place + RUN]) in repository_runs():
            covered.update(range(place, place + RUN))
    for quote in set(quoted):
        first = next(
            (at for at in range(len(words)) if tuple(words[at : at + len(quote)]) == quote), None
        )
        if first is not None:
            covered.update(range(first, first + len(quote)))
    share = len(covered) / len(words)
    print(f"{article}: {100 * share:.1f} % of {len(words)} words")
    assert share <= MOST_SHARE
