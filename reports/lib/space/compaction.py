"""Space freed by compaction."""

import pandas as pd

from lib import show, tables, words
from lib.space import measured

COMPACTED = ("UDSP", "UDSB")  # formats that macOS compacts: hdiutil(1), compact
NOTHING = 0.0005  # share of the size before; less is rounded to 0.0 %


def shown(rows: pd.DataFrame) -> show.Shown:
    """Space freed on the machine measured last; the linked rows are of all machines."""
    done = rows[(rows["state"] == "compacted") & rows["bytes_before"].notna()]
    done = done[(done["driver"] == "apple") & done["format"].isin(COMPACTED)]
    if done.empty:
        return show.text("No image was compacted yet.")
    newest = measured.newest_machine(done)
    given = 1 - done["allocated_bytes"] / done["bytes_before"]
    least, most = words.percent(given.min()), words.percent(given.max())
    finding = "Compaction freed nothing"
    if given.max() >= NOTHING:
        freed = words.span(least, most) if given.min() >= 0 else f"up to {most}"
        finding = f"Compaction freed {freed} of what an emptied image keeps"
    if given.min() <= -NOTHING:
        grown = words.count(len(done), "image")
        finding += f"; {(given < 0).sum()} of {grown} used more space afterwards"
    sentence = show.text(
        f"{words.measured_by(finding, done['vouched_by'])}. macOS compacts only sparse bundles and "
        "sparse images."
    )
    return show.together(sentence, _given_back(done[newest], len(done)))


def _given_back(done: pd.DataFrame, of: int) -> show.Shown:
    """Sizes of compacted images before and after; `of`: images of all machines."""
    more = f"; the query has {of - len(done)} more" if of > len(done) else ""
    return tables.table(
        done,
        [
            tables.sentence("Cell", lambda row: tables.with_small(row["what"], row["scale"])),
            tables.text("State before", "state_before", words.state),
            tables.number("Before", "bytes_before", words.size),
            tables.number("After", "allocated_bytes", words.size),
            tables.number(
                "Freed",
                lambda row: _given(
                    row["bytes_before"] - row["allocated_bytes"], row["bytes_before"]
                ),
            ),
            tables.number("Bands or chunks", _bands),
        ],
        f"What compaction freed{more}",
        heading="served",
        name="compaction-apple",
        source="""
            select
                cell, state, allocated_bytes,
                lag(allocated_bytes) over (partition by cell order by "order") as bytes_before,
                bands, lag(bands) over (partition by cell order by "order") as bands_before
            from container_size
            qualify state = 'compacted'
            order by cell
        """,
    )


def _bands(row: dict) -> str:
    if words.missing(row["bands"]):
        return "no bands"
    return f"{words.value(row['bands_before'])} to {words.value(row['bands'])}"


def _given(given: float, before: float) -> tables.Markup:
    if given < 0:
        return tables.with_small(f"{words.size(-given)} more", "it grew")
    return tables.with_small(
        words.size(given) if given else "nothing", words.percent(given / before) if given else ""
    )
