"""An article's conclusions, each with the current result of its query."""

from html import escape
from operator import itemgetter

import pandas as pd

from lib import links, show, tables, words
from lib.database import query
from lib.tables import markup


def evidence(article: str) -> pd.DataFrame:
    """The conclusions with the results of their queries: one row for each basis and machine."""
    return query(
        """
        select
            conclusion.*, basis, evidence.host, measured_host, evidence.release, release_number,
            outcome, detail, evidence.vouched_by
        from conclusion
        left join (
            from conclusion_evidence
            where outcome in ('supported', 'contradicted', 'undecided')
        ) as evidence using (article, number)
        left join host on (host.host, host.release) = (measured_host, evidence.release)
        where conclusion.article = $article
        order by number, basis desc, measured_host nulls first, release_number
        """,
        article=article,
    )


def shown(article: str) -> show.Shown:
    """A numbered list: the claim, its quote, the result, the query."""
    rows = evidence(article)
    groups = [group.to_dict("records") for _, group in rows.groupby("number", sort=True)]
    items = "\n".join(map(_item, groups))
    methods = links.to("methods.html")
    opens = (
        "<p>Open a conclusion to see its figures and the reason for its result: "
        f'<a href="{methods}#rules-of-verdicts">rules</a>, '
        f'<a href="{methods}#glossary">names of formats</a>. Speeds are in GB/s; brackets show how '
        "far the rounding of printed figures, or the 95 % interval of measured ones, can move a "
        "result.</p>\n"
        if rows["cells"].notna().any()
        else ""
    )
    return show.html(
        f'{opens}<ol class="conclusions">\n{items}\n</ol>\n' + show.sources("Conclusions", rows)
    )


def _item(rows: list[dict]) -> str:
    """The claim with the result from the article's own figures; the rest is folded."""
    first = rows[0]
    newest, older = _by_age(rows)
    own = next((row for row in rows if row["basis"] == "published"), None)
    answer = f" {tables.verdict(own['outcome'])}" if own else ""
    ours = "".join(map(_answer, (row for row in newest if row["basis"] == "measured")))
    measured = f'<ul class="evidence">{ours}</ul>' if ours else ""
    note = (
        "" if words.missing(first["note"]) else f'<p class="note">Note: {markup(first["note"])}</p>'
    )
    return (
        f'<li id="conclusion-{first["number"]}">'
        f'<details><summary class="claim">{markup(first["claim"])}{answer}</summary>'
        f"<blockquote>{markup(words.quoted(first['quote']))} "
        f"<small>{markup(first['place'])}</small></blockquote>{_reading(first)}{note}"
        f'<ul class="evidence">'
        f"{''.join(map(_answer, [row for row in newest if row['basis'] != 'measured'] + older))}"
        f"</ul>"
        f"{_query(first)}</details>{measured}</li>"
    )


def _reading(row: dict) -> str:
    """Who interpreted the claim, and the rule that decides it."""
    ours = "our reading of its figures, not stated by the article" if row["ours"] else ""
    rule = "" if words.missing(row["rule"]) else f"rule: {words.quoted(row['rule'])}"
    note = words.joined([ours, rule], "; ")
    return f'<p class="note">{markup(words.capital(note))}</p>' if note else ""


def _by_age(rows: list[dict]) -> tuple[list[dict], list[dict]]:
    """The results shown at once, and the rest.

    Shown are the article's own figures and each machine's newest release that decides; only the
    article's machines, if any of them was measured here.
    """
    measured = [row for row in rows if row["basis"] == "measured"]
    measured.sort(key=itemgetter("measured_host", "release_number"))
    others = [row for row in rows if row["basis"] == "published"]
    decided = [row for row in measured if row["outcome"] != "undecided"]
    newest = {row["measured_host"]: row for row in decided}.values()
    # a guest is on the Mac that is its `host`
    own = {row["host"] for row in others} & {row["host"] for row in newest}
    kept = [row for row in newest if not own or row["host"] in own]
    rest = [row for row in reversed(measured) if row not in kept]
    return others + kept, sorted(rest, key=itemgetter("measured_host"))


def _answer(row: dict) -> str:
    return (
        f'<li><span class="basis">{markup(_basis(row))}</span> '
        f"{tables.verdict(row['outcome'])}{_detail(row)}</li>"
    )


def _detail(row: dict) -> str:
    """The figures behind a result, or what is missing."""
    return "" if words.missing(row["detail"]) else f"<small>{markup(row['detail'])}</small>"


def _basis(row: dict) -> str:
    """The basis: the article's own figures and their Mac, or the measured machine."""
    if row["basis"] == "published":
        if words.missing(row["host"]):
            return "its own figures"
        release = "" if words.missing(row["release"]) else f", macOS {row['release']}"
        return f"its own figures ({words.host(row['host'])}{release})"
    return words.machine(row["measured_host"], row["release"], by=[row["vouched_by"]])


def _query(row: dict) -> str:
    """The query, as text and as a link that runs it."""
    sql = row["sql"]
    if words.missing(sql):
        return '<p class="sources"><span>no figure can decide this</span></p>'
    link = show.query_link("run this query", f"conclusion {row['number']}", sql)
    return (
        f'<pre><code class="sql">{escape(str(sql).strip())}</code></pre>'
        f'<p class="sources">{link}</p>'
    )
