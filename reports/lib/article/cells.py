"""The cells of an article's tables: image, published, measured, machine, verdict."""

from collections.abc import Callable

import pandas as pd

from lib import reasons, rules, show, tables, words

OTHERS = "on other machines and releases"
Table = Callable[[pd.DataFrame, str, str], show.Shown]


def image(
    row: dict, usually: tuple[str, str, str | None], group: str | None, notes: tables.Notes
) -> tables.Markup:
    """The image, and how and where it was measured if that differs from most rows.

    Left out are `usually` (Mac, release and condition of most rows, stated in the caption) and
    `group` (format or storage, stated in the heading above the row).
    """
    host, macos, condition = usually
    form, name = words.form(row["format"]), words.encryption(row["encryption"])
    if row["format"] == "native" and row["encryption"] == "unstated":
        name = form
    elif group != "format":
        name = f"{form}, {name}"
    parts = [row["condition"]] if row["condition"] != condition else []
    if row["storage"] not in ("internal", "unstated") and group != "storage":
        parts.append(f"on {words.storage(row['storage'])}")
    if (row["host"], row["macos"]) != (host, macos):
        parts.append(words.mac(row["host"], row["macos"]) or "Mac not stated")
    return tables.with_small(
        notes.on(words.capital(name), row["note"]), words.joined(dict.fromkeys(parts))
    )


def published(row: dict | None, notes: tables.Notes) -> tables.Markup:
    """The figure with exactly the printed digits, and its unit unless that is GB/s.

    A note says why if the article has no figure.
    """
    if row is None or words.missing(row["published_gbps"]):
        reason = None if row is None else row["reason"]
        return notes.on(tables.absent("not stated"), reason)
    text = words.bound(row["kind"], row["quote"]) + row["as_printed"]
    unit = row["unit_as_printed"]
    return tables.with_small(text, "" if unit == "GB/s" else unit)


def where(row: dict) -> tables.Markup:
    """Machine and release."""
    if words.missing(row["measured_host"]):
        return tables.absent()
    release = words.release(row["measured_release"])
    return tables.keep(tables.with_small(words.host(row["measured_host"]), release))


def measured(row: dict | None, notes: tables.Notes) -> tables.Markup:
    """Our figure, its interval, and the ratio to the published one if they are comparable.

    A note says what makes bytes / time and the slope differ by more than `verdict_rule` allows.
    """
    if row is None or words.missing(row["measured_host"]):
        return tables.markup("")
    if words.missing(row["measured_gbps"]):
        return tables.absent()
    below = [words.interval(row["measured_gbps_low"], row["measured_gbps_high"])]
    if not words.missing(row["measured_total_gbps"]):
        below.append(f"bytes / time {words.gbps(row['measured_total_gbps'])}")
    if row["verdict"] != "not comparable":
        below.append(words.ratio(row["ratio"]))
    differ = row["statistics_differ"]
    why = None if words.missing(differ) else f"bytes / time and the slope differ: {differ}"
    return tables.with_small(
        notes.on(words.gbps(row["measured_gbps"]), why), words.joined(below, "; ")
    )


def verdicts(rows: dict[str, dict]) -> tables.Markup:
    """One verdict for both directions if they agree, else one each, with the reasons.

    A direction that the article does not state has no verdict.
    """
    stated = {op for op, row in rows.items() if not words.missing(row["published_gbps"])}
    rows = {op: rows[op] for op in words.VERBS if op in (stated or rows)}
    if len({row["verdict"] for row in rows.values()}) > 1:
        return tables.Markup("<br>".join(f"{op}: {verdict(row)}" for op, row in rows.items()))
    first, *_ = rows.values()
    by_op = {op: why(row) for op, row in rows.items()}
    # what both have in common is said once
    both = [part for part in why(first) if all(part in parts for parts in by_op.values())]
    own = {op: ", ".join(part for part in parts if part not in both) for op, parts in by_op.items()}
    said = [f"{op}: {text}" for op, text in own.items() if text]
    small = "; ".join([*both, *said]) if said else ", ".join(both)
    return tables.with_small(tables.verdict(first["verdict"]), small)


def verdict(row: dict) -> tables.Markup:
    """The verdict of a row, and what a reader must know of it."""
    return tables.with_small(tables.verdict(row["verdict"]), ", ".join(why(row)))


def why(row: dict) -> list[str]:
    """What a reader must know of a verdict, in few words: why there is none, who measured."""
    by = words.vouched([row["vouched_by"]])
    return [*reasons_of(row), *([by] if by else [])]


def reasons_of(row: dict) -> list[str]:
    """Why there is no verdict; the command that measures what is missing is below the table."""
    match row["verdict"]:
        case "not comparable":
            return reasons.few(row["reasons"], row)
        case "not measured yet" if words.missing(row["command"]):
            return [f"no command measures it: {part}" for part in reasons.few(row["reasons"], row)]
        case "another release":
            # a table of speeds says above it, or beside the image, which one the article used
            return [] if "op" in row else [f"the article used macOS {row['macos']}"]
        case "too few runs":
            return [rules.too_few(int(row["measured_runs"]))]
        case "could not be measured":
            return [words.value(row["measured_reason"], "no reason given")]
        case "inconclusive":
            return ["the interval is partly within and partly beyond what counts as reproduced"]
        case "depends on the statistic":
            span = [words.ratio(row[end]) for end in ("least_ratio", "largest_ratio")]
            names = words.listed(list(row["reasons"]), "or")
            return [words.joined([names, words.joined(span, " to ")], " ")]
    return []


def number(row: dict) -> int:
    """The position of the measured release among those of its host; 0 if nothing was measured."""
    found = row["measured_release_number"]
    return 0 if words.missing(found) else int(found)


def with_others(
    rows: pd.DataFrame, table: Table, name: str, caption: str, others: str
) -> show.Shown | None:
    """A table of the lines that stand in it, and one of the others, folded below it.

    `table` makes one of rows, a name and a caption.
    """
    shown = first_shown(rows)
    first = table(rows[shown], name, caption)
    if shown.all():
        return first
    rest = rows[~shown]
    lines = rest.groupby(["table_order", "measured_host", "measured_release"]).ngroups
    title = words.capital(f"{OTHERS}: {words.count(lines, 'line')}")
    return show.together(first, show.folded(title, table(rest, f"{name}-rest", others)))


def first_shown(rows: pd.DataFrame) -> pd.Series:
    """The lines shown in the table itself; the others are folded below it.

    For each published row: the article's Mac under the published release, else under its newest
    measured one; if that Mac was not measured, the newest release of each machine.
    """
    best: dict[tuple[int, str], tuple] = {}
    lines = rows.to_dict("records")
    for row in lines:
        if not words.missing(row["measured_host"]):
            key = (row["table_order"], row["measured_host"])
            best[key] = max(best.get(key, ()), _rank(row))
    found = []
    for row in lines:
        order, host = row["table_order"], row["measured_host"]
        wanted = host == row["host"] or (order, row["host"]) not in best
        found.append(words.missing(host) or (wanted and best[order, host] == _rank(row)))
    return pd.Series(found, index=rows.index, dtype=bool)


def _rank(row: dict) -> tuple[bool, int]:
    """Ranks releases: the article's own release on its Mac first, then the newest."""
    # not by its version: a security improvement (a) bears that of its release
    published = row["verdict"] != "another release"
    return (row["measured_host"] == row["host"] and published, number(row))


def place(row: dict) -> tuple:
    """Sort key of a line: the article's Mac first, the newest release first."""
    return (
        row["measured_host"] != row["host"],
        str(row["measured_host"]),
        -number(row),
    )
