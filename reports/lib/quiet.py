"""What was done so that nothing disturbs a measurement."""

from lib import show, tables, words
from lib.database import query

# what is asked of an image or its volume
OF_IMAGES = {"indexing_off", "event_log_off", "backup_off"}


def table(host: str) -> show.Shown | None:
    """What was done on a host so that nothing disturbs; a line for each way it came out."""
    rows = query(
        """
        select
            host, release, stand_in, driver, quiet.* exclude (cell),
            count(*) as cells, string_agg(distinct protocol, ', ') as protocols
        from quiet
        inner join cell using (cell)
        where host = $host
        group by all
        order by
            host, release, stand_in, driver, cells desc, protocols
        """,
        host=host,
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
            **{key: done(row, key) for key in facts},
            "qos": words.told(row["qos_class"], "not known"),
            "io": words.told(row["io_policy"], "not known"),
        }
        for row in rows.to_dict("records")
    ]
    return tables.table(
        lines,
        {"driver": "Driver", **facts, "qos": "Quality of service", "io": "I/O policy"},
        "Noise suppression, as far as it was effective",
        heading="machine",
        name=f"quiet-{host}",
        classes="wide",
        source=rows,
    )


def done(row: dict, key: str) -> str:
    """Whether it was done; what concerns an image is not tried where there is none."""
    if row["driver"] == "native" and key in OF_IMAGES and words.missing(row[key]):
        return "not tried: no image"
    return words.yes(row[key])
