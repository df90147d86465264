"""A section for each host: the machine, its runs, speeds, and disturbances."""

import pandas as pd

from lib import (
    coverage,
    links,
    processes,
    rules,
    runs,
    show,
    speeds,
    tables,
    warned,
    words,
)
from lib.database import query

# tables that a section links to, with their contents
LEFT_OUT = {
    "condition": "load, power, heat and free space around each run",
    "quiet": "noise suppression in each run",
    "process_use": "what each process used in each pass",
    "command": "every program that was run",
}


def every() -> list[str]:
    """The hosts, the last measured first."""
    return list(dict.fromkeys(runs.cells()["host"]))


def anchor(host: str) -> str:
    """The anchor of a host's section."""
    return f"host-{host}"


def index() -> show.Shown:
    """A table of the hosts with links to their sections, or the command for a first one."""
    rows = query(
        """
        select
            host, count(*) as runs,
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
            "**Nothing measured yet.** The database contains published figures only. To test the "
            f"software on this machine and rebuild this site, type `{runs.RUN}` in the project "
            f"folder; for figures that can be compared, `{runs.RUN_TO_COMPARE}`."
        )
    return tables.table(
        rows,
        [
            tables.text(
                "Host",
                lambda row: tables.link(words.host(row["host"]), f"#{anchor(row['host'])}"),
            ),
            tables.number("Runs measured", lambda row: f"{row['measured']} of {row['runs']}"),
            tables.text("Not measured", lambda row: coverage.rest(row) or "none"),
            tables.text("Scales", lambda row: words.listed(words.parts(row["scales"]))),
            tables.text(
                "Days", lambda row: words.span(words.day(row["first"]), words.day(row["last"]))
            ),
        ],
        "The hosts, the last measured first",
        name="hosts",
        classes="wide",
        source="select * from host order by last_finished_utc desc",
    )


def sections() -> show.Shown | None:
    """A section for each host."""
    cells, rows, over = runs.cells(), runs.speeds(), runs.on_macs()
    return show.together(
        *(
            _section(
                host,
                number,
                cells[cells["host"] == host],
                rows[rows["host"] == host],
                over[over["host"] == host],
            )
            for number, host in enumerate(every(), start=1)
        )
    )


def _section(
    host: str, number: int, cells: pd.DataFrame, rows: pd.DataFrame, over: pd.DataFrame
) -> show.Shown:
    newest = over[over["release"] == rows["release"].iloc[0]]
    return show.together(
        show.text(f"## {show.plain(words.host(host))} {{#{anchor(host)}}}"),
        facts(host),
        show.html("<h3>Speeds</h3>"),
        runs.outcome(rows, host),
        speeds.machine_charts(f"chart-measured-{number}", newest),
        show.html("<h3>Disturbances</h3>"),
        disturbed(host, cells),
        show.html("<h3>Processes that served the images</h3>"),
        served(host, cells),
        show.html("<h3>Limits of the harness</h3>"),
        ceiling(host),
        left_out(host),
    )


def facts(host: str) -> show.Shown:
    """The machine under the release measured last, with every storage."""
    devices = query(
        """
        select host.*, device.* exclude (host, release)
        from host
        left join storage_device as device using (host, release)
        where host.host = $host
        qualify dense_rank() over (order by host.last_finished_utc desc, host.release) = 1
        order by device.storage
        """,
        host=host,
    ).to_dict("records")
    row = devices[0]
    virtual = {True: ", virtual", False: ""}.get(row["virtual_machine"], "")
    name = words.SYSTEMS.get(row["os_name"], row["os_name"])
    system = f"{name} {row['os_version']} ({row['os_build']}), {row['kernel']}"
    times = [words.when(row[key]) for key in ("first_started_utc", "last_finished_utc")]
    records = f"{row['cells']}, from {times[0]} to {times[1]}"
    return show.together(
        show.text(f"**{words.machine(row['host'], row['release'], row['stand_in'])}**"),
        tables.facts(
            [
                ("Machine", f"{words.value(row['model'], 'model unknown')}{virtual}"),
                ("Chip", row["chip"]),
                ("Cores", row["cores"]),
                (
                    "Memory",
                    f"{words.memory(row['memory_bytes'])}, pages of {row['page_bytes']:,} bytes",
                ),
                ("System", system),
                *(fact for device in devices for fact in _storage(device)),
                ("Records", words.measured_by(records, [row["vouched_by"]])),
            ]
        ),
    )


def _storage(device: dict) -> list[tuple[str, object]]:
    slug = device["storage"]
    solid = {True: "solid state", False: "not solid state"}.get(device["solid_state"])
    size = device["size_bytes"]
    known = [device["device_model"], device["bus"], solid]
    known.append(None if words.missing(size) else words.size(size))
    described = device["description"]
    system = words.value(device["file_system"]), words.value(device["encryption"])
    return [
        (f"Storage, {slug}", words.joined(known)),
        *([] if words.missing(described) else [("Described as", described)]),
        ("File system", f"{system[0]}, encryption {system[1]}"),
    ]


def disturbed(host: str, cells: pd.DataFrame) -> show.Shown:
    """Warnings in a sentence, with a folded table."""
    warnings = warned.rows(host)
    with_one = query(
        """
        select count(distinct cell) as cells
        from warning inner join cell using (cell)
        where host = $host
        """,
        host=host,
    )["cells"].iloc[0]
    counted = (
        f"{with_one:,} of {words.count(len(cells), 'run')} "
        f"{'carries' if with_one == 1 else 'carry'} a warning."
        if with_one
        else f"No warnings in its {words.count(len(cells), 'run')}."
    )
    title = f"The warnings: {words.count(len(warnings), 'kind')}"
    return show.together(show.text(counted), show.folded(title, warned.table(warnings, host)))


def served(host: str, cells: pd.DataFrame) -> show.Shown:
    """The processes behind the images."""
    used = processes.use()
    apple = (cells["driver"] == "apple").any()
    none = "No process that serves images was observed." if apple else processes.NONE
    return processes.answer(used[used["host"] == host]) or show.text(none)


def ceiling(host: str) -> show.Shown:
    """How close the passes of a host came to the limit of the harness."""
    rows = query(
        """
        select
            cell, op, total_gbps, ceiling_share, ceiling_write_gbps, ceiling_read_gbps,
            ceiling_null_write_gbps, ceiling_null_read_gbps, ceiling_content_gbps, ceiling_clock_ns
        from measured_speed
        inner join cell using (cell, host)
        where host = $host and ceiling_share is not null
        order by ceiling_share desc, cell, op
        """,
        host=host,
    )
    if rows.empty:
        return show.text("Not measured with any of its runs.")
    near = int((rows["ceiling_share"] >= rules.near_limit()).sum())
    sentence = (
        f"{near} of {words.count(len(rows), 'pass', 'passes')} reached "
        f"{words.percent(rules.near_limit())} or more of the harness\u2019s own limit (its speed "
        "without a disk), which may have limited them; the nearest reached "
        f"{words.percent(rows['ceiling_share'].max())}"
    )
    return show.elsewhere(sentence, rows)


def left_out(host: str) -> show.Shown | None:
    """Links to rows of a host that are not in its section."""
    behind = {
        what: query(
            f"""
            select {table}.*
            from {table}
            inner join cell using (cell)
            where host = $host
            order by all
            """,
            host=host,
        )
        for table, what in LEFT_OUT.items()
    }
    found = [f"[{what}]({links.rows(rows)})" for what, rows in behind.items() if len(rows)]
    return show.text(f"In SQL: {words.listed(found)}.") if found else None
