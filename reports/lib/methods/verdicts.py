"""The rules of verdicts and their tolerances."""

from lib import show, tables, words
from lib.database import query

# what is compared, and the rule in a sentence; {a rule} stands for its tolerance
COMPARISONS = {
    "article_table": (
        "A figure of an article and a measured one",
        "“reproduced” if the whole interval lies within {agreement} of the figure, or within half "
        "a unit of its last printed digit, by every statistic that the article may have printed",
    ),
    "article_size_table": (
        "A size of an article and a measured one",
        "“reproduced” if the median of the runs lies within {agreement} of the figure",
    ),
    "release_change": (
        "The same cell under two releases",
        "“faster” or “slower” if the corrected p is below {chance} and the whole interval lies "
        "beyond {least change}, alone and in proportion to the disk itself",
    ),
    "release_published": (
        "Two releases in the articles\u2019 own figures",
        "no verdict, as a printed number has no interval",
    ),
    "encryption_cost": (
        "Encrypted and not encrypted",
        "no verdict: the ratio is shown with its interval",
    ),
    "format_cost": (
        "With an image and without",
        "“costs next to nothing” if the whole interval lies within {agreement} of the disk itself; "
        "“faster” or “slower” if the corrected p is below {chance} and the whole interval lies "
        "beyond {least change}",
    ),
    "conclusion_evidence": (
        "What an article concludes, and what the figures say",
        "“supported” if every cell supports it, “contradicted” if one pair of cells does; the "
        "limits of each word are among the tolerances",
    ),
}


def rules() -> show.Shown:
    """How two figures are compared, each in a sentence, with a link to the whole rule."""
    return tables.table(
        [(name, *said) for name, said in COMPARISONS.items()],
        [
            tables.sentence("Compared", 1),
            tables.sentence("Rule", _rule),
            tables.text("The whole rule", 0, _table),
        ],
        "The rules of every comparison",
        name="rules",
    )


def _rule(row: tuple[str, str, str]) -> str:
    """The sentence with the tolerances in their places, as `verdict_rule` has them."""
    name, _, said = row
    rows = query("select rule, tolerance from verdict_rule where comparison = $name", name=name)
    known = rows.set_index("rule")["tolerance"]
    return words.capital(said.format_map(known.map(words.percent, na_action="ignore")))


def tolerances() -> show.Shown:
    """Every rule of a verdict with its tolerance and reason, as `verdict_rule` has them."""
    return tables.table(
        query("select * from verdict_rule order by comparison, rule").to_dict("records"),
        [
            tables.text("Table", "comparison", lambda name: name if " " in name else _table(name)),
            tables.text("Rule", "rule"),
            tables.text("In words", "condition"),
            tables.number("Tolerance", _tolerance),
            tables.text("Why", "reason"),
            tables.text("Source", "source"),
            tables.text("Set on", "set_on", words.day),
        ],
        "The rules of verdicts and their tolerances",
        name="tolerances",
        classes="wide",
    )


def _table(name: str) -> tables.Markup:
    return tables.link(name, f"data.html#table-{name}")


def _tolerance(row: dict) -> str:
    """A share in percent; runs and hours are counted."""
    if row["rule"] in ("runs", "same night"):
        return f"{row['tolerance']:.0f}"
    return words.percent(row["tolerance"])
