"""The cost of encryption: the share of speed that an image keeps, published and measured."""

from collections.abc import Sequence

import pandas as pd

from lib import order, reasons, rules, runs, show, tables, words
from lib.charts import encryption as charts
from lib.database import query

RUN = "bash workflow/run.sh --config study=encryption-2026 scale=gold"
# in a guest, once with its FileVault on and once off
RUN_IN_GUEST = "bash workflow/run.sh --config study=vm-2026 scale=gold"
# end of the axis: only the noise of small files exceeds it
FAR = 4.0
# in the order of which goes first
SCALES = ("gold", "unstated", "half", "tenth", "smoke")
MACHINE = ["basis", "host", "release", "storage", "driver"]

COSTS = f"""
    with titles as (
        select article, title from article
        union
        select source_id, title from published_elsewhere
    ),

    -- of any run of the same cell
    run as (
        select
            measured_speed.cell,
            op,
            max(statistics_differ) over (partition by series, op) as why,
            bool_or((cell, op) in (select (cell, op) from comparable_speed))
                over (partition by series, op) as on_a_mac
        from measured_speed
        inner join (select cell, series from cell) as runs using (cell)
    )

    select
        cost.*, titles.title, nullif(coalesce(host.macos, cost.release), 'unstated') as version,
        coalesce(virtual_machine, false) as guest, host.vouched_by,
        exists (
            from conclusion_figure as plain
            where plain.faster_than_disk and plain.encryption = 'none'
                and plain.article is not distinct from cost.article and plain.release = cost.release
                and (plain.host, plain.storage, plain.protocol, plain.scale)
                    = (cost.host, cost.storage, cost.protocol, cost.scale)
                and (plain.format, plain.state, plain.op) = (cost.format, cost.phase, cost.op)
        ) as faster_than_disk,
        concat_ws('; ',
            'encrypted: ' || encrypted.why,
            'unencrypted: ' || plain.why
        ) as statistics_differ
    from encryption_cost as cost
    left join run as encrypted
        on encrypted.cell = cost.encrypted_cell and encrypted.op = cost.op
    left join run as plain
        on plain.cell = cost.plain_cell and plain.op = cost.op
    left join titles using (article)
    left join host using (host, release)
    where cost.basis = 'published' or (
        encrypted.on_a_mac
        and (
            cost.comparable
            or list_has_any(cost.why_not_comparable, ['statistics-differ', 'other-night'])
        )
    )
    order by
        release_order(cost.release) desc nulls last,
        host, release_number desc nulls last, storage, basis, driver,
        {order.by("format", "encryption", "phase", "protocol", "scale")},
        band_bytes nulls first, cost.op desc
"""


def costs() -> pd.DataFrame:
    """The table `encryption_cost` with names, the newest release first."""
    rows = query(COSTS)
    return rows.assign(
        where=[_where(row) for row in rows.to_dict("records")],
        image=list(map(words.image_of, rows.to_dict("records"))),
    )


def of_macos(rows: pd.DataFrame) -> pd.DataFrame:
    """Encrypted images served by macOS, without encrypted volumes."""
    return rows[(rows["layer"] == "image") & (rows["driver"] == "apple")]


def speaking(rows: pd.DataFrame) -> pd.DataFrame:
    """The main row of each image, machine, release and direction: new, one protocol and scale.

    Protocol and scale are the same for all images of a machine, release, storage and driver: the
    largest scale, then the protocol with the most formats.
    """
    new = _new_images(rows)
    new = new[new["ratio"].notna() | new["ratio_low"].notna()]
    places = [_one_protocol(part) for _, part in new.groupby(MACHINE, sort=False)]
    kept = [place for part in places for place in part.index]
    return new[new.index.isin(kept)].drop_duplicates([*MACHINE, "format", "encryption", "op"])


def _new_images(rows: pd.DataFrame) -> pd.DataFrame:
    return rows[rows["phase"].isin(["fresh", "unstated"]) & rows["band_bytes"].isna()]


def _one_protocol(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of the largest scale, and of its protocol with the most formats."""
    rows = rows[rows["scale"] == min(rows["scale"], key=lambda scale: _place(SCALES, scale))]
    formats = rows.groupby("protocol")["format"].nunique()
    order = sorted(
        formats.index, key=lambda name: (-formats[name], _place(list(words.PROTOCOLS), name))
    )
    return rows[rows["protocol"] == order[0]]


def _place(order: Sequence[str], name: str) -> int:
    return order.index(name) if name in order else len(order)


def judged(rows: pd.DataFrame) -> pd.DataFrame:
    """Measured rows that a sentence may rest on: of a Mac, gold, with the runs of a verdict."""
    enough = rows["runs"] >= rules.runs()
    return rows[enough & rows["comparable"] & ~rows["guest"] & (rows["scale"] == "gold")]


def answer(rows: pd.DataFrame) -> show.Shown:
    """The first sentences: what each format keeps on the newest release; measured figures first."""
    images = of_macos(rows)
    images = images[(images["encryption"] == "AES-256") & images["ratio"].notna()]
    measured, published = judged(images), images[images["basis"] == "published"]
    sentences = [_answer(speaking(part)) for part in (measured, published) if not part.empty]
    if measured.empty and images["comparable"].any():
        sentences.append(
            "The measured figures below have no verdict: it needs "
            f"{words.count(rules.runs(), 'run')} of the full-size test (scale *gold*) on a Mac."
        )
    return show.text("\n\n".join(sentences) or "No figure shows the cost of encryption yet.")


def _answer(rows: pd.DataFrame) -> str:
    """What the formats keep on the newest release with the most formats."""
    groups = [group for _, group in rows.groupby(["release", "host", "storage"], sort=False)]
    newest = [group for group in groups if group["version"].iloc[0] == rows["version"].iloc[0]]
    group = max(newest, key=lambda group: group["format"].nunique())
    kept = {
        form: {row["op"]: row["ratio"] for row in part.to_dict("records")}
        for form, part in group.groupby("format", sort=False)
    }
    order = sorted(kept, key=lambda form: -kept[form].get("write", 0))
    first, *others = [_kept(form, kept[form], number == 0) for number, form in enumerate(order)]
    return (
        f"**With AES-256, {first}**"
        + "".join(f"; {other}" for other in others)
        + f" ({_source(group)}).{_in_memory(group)}"
    )


def _in_memory(rows: pd.DataFrame) -> str:
    """A caveat on formats whose unencrypted images were written faster than their SSD."""
    doubted = rows.loc[rows["faster_than_disk"], "format"]
    if doubted.empty:
        return ""
    names = words.listed([*map(words.short, doubted)])
    return (
        f" Unencrypted, {names} wrote faster than the SSD itself: part of the data may still have "
        "been in memory, so encryption may cost less."
    )


def _source(rows: pd.DataFrame) -> str:
    """The source of figures: the machine; for measured ones also protocol and runs."""
    first = rows.iloc[0]
    if first["basis"] == "published":
        return str(first["where"])
    files = list(rows["encrypted_files"] / rows["runs"])
    protocol = words.protocol(first["protocol"])
    return f"{first['where']}, {protocol}, {words.runs_of(list(rows['runs']), files)}"


def _kept(form: str, ratios: dict[str, float], whole: bool) -> str:
    """What a format keeps of its speeds, as a sentence or in a few words."""
    name = words.short(form)
    article = "an" if name[0] in "aeiou" else "a"
    image = {"RAW": "a RAW image", "ASIF": "an ASIF image"}.get(name, f"{article} {name}")
    parts = [
        f"{words.percent(ratios[op])} of its {op} speed"
        if whole
        else words.percent(ratios[op]) + ("" if len(ratios) > 1 else f" ({op})")
        for op in words.VERBS
        if op in ratios
    ]
    if whole:
        return f"{image} keeps {words.listed(parts)}"
    return f"{image} {words.listed(parts)}"


def chart(name: str, rows: pd.DataFrame, caption: str) -> show.Shown | None:
    """The share kept by format, a chart for each direction; empty without rows."""
    rows = speaking(rows)
    measured = rows[rows["basis"] == "measured"]
    newest = measured.groupby(["host", "storage", "driver"])["release"].transform("first")
    measured = measured[measured["release"] == newest]
    rows = pd.concat([rows[rows["basis"] == "published"], measured])
    if rows.empty:
        return None
    if len(measured):
        of = runs.counted(measured.rename(columns={"ratio_low": "gbps_low"}))
        caption += f" Filled: measured on Macs. {of}"
    top = max(1.1, float(rows[["ratio", "ratio_high"]].max().max()) * 1.05)
    pair = [
        (
            f"{name}-{op}",
            charts.kept(
                part, _title(part, words.capital(verb)), _description(op, part), min(top, FAR)
            ),
        )
        for op, verb, part in runs.directions(rows)
    ]
    return show.row(*pair, caption=caption, rows=COSTS_SHOWN, command=RUN)


COSTS_SHOWN = """
select *
from encryption_cost
where layer = 'image' and phase = 'fresh'
order by basis desc, host, release, driver, format, encryption, op desc
"""


def _title(rows: pd.DataFrame, verb: str) -> str:
    """A title: which format keeps the most on the newest release, and what others keep.

    They are named: the chart also shows formats of other releases, and of too few runs.
    """
    known = rows[rows["ratio"].notna() & (rows["encryption"] == "AES-256")]
    if known.empty:
        return f"{verb}: only ranges are stated"
    known = pd.concat([judged(known), known[known["basis"] == "published"]])
    if known.empty:
        return f"{verb}: share of the speed kept, no verdict yet"
    stated = known["version"].dropna().sort_index()  # the query has the newest first
    newest = None if stated.empty else stated.iloc[0]
    known = known[known["version"] == newest] if newest else known
    known = _one_protocol(known[known["basis"] == known["basis"].iloc[0]])
    spans = known.groupby("format")["ratio"].agg(["min", "max"]).sort_values("max")
    best = spans.index[-1]
    said = f"{verb}, macOS {newest}: " if newest else f"{verb}: "
    said += f"{words.short(best)} keeps {words.percents(*spans.loc[best])}"
    if len(spans) > 1:
        rest = spans.iloc[-2::-1]
        others = words.listed([*map(words.short, rest.index)])
        said += f", {others} {words.percents(rest['min'].min(), rest['max'].max())}"
    return said


def _description(op: str, rows: pd.DataFrame) -> str:
    kinds = sorted(set(rows["basis"]))
    ranges = "; measured ones with 95 % intervals across runs" if "measured" in kinds else ""
    return (
        f"Points: share of the {op} speed that an encrypted image keeps, by format and machine, "
        f"{words.listed(kinds)}{ranges}"
    )


def table(
    rows: pd.DataFrame, name: str, subject: str = "disk image", command: str = RUN
) -> show.Shown | None:
    """Every pair: new images under each machine's newest release, and all others folded away."""
    spoken = speaking(rows)
    newest = spoken.groupby(["basis", "host", "driver"])["release"].transform("first")
    spoken = spoken[spoken["release"] == newest]
    # beside them, what was measured with them and depends on the statistic
    same = [*MACHINE, "protocol", "scale"]
    without = _new_images(rows)[lambda new: (new["basis"] == "measured") & ~new["comparable"]]
    without = without.reset_index().merge(spoken[same].drop_duplicates(), on=same)["index"]
    new = rows.index.isin([*spoken.index, *without])
    rest = rows[~new]
    lines = len(rest.drop_duplicates(["encrypted_cell", "article", "encrypted_order"]))
    further = words.count(lines, "more comparison")
    title = f"{further}: earlier releases, used images, other tests and other sizes of bands"
    return show.together(
        _table(rows[new], name, subject, command),
        show.folded(title, _table(rest, f"{name}-further", subject, command)),
    )


def _table(rows: pd.DataFrame, name: str, subject: str, command: str) -> show.Shown:
    # a published pair is a row of its article, a measured one a cell
    keys = ["where", "storage", "image", "phase", "protocol", "scale"]
    lines = tables.by_direction(rows, *keys)
    columns = [tables.sentence("Image", _image)]
    for op in words.VERBS:
        columns += [
            tables.number(f"{words.capital(op)} kept", lambda row, op=op: _share_of(row, op)),
            tables.number(f"{words.capital(op)}: encrypted, unencrypted (GB/s)", op, _speeds),
        ]
    if any(map(_remarks, lines)):
        columns.append(tables.sentence("Remarks", _remarks))
    return tables.table(
        lines,
        columns,
        f"Share of its speed that an encrypted {subject} keeps, with 95 % intervals across runs "
        "where measured",
        heading=_heading,
        name=name,
        classes="wide",
        source="select * from encryption_cost "
        "order by basis desc, host, release, format, encryption, op desc",
        command=command,
    )


def _image(row: dict) -> tables.Markup:
    """The format, with encryption and state below it."""
    bands = words.image(row["format"], "none", row["driver"], row["band_bytes"])
    return tables.with_small(bands, words.joined([row["encryption"], _state(row)]))


def _heading(row: dict) -> str:
    """The machine and the source."""
    where = row["where"]
    if row["basis"] == "published":
        where += f" in \u201c{row['title']}\u201d"
    storage = words.storage(row["storage"])
    return f"{where}, on {storage}" if row["storage"] != "unstated" else where


def _where(row: dict) -> str:
    if row["basis"] == "published":
        system = "release not stated" if row["release"] == "unstated" else f"macOS {row['release']}"
        return f"{words.host(row['host'])}, {system}: published"
    machine = words.machine(row["host"], row["release"], by=[row["vouched_by"]])
    return f"{machine}: measured"


def _state(row: dict) -> str:
    if row["basis"] == "published":
        return words.phase(row["phase"]) if row["phase"] != "unstated" else ""
    return runs.state_and_runs(row)


def _share_of(line: dict, op: str) -> tables.Markup:
    """The share kept in one direction, if it is stated or may be compared."""
    row = line[op]
    if line["basis"] == "measured" and (row is None or not row["comparable"]):
        return tables.with_small("", "not comparable")
    return tables.with_small("", "not stated") if row is None else _share(row)


def _share(row: dict) -> tables.Markup:
    """The share kept, and its interval or range."""
    low, high = row["ratio_low"], row["ratio_high"]
    known = not words.missing(low) and not words.missing(high)
    if words.missing(row["ratio"]):
        return tables.markup(words.percents(low, high)) if known else tables.absent()
    about = "about " if row["kind"] == "about" else ""
    return tables.with_small(
        f"{about}{words.percent(row['ratio'])}", words.percents(low, high) if known else ""
    )


def _speeds(row: dict) -> tables.Markup:
    """The two speeds behind a share."""
    if row["basis"] == "published":
        coded, plain = row["encrypted_as_printed"], row["plain_as_printed"]
        # a German source prints 1,8, which would read as two numbers
        said = ["not stated" if words.missing(one) else one for one in (coded, plain)]
        return tables.keep(", ".join(one.replace(",", ".") for one in said))
    return tables.keep(f"{words.gbps(row['encrypted_gbps'])}, {words.gbps(row['plain_gbps'])}")


def _remarks(line: dict) -> tables.Markup:
    """Why a measured ratio may not be compared, doubts about a published one; each once."""
    one = {op: line[op] for op in words.VERBS if line.get(op)}
    remarks = []
    for op, row in one.items():
        if row["basis"] == "measured":
            remarks += [f"{op}: {why}" for why in reasons.few(row["why_not_comparable"])]
            continue
        remarks += [] if words.missing(row["note"]) else row["note"].split("; ")
        remarks += ["second-hand"] if row["second_hand"] else []
    remarks += [
        f"{op}: bytes / time and the slope differ, {row['statistics_differ']}"
        for op, row in one.items()
        if row["statistics_differ"]
    ]
    return tables.with_small("", "; ".join(dict.fromkeys(remarks)))


def volumes(rows: pd.DataFrame) -> show.Shown | None:
    """The cost of encrypted volumes: FileVault in a guest, APFS Encrypted on a disk."""
    return table(rows[rows["layer"] == "volume"], "encryption-volume", "volume", RUN_IN_GUEST)
