"""The answer first: which format for which need, from the newest release that has them all."""

from dataclasses import dataclass

import pandas as pd

from lib import articles, links, rules, show, tables, words
from lib.basis import Basis, runs_of, too_few_runs
from lib.database import query
from lib.tables import Markup, markup

SINGLE_FILE = {"UDRW", "ASIF", "UDSP"}  # a sparse bundle is a folder of bands
SPEEDS_OF = "encryption-2026"  # the article whose protocol the measured speeds follow
TITLES = {
    "encryption-2026": "Encryption, 2026",
    "vm-2026": "Virtual machines, 2026",
    "explainer-2026": "Formats, 2026",
    "performance-2024": "Performance, 2024",
    "bands-2024": "Bands, 2024",
    "slow-writes-2022": "Slow writes, 2022",
}
NOT_THERE = "not measured there yet"


@dataclass(frozen=True)
class Answer:
    """One line of the table: a need, what to take, and why."""

    need: str
    take: str
    write: Markup
    read: Markup
    beside: str  # what comes next, and how fast that is
    doubt: str
    article: str
    sql: str | None

    def cells(self) -> dict[str, object]:
        rows = tables.link("rows", links.rows(self.sql)) if self.sql else ""
        page = tables.link(TITLES[self.article], links.to(f"articles/{self.article}.html"))
        return {
            "need": self.need,
            "take": Markup(f"<b>{markup(self.take[0].upper() + self.take[1:])}</b>"),
            "write": self.write,
            "read": self.read,
            "beside": tables.with_small(self.beside, self.doubt),
            "proof": Markup(f"{page}<small>{rows}</small>"),
        }


def lead(base: Basis) -> show.Shown:
    """A sentence on encrypted images, one on those that are not, and what cannot be judged yet."""
    sentences = [_encrypted(base), _not_encrypted(base), _not_judged(base)]
    return show.text(" ".join(filter(None, sentences)))


def _encrypted(base: Basis) -> str:
    ranked = base.coded
    best, behind = ranked.iloc[0], ranked.drop(equals(ranked).index)
    interval = words.interval(best["write_low"], best["write_high"])
    interval = f" (95 % interval between runs {interval})" if interval else ""
    than = ""
    if len(behind):
        other = behind.iloc[0]
        than = f", where {short(other['format'])}, the next, writes {_said(other, 'write')}"
    runs = f", {runs_of(ranked)}" if base.measured else ""
    major = base.os_version.partition(".")[0]
    return (
        f"**Encrypted on macOS {major}: take {_article(_choice(ranked))}.** "
        f"It writes {_said(best, 'write')} GB/s{interval} and reads {_said(best, 'read')}{than} "
        f"(AES-256; {base.where}, {_origin(base)}{runs})."
    )


def _not_encrypted(base: Basis) -> str:
    ranked = base.plain
    first = ranked.iloc[0]
    least = (1 - rules.tolerance("start page", "fast enough")) * first["write_gbps"]
    enough = _at_most(ranked, "write") >= least
    fast, slow = ranked[enough], ranked[~enough]
    last = fast.iloc[-1]
    # of the formats compared: a sparse image (UDSP) is none of them
    named = words.listed([short(form) for form in fast["format"]], "or")
    advice = f"take {named}" if len(slow) else f"any of {_names(fast)} will do"
    spread = (
        f"they write {_said(last, 'write')} ({short(last['format'])}) to "
        f"{_said(first, 'write')} GB/s ({short(first['format'])})"
        if len(fast) > 1
        else f"{short(first['format'])} writes {_said(first, 'write')} GB/s"
    )
    return f"**Not encrypted, {advice}**: {spread}."


def _not_judged(base: Basis) -> str:
    """That a newer release was measured, too seldom to recommend anything for it."""
    newer = too_few_runs(base)
    if newer is None:
        return ""
    least = int(rules.tolerance("every comparison", "runs"))
    rows = links.rows(newer.rows.attrs["sql"])
    return (
        f"For {newer.where}, there are [figures]({rows}) of {runs_of(newer.rows)} and no verdict, "
        f"which needs {words.count(least, 'run')} of each image."
    )


def table(base: Basis) -> show.Shown:
    """Needs and formats, a line each."""
    lines = [*_by_speed(base), *_by_space(base), *_elsewhere()]
    shown = base.rows
    return tables.table(
        [line.cells() for line in lines if line],
        {
            "need": "You want",
            "take": "Take",
            "write": "Write (GB/s)",
            "read": "Read (GB/s)",
            "beside": "Next, and doubts",
            "proof": "Proof",
        },
        f"New images; {base.where}, {_origin(base)}. Other Macs and releases are named.",
        numbers=["write", "read"],
        name="answers",
        classes="wide needs",
        source=shown,
    )


def _by_speed(base: Basis) -> list[Answer]:
    coded, plain = base.coded, base.plain
    single = coded[coded["format"].isin(SINGLE_FILE)]
    read = coded.sort_values("read_gbps", ascending=False)
    fast = equals(plain.sort_values("read_gbps", ascending=False), "read")
    alike = f"not encrypted, {_names(fast)} read {_span(fast, 'read')}"
    return [
        _fastest(base, "Encrypted, and fast", coded),
        _fastest(base, "Encrypted, in a single file", single),
        _fastest(base, "Not encrypted, and fast", plain),
        _fastest(base, "Encrypted, and mostly read", read, "read", alike),
    ]


def _fastest(
    base: Basis, need: str, ranked: pd.DataFrame, op: str = "write", more: str = ""
) -> Answer:
    level = equals(ranked, op)
    notes = dict.fromkeys(note for note in level["note"] if not words.missing(note))
    return Answer(
        need=need,
        take=_choice(ranked, op),
        write=_speed(ranked.iloc[0], "write"),
        read=_speed(ranked.iloc[0], "read"),
        beside="; ".join(filter(None, [_others(ranked, level, op), more])),
        doubt=f"Doubt: {'; '.join(notes)}" if notes else "",
        article=base.article or SPEEDS_OF,
        sql=base.rows.attrs["sql"],
    )


def _others(ranked: pd.DataFrame, level: pd.DataFrame, op: str) -> str:
    """Formats about equal to the first, or the next one behind it."""
    said = pd.Series(
        [f"{short(row['format'])} {op}s {_said(row, op)}" for row in _rows(ranked)], ranked.index
    )
    if len(level) > 1:
        alike = ", ".join(said[level.index[1:]])
        return f"speeds of {short(ranked['format'].iloc[0])}; about equal: {alike}"
    return said.iloc[1] if len(said) > 1 else ""


def _by_space(base: Basis) -> list[Answer]:
    """The smallest new image: measured with the speeds, else as an article states it."""
    sizes = _measured_sizes(base) if base.measured else None
    here = sizes is not None and len(sizes) >= 3
    sizes = sizes if here else _published_sizes()
    if sizes.empty:
        return []
    small = sizes.iloc[0]
    alike = sizes[sizes["new"] == small["new"]]
    said = [f"{short(row['format'])} {row['new']}" for row in _rows(sizes[len(alike) :])]
    after = [
        f"{short(row['format'])} {row['emptied']}"
        for row in _rows(sizes)
        if not words.missing(row["emptied"])
    ]
    first = f"speeds of {short(small['format'])}" if len(alike) > 1 else ""
    parts = [first, ", ".join(said), f"emptied after use {', '.join(after)}" if after else ""]
    if base.measured and not here:
        parts.append(_published_on(small))
    speeds = base.plain.set_index("format")
    speed = speeds.loc[small["format"]] if small["format"] in speeds.index else None
    return [
        Answer(
            need="Little space on disk when new",
            take=f"{words.listed([short(form) for form in alike['format']], 'or')}: {small['new']}",
            write=_speed(speed, "write"),
            read=_speed(speed, "read"),
            beside="; ".join(filter(None, parts)),
            doubt="" if words.missing(small["note"]) else f"Doubt: {small['note']}",
            article=small["article"],
            sql=sizes.attrs["sql"],
        )
    ]


def _published_sizes() -> pd.DataFrame:
    """Sizes on disk from the newest article that has those of three formats and more."""
    return query(
        """
        with latest as (
            select article from published_size
            where quantity = 'on-disk' and state = 'new' and value_bytes is not null
            group by article, macos
            having count(distinct format) >= 3
            order by release_order(macos) desc
            limit 1
        )
        select
            size.article, host, macos, format,
            max(value_bytes) filter (where state = 'new') as new_bytes,
            max(as_printed || ' ' || unit) filter (where state = 'new') as new,
            max(as_printed || ' ' || unit) filter (where state = 'emptied-again') as emptied,
            max(quote) as quote, max(note) filter (where state = 'new') as note
        from published_size as size
        inner join latest using (article)
        where quantity = 'on-disk'
        group by size.article, host, macos, format
        order by new_bytes, format desc
        """
    )


def _measured_sizes(base: Basis) -> pd.DataFrame:
    """Sizes on disk of the images whose speeds are the basis: medians, new ones of as many runs."""
    rows = query(
        """
        select
            cell.format,
            median(allocated_bytes) filter (where state = 'new') as new_bytes,
            median(allocated_bytes) filter (where state = 'emptied-again') as emptied_bytes
        from container_size
        inner join cell using (cell)
        where host = $host and release = $release and driver = 'apple' and storage = 'internal'
            and protocol = 'usage-phases' and scale = 'gold' and encryption = 'none'
            and band_bytes is null and not cell.stand_in
        group by cell.format
        having count(distinct repeat) filter (where state = 'new') >= (
            select tolerance from verdict_rule
            where comparison = 'every comparison' and rule = 'runs'
        )
        order by new_bytes, format desc
        """,
        host=base.host,
        release=base.release,
    )
    sql = rows.attrs["sql"]
    rows = rows.assign(
        new=rows["new_bytes"].map(words.size),
        emptied=[None if words.missing(n) else words.size(n) for n in rows["emptied_bytes"]],
        article=SPEEDS_OF,
        note=None,
    )
    rows.attrs["sql"] = sql
    return rows


def _elsewhere() -> list[Answer | None]:
    """Needs that an article answers by its words, or on other releases than the newest."""
    return [_virtual_machine(), _older(), *_by_words()]


def _virtual_machine() -> Answer | None:
    rows = query(
        """
        select article, host, macos, encryption, write_gbps, read_gbps,
            write_as_printed, read_as_printed, quote, note
        from published_speed
        where format = 'VM' and write_gbps is not null and read_gbps is not null and not second_hand
            and kind = 'exact'
        order by release_order(macos) desc nulls last, write_gbps desc
        """
    )
    if rows.empty:
        return None
    best = rows.iloc[0]
    others = [
        f"with FileVault inside it writes {_said(row, 'write')}, reads {_said(row, 'read')}"
        for row in _rows(rows)
        if row["encryption"] == "FileVault" and row["macos"] == best["macos"]
    ]
    return Answer(
        need="A virtual machine\u2019s disk",
        take="RAW",
        write=_speed(best, "write"),
        read=_speed(best, "read"),
        beside="; ".join([*others, _published_on(best)]),
        doubt="Doubt: no other format was tested in a virtual machine",
        article=best["article"],
        sql=rows.attrs["sql"],
    )


def _older() -> Answer | None:
    """The newest release before 26 for which an article has both formats that it knows."""
    rows = query(
        """
        with older as (
            select
                article, host, macos, storage, condition, format,
                max(write_gbps) as write_gbps, max(write_as_printed) as write_as_printed,
                max(read_gbps) as read_gbps, max(read_as_printed) as read_as_printed,
                max(quote) as quote, max(note) as note
            from published_speed
            where release_order(macos) < [26]
                and format in ('UDSB', 'UDRW') and encryption = 'none'
                and write_gbps is not null and kind = 'exact' and not second_hand
            group by all
        )
        select *
        from older
        where (article, host, macos, storage) in (
            select (article, host, macos, storage) from older
            group by article, host, macos, storage
            having count(distinct format) = 2
            order by release_order(macos) desc
            limit 1
        )
        order by write_gbps desc
        """
    )
    if rows.empty:
        return None
    best, rest = rows.iloc[0], rows[rows["format"] != rows["format"].iloc[0]]
    said = [f"{short(row['format'])} writes {_said(row, 'write')}" for row in _rows(rest)]
    place = words.name(words.STORAGES, best["storage"])
    asif = query("select since, quote from published_format where format = 'ASIF'")
    since = str(asif["since"].iloc[0])
    return Answer(
        need="To be used under an older macOS, too",
        take=short(best["format"]),
        write=_speed(best, "write"),
        read=_speed(best, "read"),
        beside="; ".join([*said, f"{_published_on(best)}, {place}"]),
        doubt=f"Not ASIF: {since} is the first to know it",
        article=best["article"],
        sql=rows.attrs["sql"],
    )


# Needs that no figure answers: what to take, what else, and the conclusion of an article behind it
BY_WORDS = (
    (
        "On a network, or on a disk without APFS",
        "sparse bundle",
        "in a single file: ASIF",
        ("encryption-2026", 15),
    ),
    (
        "A backup on another disk",
        "sparse bundle",
        "it is a folder of bands: what did not change need not be copied again",
        ("performance-2024", 10),
    ),
)


def _by_words() -> list[Answer]:
    missing = Markup(f'<span class="missing">{NOT_THERE}</span>')
    found = []
    for need, take, beside, (article, number) in BY_WORDS:
        rows = query(
            "select * from conclusion where article = $article and number = $number",
            article=article,
            number=number,
        )
        said = f"\u201c{rows['quote'].iloc[0]}\u201d"
        sql = rows.attrs["sql"]
        found.append(Answer(need, take, missing, missing, beside, said, article, sql))
    return found


def equals(ranked: pd.DataFrame, op: str = "write") -> pd.DataFrame:
    """The rows about as fast as the first, and those whose interval between runs meets its own."""
    first = ranked.iloc[0]
    least = (1 - rules.tolerance("start page", "about equal")) * first[f"{op}_gbps"]
    low = first[f"{op}_low"]
    return ranked[_at_most(ranked, op) >= (least if words.missing(low) else min(least, low))]


def _at_most(rows: pd.DataFrame, op: str) -> pd.Series:
    """What each may reach: the upper end of its interval, or its speed where it has none; GB/s."""
    return rows[f"{op}_high"].fillna(rows[f"{op}_gbps"]).astype(float)


def short(form: object) -> str:
    """The short name of a format: `sparse bundle`."""
    return words.name(words.FORMATS, form).partition(" (")[0]


def _article(name: str) -> str:
    return f"a {name}" if name.startswith("sparse") else name


def _choice(ranked: pd.DataFrame, op: str = "write") -> str:
    return words.listed([short(form) for form in equals(ranked, op)["format"]], "or")


def _names(rows: pd.DataFrame) -> str:
    return words.listed([short(form) for form in rows["format"]])


def _said(row: pd.Series | dict, op: str) -> str:
    """A speed as the article prints it, or as measured."""
    printed = row.get(f"{op}_as_printed")
    return words.gbps(row[f"{op}_gbps"]) if words.missing(printed) else str(printed)


def _speed(row: pd.Series | None, op: str) -> Markup:
    """A speed, with the interval of a measured one below it."""
    if row is None or words.missing(row[f"{op}_gbps"]):
        return Markup('<span class="missing">not stated</span>')
    return tables.with_small(
        _said(row, op), words.interval(row.get(f"{op}_low"), row.get(f"{op}_high"))
    )


def _span(rows: pd.DataFrame, op: str) -> str:
    ordered = rows.sort_values(f"{op}_gbps")
    low, high = (_said(ordered.iloc[place], op) for place in (0, -1))
    return low if low == high else f"{low} to {high}"


def _published_on(row: pd.Series) -> str:
    """The Mac and release of a published figure that stands among others."""
    return f"published: {words.host(row['host'])}, macOS {row['macos']}"


def _origin(base: Basis) -> str:
    if base.measured:
        return "measured here"
    about = articles.about(base.article)
    return f"published {about['published_on']:%B %Y}"


def _rows(table: pd.DataFrame) -> list[dict]:
    return table.to_dict("records")


def chart_caption(base: Basis, other: pd.DataFrame) -> str:
    """Whose figures a chart of the basis shows, and how they are marked."""
    if base.measured:
        return (
            f"Measured here: new images, {runs_of(base.rows)} each; {base.where}. Theil-Sen slope "
            "of time on size, the mean of the runs; the thick part of a line is its 95 % interval "
            "between runs."
        )
    about = articles.about(base.article)
    more = (
        " The article states one figure for each and no interval."
        if other.empty
        else " Diamonds: the article, one figure each and no interval. Circles: measured here "
        f"on the same Mac and release, {_interval(other)}."
    )
    return (
        f"As published by {about.author}, {about.published_on:%B %Y}: new images, "
        f"{articles.workload(base.article)}; {base.where}.{more}"
    )


def _interval(rows: pd.DataFrame) -> str:
    """Whether measured rows have an interval between their runs, and of how many runs they are."""
    low = rows[["write_low", "read_low"]]
    known = low.notna()
    has = "with" if known.all(axis=None) else "some with" if known.any(axis=None) else "without"
    return f"{runs_of(rows)}, {has} a 95 % interval between runs"
