"""The share of each article's words that is quoted, counted when the page is rendered.

Quotes are in the published tables and their notes, in the studies, in the protocols' comments and
on the articles' pages. Each counts once; a quote within another does not count.
"""

import re

from lib import project, protocols, show, study, tables, words
from lib.database import query

# of each article's words
MOST = 0.2
QUOTED = re.compile("“([^”]+)”")
# columns with a quote, and remarks that may contain quotes
TABLES = {
    "published_table": ["quote", "note"],
    "published_speed": ["quote", "write_quote", "note", "reason", "condition"],
    "published_size": ["quote", "note", "condition"],
    "published_figure": ["quote", "note", "condition"],
    "published_format": ["quote", "note"],
    "conclusion": ["quote", "note"],
}


def shown() -> show.Shown:
    """A line per article: its words, quoted words, and their share."""
    articles = query("select article, title, words from article order by published_on")
    titles = set(articles["title"])
    found = {article: quoted(article, titles) for article in articles["article"]}
    return tables.table(
        articles,
        [
            tables.text(
                "Article",
                lambda row: tables.link(row["title"], f"articles/{row['article']}.html"),
            ),
            tables.number("Words", "words", "{:,}".format),
            tables.number("Quoted", lambda row: f"{found[row['article']]:,}"),
            tables.number("Share", lambda row: words.percent(found[row["article"]] / row["words"])),
            tables.text(
                "Within the limit",
                lambda row: "yes" if found[row["article"]] <= MOST * row["words"] else "no",
            ),
        ],
        f"Words quoted from each article, each quote once; the limit is {words.percent(MOST)}",
        name="quotation",
    )


def quoted(article: str, titles: set[str]) -> int:
    """The words of all quotes of an article; cited titles do not count."""
    found = {" ".join(quote.split()) for quote in _quotes(article)} - titles
    whole = [one for one in found if not any(one != other and one in other for other in found)]
    return sum(len(quote.split()) for quote in whole)


def _quotes(article: str) -> list[str]:
    found: list[str] = []
    for table, columns in TABLES.items():
        rows = query(
            f"select {', '.join(columns)} from {table} where article = $article", article=article
        )
        for column in columns:
            texts = [text for text in rows[column] if not words.missing(text)]
            if column.endswith("quote"):
                found += texts
            else:
                found += [quote for text in texts for quote in QUOTED.findall(text)]
    for slug, one in study.settings()["studies"].items():
        found += [row["quote"] for row in one["matrix"]] if slug == article else []
    found += QUOTED.findall(project.text(f"reports/articles/{article}.qmd"))
    for name, protocol in protocols.all_protocols().items():
        if protocol["article"] == article:
            text = project.text(f"workflow/config/protocols/{name}.yaml")
            comments = re.sub(r"\n\s*#", " ", text)
            found += re.findall('#[^\n]*?["“]([^"”]+)["”]', comments)
    return found
