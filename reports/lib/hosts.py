"""One section for each host: the machine, its runs, its speeds, and how quiet it was."""

from html import escape

import pandas as pd

from lib import processes, programs, rules, runs, show, speeds, tables, warned, words
from lib.database import query, written_out

AGAIN = (
    "Run it on that machine. Cells that already have a record are left alone, so it measures a "
    "release that has none yet, or everything in a clone without these records."
)

DAYS = """
    select
        cast(started_utc as date) as day, release, scale, storage, driver, protocol, status,
        count(*) as cells,
        round(sum(epoch(finished_utc) - epoch(started_utc)) / 60) as minutes
    from cell
    where host = $host
    group by all
    order by day desc, release, scale, storage, driver, protocol, status
"""
CONDITIONS = """
    select condition.*
    from condition
    inner join cell using (cell)
    where host = $host
    order by cell, moment = 'after'
"""
QUIET = """
    select cell, driver, quiet.* exclude (cell)
    from cell
    left join quiet using (cell)
    where host = $host
    order by cell
"""
PROCESSES = """
    select process_use.*
    from process_use
    inner join cell using (cell)
    where host = $host
    order by cell, step_order, process
"""
PROGRAMS = """
    select command.*
    from command
    inner join cell using (cell)
    where host = $host
    order by cell, step_order, command."order"
"""
HARNESS = """
    select
        cell, started_utc, ceiling_write_gbps, ceiling_read_gbps, ceiling_null_write_gbps,
        ceiling_null_read_gbps, ceiling_content_gbps, ceiling_clock_ns
    from cell
    where host = $host and ceiling_write_gbps is not null
    order by started_utc, cell
"""


def every() -> list[str]:
    """The hosts, the last measured first."""
    return list(dict.fromkeys(runs.cells()["host"]))


def anchor(host: str) -> str:
    """The name that links to a host's section end with."""
    return f"host-{host}"


def index() -> show.Shown:
    """The hosts in a table at the head of the page, each a link to its section."""
    rows = query(
        """
        select
            host, bool_or(stand_in) as stand_in,
            string_agg(distinct release, ', ') as releases,
            count(*) as cells,
            count(*) filter (where status = 'measured') as measured,
            count(*) filter (where status = 'failed') as failed,
            count(*) filter (where status = 'skipped') as skipped,
            string_agg(distinct scale, ', ') as scales,
            min(started_utc) as first, max(started_utc) as last
        from cell
        group by host
        order by last desc, host
        """
    )
    if rows.empty:
        return show.text(
            "No machine has been measured yet. Each one gets a section of its own on this page."
        )
    order = {host: place for place, host in enumerate(every())}
    rows = rows.sort_values("host", key=lambda hosts: hosts.map(order))
    return tables.table(
        [
            {
                "host": tables.link(words.host(row["host"]), f"#{anchor(row['host'])}"),
                "releases": words.listed(
                    [words.release(release) for release in _by_age(row["host"])]
                ),
                "cells": f"{row['measured']} of {row['cells']}",
                "rest": words.listed(
                    [f"{row[how]} {how}" for how in ("failed", "skipped") if row[how]]
                )
                or "none",
                "scales": words.listed(words.parts(row["scales"])),
                "days": _days(row["first"], row["last"]),
            }
            for row in rows.to_dict("records")
        ],
        {
            "host": "Host",
            "releases": "Releases",
            "cells": "Cells measured",
            "rest": "Not measured",
            "scales": "Scales",
            "days": "Days",
        },
        "The hosts, the last measured first",
        numbers=["cells"],
        name="hosts",
        classes="wide",
        source="select * from host order by last_finished_utc desc",
    )


def _by_age(host: str) -> list[str]:
    rows = query(
        """
        select release from cell where host = $host
        group by release order by max(started_utc) desc, release
        """,
        host=host,
    )
    return list(rows["release"])


def _days(first: object, last: object) -> str:
    ends = [words.day(first), words.day(last)]
    return ends[0] if ends[0] == ends[1] else " to ".join(ends)


def sections() -> show.Shown | None:
    """A section for each host."""
    cells, rows, over = runs.cells(), runs.speeds(), runs.on_macs()
    shown = [
        _section(
            host,
            number,
            cells[cells["host"] == host],
            rows[rows["host"] == host],
            over[over["host"] == host],
        )
        for number, host in enumerate(every(), start=1)
    ]
    return show.together(*shown) if shown else None


def _section(
    host: str, number: int, cells: pd.DataFrame, rows: pd.DataFrame, over: pd.DataFrame
) -> show.Shown:
    name = escape(words.host(host))
    newest = over[over["release"] == rows["release"].iloc[0]]
    parts = [
        show.html(f'<section class="host" id="{anchor(host)}">\n<h2>{name}</h2>'),
        facts(host),
        again(cells),
        _elsewhere("What was measured on which day", DAYS, host),
        show.html("<h3>Speeds</h3>"),
        speeds.machine_charts(f"chart-measured-{number}", newest),
        runs.speed_table(rows, host),
        show.html("<h3>Disturbances</h3>"),
        disturbed(host, cells),
        show.html("<h3>Processes that served the images</h3>"),
        served(host, cells),
        show.html("<h3>Limits of the harness</h3>"),
        ceiling(host),
        show.html("</section>"),
    ]
    return show.together(*filter(None, parts))


def facts(host: str) -> show.Shown:
    """The machine under the release that was measured last; earlier ones folded."""
    rows = query(
        """
        select host.*, device.* exclude (host, release)
        from host
        left join storage_device as device using (host, release)
        where host.host = $host
        order by host.last_finished_utc desc, host.release, device.storage
        """,
        host=host,
    ).to_dict("records")
    newest, *earlier = [
        [row for row in rows if row["release"] == release]
        for release in dict.fromkeys(row["release"] for row in rows)
    ]
    if not earlier:
        return _facts(newest)
    releases = words.listed([words.release(of[0]["release"]) for of in earlier])
    return show.together(
        _facts(newest),
        show.folded(f"The same machine under {releases}", *(_facts(of) for of in earlier)),
    )


def _facts(devices: list[dict]) -> show.Shown:
    """The machine under one release, with every storage that was measured."""
    row = devices[0]
    virtual = {True: ", virtual", False: ""}.get(row["virtual_machine"], "")
    name = words.SYSTEMS.get(row["os_name"], row["os_name"])
    system = f"{name} {row['os_version']} ({row['os_build']}), {row['kernel']}"
    times = [words.when(row[key]) for key in ("first_started_utc", "last_finished_utc")]
    return show.together(
        show.text(f"**{words.machine(row['host'], row['release'], row['stand_in'])}**"),
        tables.facts(
            [
                ("Machine", f"{words.told(row['model'], 'model not found out')}{virtual}"),
                ("Chip", row["chip"]),
                ("Cores", row["cores"]),
                (
                    "Memory",
                    f"{words.size(row['memory_bytes'])}, pages of {row['page_bytes']:,} bytes",
                ),
                ("System", system),
                *(fact for device in devices for fact in _storage(device)),
                ("Records", f"{row['cells']}, from {times[0]} to {times[1]}"),
                ("Vouched for by", row["vouched_by"]),
            ]
        ),
    )


def _storage(device: dict) -> list[tuple[str, object]]:
    slug = device["storage"]
    solid = {True: "solid state", False: "not solid state"}.get(device["solid_state"])
    known = [device["device_model"], device["bus"], solid]
    known = [str(part) for part in known if not words.missing(part)]
    known += [] if words.missing(device["size_bytes"]) else [words.size(device["size_bytes"])]
    described = device["description"]
    system = words.told(device["file_system"]), words.told(device["encryption"])
    return [
        (f"Storage, {slug}", ", ".join(known)),
        *([] if words.missing(described) else [("Described as", described)]),
        ("File system", f"{system[0]}, encryption {system[1]}"),
    ]


def command(cells: pd.DataFrame) -> str:
    """What measures the newest release of a host again: its scales, storages and repeats."""
    newest = cells[cells["release"] == cells["release"].iloc[0]]
    scale = next(scale for scale in runs.SCALES if scale in set(newest["scale"]))
    said = [f"scale={scale}", f"host={newest['host'].iloc[0]}"]
    said += [f"repeats={most}"] if (most := int(newest["repeat"].max())) > 1 else []
    others = [storage for storage in dict.fromkeys(newest["storage"]) if storage != "internal"]
    if others:
        folders = ", ".join(
            ["{slug: internal, folder: .diskbench/work}"]
            + [f"{{slug: {storage}, folder: /Volumes/NAME/bench}}" for storage in others]
        )
        said.append(f"'storage=[{folders}]'")
    return f"{runs.RUN} --config {' '.join(said)}"


def again(cells: pd.DataFrame) -> show.Shown:
    """The command, and what it does."""
    text = command(cells)
    name = (
        " Replace `/Volumes/NAME/bench` with a folder on the external disk."
        if "/NAME" in text
        else ""
    )
    return show.text(f"To measure it again: `{text}`. {AGAIN}{name}")


def _elsewhere(what: str, sql: str, host: str) -> show.Shown:
    """A link to the rows of a host."""
    return show.elsewhere(what, written_out(sql, {"host": host}))


def disturbed(host: str, cells: pd.DataFrame) -> show.Shown:
    """Warnings in a sentence, with a folded table; conditions and noise suppression in SQL."""
    warnings = warned.rows(host)
    with_one = query(
        """
        select count(distinct cell) as cells
        from warning inner join cell using (cell)
        where host = $host
        """,
        host=host,
    )["cells"].iloc[0]
    told = (
        f"{with_one:,} of {words.count(len(cells), 'cell')} "
        f"{'carries' if with_one == 1 else 'carry'} a warning."
        if with_one
        else f"None of its {words.count(len(cells), 'cell')} carries a warning."
    )
    parts = [show.text(told)]
    if len(warnings):
        kinds = words.count(len(warnings), "kind")
        parts.append(show.folded(f"The warnings: {kinds}", warned.table(warnings, host)))
    return show.together(
        *parts,
        _elsewhere("Load, power, heat and free space around each cell", CONDITIONS, host),
        _elsewhere("Noise suppression in each cell", QUIET, host),
    )


def served(host: str, cells: pd.DataFrame) -> show.Shown:
    """The processes behind the images and the programs that were run for them."""
    used, run = processes.use(), programs.runs()
    used, run = used[used["host"] == host], run[run["host"] == host]
    apple = (cells["driver"] == "apple").any()
    if used.empty:
        none = "No process was seen that serves an image." if apple else processes.NONE
        parts = [show.text(none)]
    else:
        parts = [
            processes.answer(used),
            _elsewhere("What each process used in each pass", PROCESSES, host),
        ]
    if len(run):
        parts += [programs.answer(run), _elsewhere("Every program that was run", PROGRAMS, host)]
    return show.together(*filter(None, parts))


def ceiling(host: str) -> show.Shown:
    """The cells that came nearest to the harness's own limit, and how many came too near."""
    limits = runs.limits()
    limits = limits[limits["host"] == host]
    if limits.empty:
        return show.text("Not measured beside any of its cells.")
    near = int(limits["near"].sum())
    every = int(limits["passes"].sum())
    worst = limits.loc[limits["share"].idxmax()]
    told = (
        f"**{near} of {words.count(every, 'pass', 'passes')} came within "
        f"{words.percent(1 - rules.near_limit())} of what the harness itself can do**: their "
        "speeds may be the harness\u2019s."
        if near
        else "No cell came near the harness\u2019s own limit: at most "
        f"{words.percent(worst['share'])} of it was reached, in "
        f"{words.count(every, 'pass', 'passes')}."
    )
    shown = tables.table(
        [
            {
                "machine": row.machine,
                "op": row.op,
                "cell": tables.with_small(row.what, row.scale),
                "fastest": words.gbps(row.total_gbps),
                "ceiling": words.gbps(row.ceiling),
                "share": words.percent(row.share),
                "note": runs.too_near(row.share, row.op),
                "clock": words.told(row.clock),
            }
            for row in limits.itertuples()
        ],
        {
            "op": "Direction",
            "cell": "Cell",
            "fastest": "All files (GB/s)",
            "ceiling": "Harness alone (GB/s)",
            "share": "Share",
            "note": "Remark",
            "clock": "Clock (ns)",
        },
        "The cell that came nearest to the harness\u2019s own limit, measured beside it: all "
        "bytes / all time",
        numbers=["fastest", "ceiling", "share", "clock"],
        heading="machine",
        name=f"ceiling-{host}",
        classes="wide",
        source=f"""
            select
                cell, op, total_gbps,
                if(op = 'write', ceiling_write_gbps, ceiling_read_gbps) as ceiling_gbps,
                ceiling_share
            from measured_speed
            inner join cell using (cell, host)
            where host = '{host}' and total_gbps is not null
            order by ceiling_share desc
        """,
    )
    return show.together(
        show.text(told),
        show.folded("The cell that came nearest, under each release", shown),
        _elsewhere("The harness without a disk, before each cell", HARNESS, host),
    )
