"""What was done so that nothing disturbs a measurement."""

from lib import show, tables, words
from lib.database import query


def table() -> show.Shown | None:
    """What was done on each machine so that nothing disturbs; a line for each way it came out."""
    rows = query(
        """
        select
            host, release, stand_in, driver, quiet.* exclude (cell),
            count(*) as cells, string_agg(distinct protocol, ', ') as protocols
        from quiet
        inner join cell using (cell)
        group by all
        order by
            host, release, stand_in, driver, cells desc, protocols
        """
    )
    if rows.empty:
        return None
    facts = {
        "sleep_prevented": "Kept awake",
        "indexing_off": "Spotlight off",
        "event_log_off": "Event log off",
        "backup_off": "Time Machine off",
    }
    lines = [
        {
            "machine": words.machine(row["host"], row["release"], row["stand_in"]),
            "driver": tables.with_small(row["driver"], words.count(row["cells"], "cell")),
            **{key: words.yes(row[key]) for key in facts},
            "qos": words.told(row["qos_class"], "not known"),
            "io": words.told(row["io_policy"], "not known"),
        }
        for row in rows.to_dict("records")
    ]
    return tables.table(
        lines,
        {"driver": "Driver", **facts, "qos": "Quality of service", "io": "I/O policy"},
        "What was done so that nothing disturbs, as it was reached",
        heading="machine",
        name="quiet",
        classes="wide",
    )
