"""Where we deviate from an article's method, and how its machines compare with ours."""

from lib import protocols, show, tables, words
from lib.database import query


def shown(names: list[str]) -> show.Shown:
    """The deviations of these protocols, folded, and what their machines must have beside ours."""
    return show.together(*map(_folded, names), machines(names))


def _folded(name: str) -> show.Shown:
    count = words.count(len(protocols.deviations(name)), "deviation")
    return show.folded(f"How {name} differs from the article: {count}", table(name))


def table(name: str) -> show.Shown:
    """Each deviation of a protocol, its reason and its expected effect."""
    return tables.table(
        protocols.deviations(name),
        [
            tables.sentence("What", "what"),
            tables.text("Why", "why"),
            tables.text("Expected effect", "effect"),
        ],
        f"Deviations of the protocol {name} from its article",
        name=f"deviations-{name}",
    )


def machines(names: list[str]) -> show.Shown | None:
    """What machines these protocols ask for, beside ours; nothing where an article states none."""
    return show.together(*map(_machine, names))


def _machine(name: str) -> show.Shown | None:
    """Cores and memory in the article, and of each machine measured with its protocol."""
    stated = protocols.machine(name)
    if not stated:
        return None
    rows = query(
        """
        select distinct host.host, host.release, host.cores, host.memory_bytes
        from host
        inner join cell using (host, release)
        where cell.protocol = $protocol and cell.status = 'measured'
        order by host.host, host.release
        """,
        protocol=name,
    )
    article = {
        "where": "the article",
        "cores": str(stated["cores"]),
        "memory": f"{stated['memory_gb']} GB",
        "same": "",
    }
    lines = [article, *(_compared(row, stated) for row in rows.to_dict("records"))]
    if rows.empty:
        lines.append({"where": "not measured yet", "cores": "", "memory": "", "same": ""})
    return tables.table(
        lines,
        [
            tables.text("Machine", "where"),
            tables.number("Cores", "cores"),
            tables.number("Memory", "memory"),
            tables.text("As in the article", "same"),
        ],
        f"Cores and memory for {name}: those of the article and of the measured machines",
        name=f"machine-{name}",
        # the article's line is of its protocol, not of the database
        source=None if rows.empty else rows,
    )


def _compared(row: dict, stated: dict[str, int]) -> dict[str, str]:
    """The line of a machine; a GB of memory is 2^30 bytes, as macOS counts."""
    cores, octets = row["cores"], row["memory_bytes"]
    wanted = {"cores": stated["cores"], "memory": stated["memory_gb"]}
    found = {
        "cores": None
        if words.missing(cores)
        else sum(int(part.split()[0]) for part in cores.split(", ")),
        "memory": None if words.missing(octets) else round(octets / 2**30),
    }
    known = {what: count for what, count in found.items() if count is not None}
    differs = [what for what, count in known.items() if count != wanted[what]]
    same = "yes" if len(known) == len(wanted) else "not known"
    return {
        "where": words.machine(row["host"], row["release"]),
        "cores": words.value(cores, "not known"),
        "memory": f"{known['memory']} GB" if "memory" in known else "not known",
        "same": f"no: other {' and '.join(differs)}" if differs else same,
    }
