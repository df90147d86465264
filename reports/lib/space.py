"""What images take on disk by state of use, what they leave inside, what compaction gave back."""

import pandas as pd

from lib import runs, show, tables, words
from lib.database import query


def sizes() -> pd.DataFrame:
    """Every size that was measured in the first repeat, with words that name its cell."""
    return runs.named(
        query(
            """
            select
                size.*, host, release, protocol, scale, storage, driver, format, encryption,
                band_bytes, repeat, phase, stand_in,
                lag(state) over (partition by cell order by "order") as state_before,
                lag(allocated_bytes) over (partition by cell order by "order") as bytes_before,
                lag(bands) over (partition by cell order by "order") as bands_before
            from container_size as size
            inner join cell using (cell)
            where repeat = 1
            order by
                host, release, list_position(['native', 'apple', 'portable'], driver),
                protocol <> 'usage-phases', protocol, scale, storage,
                list_position(['native', 'UDRW', 'UDSP', 'UDSB', 'ASIF', 'VM'], format),
                encryption desc, band_bytes nulls first,
                list_position(['fresh', 'partly-filled', 'emptied'], phase), "order"
            """
        )
    )


def by_state(rows: pd.DataFrame) -> show.Shown | None:
    """Images by lines, the states of their use by columns; a table for each driver and protocol."""
    images = rows[rows["driver"] != "native"]
    keys = ["served", "protocol", "scale", "storage"]
    shown = [
        _states(number, part)
        for number, (_, part) in enumerate(images.groupby(keys, sort=False), start=1)
        if part["state"].nunique() > 1
    ]
    return show.together(*shown) if shown else None


def _states(number: int, rows: pd.DataFrame) -> show.Shown:
    first = rows.iloc[0]
    # most states come in their order in the image that was looked at most often
    images = rows.groupby(["format", "encryption", "band_bytes"], sort=False, dropna=False)
    longest = images["state"].agg(list)
    states = list(dict.fromkeys(state for of in sorted(longest, key=len)[::-1] for state in of))
    lines = []
    for (form, encryption, band_bytes), part in images:
        of = {row["state"]: row for row in part.to_dict("records")}
        lines.append(
            {
                "image": words.image(form, encryption, first["driver"], band_bytes),
                **{state: _size(of.get(state)) for state in states},
            }
        )
    protocol = words.name(words.PROTOCOLS, first["protocol"])
    return tables.table(
        lines,
        {
            "image": "Image",
            **{state: _capital(words.name(words.STATES, state)) for state in states},
        },
        f"On disk by state, {protocol}, scale {first['scale']}, "
        f"on {words.name(words.STORAGES, first['storage'])}{_ours(first['protocol'], states)}. "
        f"{first['served']}",
        numbers=states,
        name=f"states-{number}",
        classes="wide",
    )


def _ours(protocol: str, states: list[str]) -> str:
    """Which of the states the article does not have."""
    ours = [state for state in words.OWN_STATES.get(protocol, ()) if state in states]
    names = words.listed([f"\u201c{words.name(words.STATES, state)}\u201d" for state in ours])
    return f" ({names}: ours, after the article\u2019s steps)" if ours else ""


def _size(row: dict | None) -> tables.Markup:
    if row is None:
        return tables.absent()
    part = "chunk" if row["format"] == "ASIF" else "band"
    told = [] if words.missing(row["bands"]) else [words.count(row["bands"], part)]
    if not words.missing(row["volume_free_bytes"]):
        told.append(f"{words.size(row['volume_free_bytes'])} free inside")
    return tables.with_small(words.size(row["allocated_bytes"]), "; ".join(told))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def given_back(rows: pd.DataFrame) -> show.Shown:
    """What each image that was compacted took before and after."""
    done = rows[(rows["state"] == "compacted") & rows["bytes_before"].notna()]
    done = done[done["driver"] != "native"]
    if done.empty:
        return show.text("No image was compacted yet.")
    lines = [
        {
            "served": row["served"],
            "what": tables.with_small(row["what"], row["scale"]),
            "state": words.name(words.STATES, row["state_before"]),
            "before": words.size(row["bytes_before"]),
            "after": words.size(row["allocated_bytes"]),
            "given": _given(row["bytes_before"] - row["allocated_bytes"], row["bytes_before"]),
            "bands": "no bands"
            if words.missing(row["bands"])
            else f"{words.told(row['bands_before'])} to {words.told(row['bands'])}",
        }
        for row in done.to_dict("records")
    ]
    return tables.table(
        lines,
        {
            "what": "Cell",
            "state": "State before",
            "before": "Before",
            "after": "After",
            "given": "Given back",
            "bands": "Bands or chunks",
        },
        "What compaction gave back to the disk"
        + (
            ". In usage phases it is ours, after the article\u2019s steps"
            if "usage-phases" in set(done["protocol"])
            else ""
        ),
        numbers=["before", "after", "given", "bands"],
        heading="served",
        name="compaction",
    )


def _given(given: float, before: float) -> tables.Markup:
    if given < 0:
        return tables.with_small(f"{words.size(-given)} more", "it grew")
    return tables.with_small(
        words.size(given) if given else "nothing", words.percent(given / before) if given else ""
    )
