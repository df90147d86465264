"""The same cell under one release of macOS after the other: lines, and what changed."""

import itertools
import math

import pandas as pd

from lib import runs, show, tables, words
from lib.charts import releases as charts
from lib.charts.parts import ORDER
from lib.database import query

RUN = "bash workflow/run.sh"
VERBS = {"write": "Writing", "read": "Reading"}
NOTABLE = (
    0.1  # printed figures that differ by less are said to be about equal: repeats differ by 8 %
)
ENCRYPTED = ["none", "AES-128", "AES-256", "FileVault", "APFS", "unstated"]

# every speed with a Mac and a release: of the articles, of other sources, measured
FIGURES = """
select
    'published' as basis, article as origin, host, macos as release, macos as version, storage,
    'apple' as driver, format, encryption, phase, protocol, scale, tool, condition, op,
    case op when 'write' then coalesce(write_kind, kind) else kind end as kind,
    case op when 'write' then write_gbps else read_gbps end as gbps,
    case op when 'write' then write_gbps_to else read_gbps_to end as gbps_to,
    null::double as low, null::double as high, null::bigint as files,
    case op when 'write' then write_as_printed else read_as_printed end as printed,
    second_hand, true as comparable, null as why_not_comparable, note, null::integer as repeat
from published_speed
cross join (select unnest(['write', 'read']) as op)
where host <> 'unstated' and macos <> 'unstated' and gbps is not null
union all by name
select
    'published' as basis, source_id as origin, host, macos as release, macos as version, storage,
    'apple' as driver, format, encryption, phase, 'unstated' as protocol, 'unstated' as scale, tool,
    condition, directions.op, kind,
    case directions.op when 'write' then write_gbps else read_gbps end as gbps,
    case directions.op when 'write' then write_as_printed else read_as_printed end as printed,
    read_as <> 'opening' as second_hand, true as comparable, note
from published_elsewhere
cross join (select unnest(['write', 'read']) as op) as directions
where host <> 'unstated' and macos <> 'unstated' and quantity = 'speed' and gbps is not null
union all by name
select
    'measured' as basis, cell as origin, host, release,
    case when release like 'macos-%' then os_version else release end as version,
    storage, driver, format, encryption, phase, protocol, scale, 'diskbench' as tool, op,
    'exact' as kind, theil_sen_gbps as gbps, theil_sen_gbps_low as low,
    theil_sen_gbps_high as high, files, false as second_hand, comparable, why_not_comparable, repeat
from measured_speed
where theil_sen_gbps is not null and not stand_in and band_bytes is null
"""

CHANGES = """
select *
from release_change
where consecutive
order by
    try_cast(string_split(string_split(later_release, '-')[2], '.') as integer[]) desc nulls last,
    later_release desc,
    try_cast(string_split(string_split(earlier_release, '-')[2], '.') as integer[]) desc nulls last,
    earlier_release desc, host, storage, driver,
    list_position(['UDSB', 'UDRW', 'ASIF', 'UDSP', 'VM', 'native'], format), encryption desc,
    protocol <> 'usage-phases', protocol, scale, band_bytes nulls first, repeat,
    list_position(['fresh', 'partly-filled', 'emptied'], phase), op desc
"""

PUBLISHED = """
select *
from release_published
qualify dense_rank() over (
    partition by host, storage, format, encryption, phase, op, later_article, later_table_order
    order by try_cast(string_split(earlier_macos, '.') as integer[]) desc
) = 1
order by
    try_cast(string_split(later_macos, '.') as integer[]) desc,
    try_cast(string_split(earlier_macos, '.') as integer[]) desc, host, storage,
    list_position(['UDSB', 'UDRW', 'ASIF', 'UDSP', 'VM', 'native'], format), encryption, op desc
"""


def changes() -> pd.DataFrame:
    """Every cell under two releases that follow each other, the newest pair first."""
    return query(CHANGES)


def published() -> pd.DataFrame:
    """The articles' own figures under two releases that follow each other, the newest first."""
    return query(PUBLISHED)


def figures() -> pd.DataFrame:
    """Every speed with a Mac and a release; `place` puts releases in their order."""
    rows = query(FIGURES)
    bare = rows["storage"] == "unstated"
    rows["note"] = rows["note"].mask(
        bare, "on which storage is not stated; " + rows["note"].fillna("")
    )
    return rows.assign(
        # a Mac without a word of its storage stands beside its internal one, and says so
        shelf=rows["storage"].mask(bare, "internal"),
        note=rows["note"].str.removesuffix("; "),
        place=[tuple(words.version(version)) for version in rows["version"]],
        served=["portable" if driver == "portable" else "macos" for driver in rows["driver"]],
    )


def answer(changed: pd.DataFrame, printed: pd.DataFrame) -> show.Shown:
    """The first sentences: what the newest release changed, as measured, then as published."""
    parts = [_measured_answer(changed), _published_answer(printed)]
    return show.text("\n\n".join(filter(None, parts)) or "No two releases are known yet.")


def _measured_answer(changed: pd.DataFrame) -> str:
    if changed.empty:
        return _one_release()
    newest = changed.iloc[0]
    rows = changed[
        (changed["later_release"] == newest["later_release"])
        & (changed["earlier_release"] == newest["earlier_release"])
    ]
    return f"**{_told(rows)}**"


def _told(rows: pd.DataFrame) -> str:
    """`Between macOS 26.3.1 and 26.4, 3 of 40 speeds became slower and none faster`."""
    judged = rows[rows["change"] != "not comparable"]
    earlier, later = rows["earlier_release"].iloc[0], rows["later_release"].iloc[0]
    pair = f"Between {_system(earlier)} and {_system(later, True)}"
    hosts = words.count(rows["host"].nunique(), "machine")
    if judged.empty:
        return f"{pair}, none of {words.count(len(rows), 'pair')} can be compared ({hosts})."
    slower, faster = ((judged["change"] == change).sum() for change in ("slower", "faster"))
    left = len(rows) - len(judged)
    more = f"; {left} more cannot be compared" if left else ""
    return (
        f"{pair}, {slower or 'none'} of {words.count(len(judged), 'measured speed')} became "
        f"slower and {faster or 'none'} faster; for the other {len(judged) - slower - faster} "
        f"no change is shown ({hosts}{more})."
    )


def _one_release() -> str:
    """Why there is nothing to compare of what was measured."""
    measured = query(
        "select host, release from host where host in (select host from cell where not stand_in)"
    )
    if measured.empty:
        return (
            "Nothing measured yet: these are published figures. "
            f"`{RUN}` measures the release of macOS that it is run on."
        )
    told = [words.machine(row.host, row.release) for row in measured.itertuples()]
    return (
        f"**One release measured ({'; '.join(told)}), nothing to compare yet**: after an "
        f"update the same command, `{RUN}`, measures the new one and leaves the old one alone."
    )


def _published_answer(printed: pd.DataFrame) -> str:
    """What the printed figures say of each pair of releases, the newest first."""
    told = []
    for (earlier, later), rows in printed.groupby(["earlier_macos", "later_macos"], sort=False):
        less, more = rows[rows["ratio"] < 1 - NOTABLE], rows[rows["ratio"] > 1 + NOTABLE]
        parts = [
            f"{len(part)} {word} ({words.listed([_step(row) for row in part.to_dict('records')])})"
            for part, word in ((less, "lower"), (more, "higher"))
            if len(part)
        ]
        same = len(rows) - len(less) - len(more)
        parts += [f"{same} within {words.percent(NOTABLE)}"] if same else []
        told.append(f"between {earlier} and {later}, {words.listed(parts)}")
    if not told:
        return ""
    return f"As published, figure by figure: {'; '.join(told)}. The doubts about them stand below."


def _step(row: dict) -> str:
    name = words.name(words.FORMATS, row["format"]).partition(" (")[0]
    coded = "" if row["encryption"] == "none" else f" {row['encryption']}"
    return (
        f"{name}{coded} {row['op']} {row['earlier_as_printed']} to {row['later_as_printed']} "
        f"{row['later_unit_as_printed']}"
    )


def _system(release: str, short: bool = False) -> str:
    """`macOS 26.4` for `macos-26.4-25E246`; other systems as they are."""
    name, _, rest = release.partition("-")
    if name != "macos":
        return release
    return rest.split("-")[0] if short else f"macOS {rest.split('-')[0]}"


def tables_of_changes(changed: pd.DataFrame) -> show.Shown | None:
    """A table for each pair of releases, the newest first; cells without a change folded away."""
    pairs = changed.groupby(["earlier_release", "later_release"], sort=False)
    parts = []
    for number, (_, rows) in enumerate(pairs, start=1):
        parts.append(show.text(f"### {_heading(rows)}\n\n{_told(rows)}"))
        keys = ["earlier_cell", "later_cell"]
        moved = rows[rows["change"].isin(["slower", "faster"])][keys].drop_duplicates()
        which = rows.reset_index().merge(moved, on=keys)["index"]
        first, rest = rows.loc[which], rows.drop(which)
        first = first.sort_values("change", key=lambda change: change != "slower", kind="stable")
        if not first.empty:
            parts.append(_change_table(first, f"changed-{number}"))
        if not rest.empty:
            cells = words.count(rest["later_cell"].nunique(), "cell")
            title = f"Without a change that is shown: {cells}"
            parts.append(show.folded(title, _change_table(rest, f"unchanged-{number}")))
    return show.together(*parts) if parts else None


def _heading(rows: pd.DataFrame) -> str:
    earlier, later = rows["earlier_release"].iloc[0], rows["later_release"].iloc[0]
    return f"From {_system(earlier)} to {_system(later, True)}"


def _change_table(rows: pd.DataFrame, name: str) -> show.Shown:
    lines = []
    for _, group in rows.groupby(["earlier_cell", "later_cell"], sort=False):
        one = {row["op"]: row for row in group.to_dict("records")}
        row = next(iter(one.values()))
        lines.append(
            {
                "order": row["host"],
                "where": _where(row),
                "image": tables.with_small(
                    words.image(row["format"], row["encryption"], row["driver"], row["band_bytes"]),
                    _state(row),
                ),
                **{f"{op} speeds": _speeds(one.get(op)) for op in VERBS},
                **{op: _change(one.get(op)) for op in VERBS},
            }
        )
    lines.sort(key=lambda line: line["where"])  # stable: machines together, slower ones first
    earlier, later = rows["earlier_release"].iloc[0], rows["later_release"].iloc[0]
    return tables.table(
        lines,
        {
            "image": "Cell",
            "write speeds": "Write before, after (GB/s)",
            "write": "Write",
            "read speeds": "Read before, after (GB/s)",
            "read": "Read",
        },
        f"{_heading(rows)}: speed later / earlier, with its 95 % interval and the corrected p",
        numbers=["write speeds", "read speeds"],
        heading="where",
        name=name,
        classes="wide",
        source=f"select * from release_change where earlier_release = '{earlier}' "
        f"and later_release = '{later}' order by change desc, host, later_cell, op desc",
        command=RUN,
    )


def _where(row: dict) -> str:
    storage = words.name(words.STORAGES, row["storage"])
    ours = " (driver portable)" if row["driver"] == "portable" else ""
    return f"{words.host(row['host'])}, on {storage}{ours}"


def _state(row: dict) -> str:
    parts = [runs.state_of(row)]
    parts += [f"scale {row['scale']}"] if row["scale"] != "gold" else []
    parts += [f"repeat {row['repeat']}"] if row["repeat"] > 1 else []
    return ", ".join(parts)


def _speeds(row: dict | None) -> tables.Markup:
    if row is None:
        return tables.markup("")
    return tables.keep(f"{words.gbps(row['earlier_gbps'])}, {words.gbps(row['later_gbps'])}")


def _change(row: dict | None) -> tables.Markup:
    """The verdict, the ratio with its interval, the corrected p; or why there is none."""
    if row is None:
        return tables.markup("")
    if row["change"] == "not comparable":
        return tables.with_small(
            tables.verdict("not comparable"), words.slugs(row["why_not_comparable"])
        )
    below = words.ratio(row["ratio"])
    if not words.missing(row["ratio_low"]) and not words.missing(row["ratio_high"]):
        below += f" ({row['ratio_low']:.2f} to {row['ratio_high']:.2f})"
    return tables.with_small(tables.verdict(row["change"]), f"{below}; {_p(row['p_adjusted'])}")


def _p(value: object) -> str:
    if words.missing(value):
        return "no p"
    return "p < 0.001" if value < 0.001 else f"p = {value:.3f}"


def published_table(printed: pd.DataFrame) -> show.Shown:
    """What the articles themselves say changed: two printed figures, their ratio, the doubts."""
    lines = [
        {
            "pair": f"From macOS {row['earlier_macos']} to {row['later_macos']}",
            "image": tables.with_small(
                words.image(row["format"], row["encryption"], "apple"),
                f"{words.host(row['host'])}, {words.name(words.STORAGES, row['storage'])}",
            ),
            "op": row["op"],
            "before": _as_printed(row, "earlier"),
            "after": _as_printed(row, "later"),
            "ratio": words.ratio(row["ratio"]),
            "note": tables.with_small("", _plain(row["doubts"])),
        }
        for row in printed.to_dict("records")
    ]
    return tables.table(
        lines,
        {
            "image": "Image",
            "op": "Direction",
            "before": "Before",
            "after": "After",
            "ratio": "After / before",
            "note": "Doubts",
        },
        "Two figures that the articles print of the same Mac, storage and image",
        numbers=["before", "after", "ratio"],
        heading="pair",
        name="published-changes",
        classes="wide",
        source=printed,
        command=None,
    )


def _as_printed(row: dict, side: str) -> tables.Markup:
    kind = {"about": "about ", "below": "below ", "above": "above "}.get(row[f"{side}_kind"], "")
    return tables.keep(f"{kind}{row[f'{side}_as_printed']} {row[f'{side}_unit_as_printed']}")


def _plain(text: object) -> str:
    return "" if words.missing(text) else str(text)


def all_hosts(rows: pd.DataFrame) -> show.Shown:
    """For each host its charts, most releases first, and every figure of it in a folded table."""
    order = rows.groupby("host")["place"].agg(["max", "nunique"])
    hosts = sorted(order.index, key=lambda host: (-order["nunique"][host], host))
    drawn, left = [], []
    for host in hosts:
        part = rows[rows["host"] == host]
        panels = list(_panels(host, part))
        if panels:
            drawn.append(show.together(_host_text(host, part), *panels, _listed(host, part)))
        else:
            left.append((host, part))
    if left:
        drawn.append(_undrawn(left))
    return show.together(*drawn) if drawn else show.text("None yet.")


def _host_text(host: str, rows: pd.DataFrame) -> show.Shown:
    said = [
        f"{basis} under {words.listed(_labels(part))}"
        for basis in ("published", "measured")
        if not (part := rows[rows["basis"] == basis]).empty
    ]
    return show.text(f"### {words.host(host)}\n\nSpeeds {' and '.join(said)}.")


def _labels(rows: pd.DataFrame) -> list[str]:
    """Releases in their order: by number, never by letter; a beta before its release."""
    return list(dict.fromkeys(rows.sort_values(["place", "version"])["version"]))


def chosen(rows: pd.DataFrame) -> pd.DataFrame:
    """What is drawn: new images of one workload; of what was measured one protocol, repeat 1."""
    usual = rows["phase"].isin(["fresh", "unstated"])
    usual &= ~rows["scale"].isin(["tenth"]) & ~rows["tool"].isin(["Blackmagic"])
    rows = rows[usual]
    measured = rows[rows["basis"] == "measured"]
    image = ["host", "storage", "driver", "format", "encryption"]
    way = ["protocol", "scale", "repeat"]
    ways = measured.groupby([*image, *way], as_index=False)["release"].nunique()
    preferred = {name: place for place, name in enumerate(["usage-phases", "remounted"])}
    ways["liked"] = ways["protocol"].map(preferred).fillna(len(preferred))
    ways = ways.sort_values(["release", "liked", "repeat"], ascending=[False, True, True])
    best = ways.drop_duplicates(image)[[*image, *way]]
    measured = measured.merge(best, on=[*image, *way])
    return pd.concat([rows[rows["basis"] == "published"], measured], ignore_index=True)


def _panels(host: str, rows: pd.DataFrame):
    """A pair of charts for each format and storage with more than one release."""
    rows = chosen(rows)
    if rows.empty:
        return
    groups = dict(list(rows.groupby(["served", "shelf", "format"], sort=False)))
    worth = {key: part for key, part in groups.items() if _comparable(part)}
    axis = _labels(pd.concat(worth.values())) if worth else []
    for key in sorted(worth, key=lambda key: (key[0], key[1], ORDER.index(key[2]))):
        yield _panel(host, key, worth[key], axis)


def _comparable(rows: pd.DataFrame) -> bool:
    """Whether it has figures of one direction under more than one release."""
    return bool((rows.groupby("op")["version"].nunique() > 1).any())


def _panel(host: str, key: tuple[str, str, str], rows: pd.DataFrame, axis: list[str]) -> show.Shown:
    served, storage, form = key
    name = words.name(words.FORMATS, form)
    top = float(rows[["gbps", "gbps_to", "high"]].max().max()) * 1.15
    pair = []
    for op, verb in VERBS.items():
        part = rows[rows["op"] == op]
        if part.empty:
            continue
        title = f"{name.partition(' (')[0]}, {verb.lower()}: {_finding(part, axis)}"
        description = (
            f"Lines: {op} speed of {name} on {words.host(host)} by release of macOS, "
            "a line for each encryption; published hollow diamonds, measured discs"
        )
        drawing = charts.by_release(part, axis, title, description, top)
        pair.append((f"chart-{host}-{storage}-{form}-{served}-{op}".lower(), drawing))
    sql = (
        f"select * from (\n{FIGURES.strip()}\n)\nwhere host = '{host}' and format = '{form}' "
        f"and storage in ('{storage}', 'unstated')\norder by basis, op, encryption, version"
    )
    return show.row(*pair, caption=_caption(served, storage, rows), rows=sql, command=RUN)


def _finding(rows: pd.DataFrame, axis: list[str]) -> str:
    """The largest step of one line between two releases; measured lines speak first."""
    exact = rows[~rows["kind"].isin(["range", "below", "above"])]
    for basis in ("measured", "published"):
        steps = []
        for coded, line in exact[exact["basis"] == basis].groupby("encryption"):
            line = line.drop_duplicates("version").sort_values(
                "version", key=lambda versions: versions.map(axis.index)
            )
            points = line.to_dict("records")
            steps += [
                (abs(math.log(two["gbps"] / one["gbps"])), coded, one, two)
                for one, two in itertools.pairwise(points)
            ]
        if steps:
            size, coded, one, two = max(steps, key=lambda step: step[0])
            if math.exp(size) < 1 + NOTABLE:
                return f"steps of {words.percent(math.exp(size) - 1)} at most ({basis})"
            kind = words.name(words.ENCRYPTIONS, coded)
            return (
                f"{kind}, {_figure(one)} to {_figure(two)} GB/s from {one['version']} "
                f"to {two['version']}"
            )
    return "nothing known under two releases"


def _figure(row: dict) -> str:
    return words.gbps(row["gbps"]) if row["basis"] == "measured" else f"{row['gbps']:g}"


def _caption(served: str, storage: str, rows: pd.DataFrame) -> str:
    """Where, what the marks mean, and every doubt about a figure that is drawn."""
    parts = [f"On {words.name(words.STORAGES, storage)}, new images."]
    if served == "portable":
        parts.append("Driver portable: images of our own code, not of macOS.")
    measured = rows[rows["basis"] == "measured"]
    if not measured.empty:
        first = measured.iloc[0]
        protocol = words.name(words.PROTOCOLS, first["protocol"])
        parts.append(f"Measured: {protocol}, scale {first['scale']}, 95 % intervals.")
        if not measured["comparable"].all():
            parts.append("Pale: not comparable, see hosts and runs.")
    if rows["second_hand"].any():
        parts.append("\u2020 known only second-hand.")
    doubts: dict[str, dict[str, None]] = {}
    for row in rows.dropna(subset=["note"]).sort_values("place").to_dict("records"):
        doubts.setdefault(row["version"], {})[row["note"]] = None
    parts += [f"Doubts about {version}: {'; '.join(notes)}." for version, notes in doubts.items()]
    return " ".join(parts)


def _listed(host: str, rows: pd.DataFrame) -> show.Shown:
    """Every figure of a host, drawn or not, folded away."""
    rows = rows[(rows["basis"] == "published")]
    if rows.empty:
        return show.text("")
    title = f"Every published figure of {words.host(host)}, by release"
    return show.folded(title, _figure_table([(host, rows)], f"figures-{host}"))


def _undrawn(left: list[tuple[str, pd.DataFrame]]) -> show.Shown:
    """Hosts without two releases of anything: their figures in one table."""
    names = words.listed([words.host(host) for host, _ in left])
    published = [(host, rows[rows["basis"] == "published"]) for host, rows in left]
    published = [(host, rows) for host, rows in published if not rows.empty]
    text = show.text(
        f"### One release only\n\n{names}: no kind of image has figures under two releases, "
        f"so there is nothing to compare yet. After an update `{RUN}` measures the new one."
    )
    if not published:
        return text
    return show.together(
        text, show.folded("Their published figures", _figure_table(published, "figures-others"))
    )


def _figure_table(parts: list[tuple[str, pd.DataFrame]], name: str) -> show.Shown:
    lines = []
    for host, rows in parts:
        rows = rows.assign(
            form=rows["format"].map(ORDER.index), coded=rows["encryption"].map(ENCRYPTED.index)
        )
        rows = rows.sort_values(
            ["place", "form", "coded", "storage", "op"], ascending=[False, *[True] * 3, False]
        )
        lines += [
            {
                "host": f"{words.host(host)}, macOS {row['version']}",
                "image": tables.with_small(
                    words.image(row["format"], row["encryption"], "apple"),
                    ", ".join(filter(None, [_storage(row), _plain(row["condition"])])),
                ),
                "op": row["op"],
                "speed": _printed(row),
                "origin": row["origin"],
                "note": tables.with_small(
                    "second-hand" if row["second_hand"] else "", _plain(row["note"])
                ),
            }
            for row in rows.to_dict("records")
        ]
    columns = {
        "image": "Image",
        "op": "Direction",
        "speed": "GB/s",
        "origin": "Source",
        "note": "Doubts",
    }
    hosts = ", ".join(f"'{host}'" for host, _ in parts)
    return tables.table(
        lines,
        columns,
        "Published speeds, the newest release first",
        numbers=["speed"],
        heading="host",
        name=name,
        classes="wide",
        source=f"select * from (\n{FIGURES.strip()}\n)\n"
        f"where basis = 'published' and host in ({hosts})",
    )


def _storage(row: dict) -> str:
    return "" if row["storage"] == "unstated" else words.name(words.STORAGES, row["storage"])


def _printed(row: dict) -> str:
    """A speed with its bound or range."""
    prefix = {"about": "about ", "below": "below ", "above": "above "}.get(row["kind"], "")
    if row["kind"] == "range" and not words.missing(row["gbps_to"]):
        return f"{row['gbps']:g} to {row['gbps_to']:g}"
    speed = f"{row['gbps']:g}"
    # 6.10 is not 6.1: as many digits as are printed, where the unit is that of the column
    same = not words.missing(row["printed"]) and float(row["gbps"]) == _number(row["printed"])
    return f"{prefix}{row['printed'] if same else speed}"


def _number(printed: str) -> float | None:
    try:
        return float(printed)
    except ValueError:
        return None
