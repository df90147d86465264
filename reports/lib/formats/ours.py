"""The list of an article beside diskbench: what it can do with each format, what was measured."""

import pandas as pd

from lib import show, tables, words
from lib.formats import facts, listed, states


def shown(article: str) -> show.Shown:
    """The same rows: whether diskbench measures, makes and checks them, and what was measured."""
    found = listed.rows(article)
    cells = states.of_cells()
    by_format = cells.groupby("format")
    lines = [
        {
            "supported": listed.supported(row),
            "format": row["format"],
            "apple": tables.code(facts.of(row["format"]).apple),
            "portable": tables.code(facts.of(row["format"]).portable),
            "state": _state(
                row["format"],
                by_format.get_group(row["format"]) if row["format"] in by_format.groups else None,
            ),
        }
        for row in found.to_dict("records")
    ]
    return tables.table(
        lines,
        {
            "format": "Format",
            "apple": "On a Mac (driver apple)",
            "portable": "Anywhere (driver portable, diskbench image)",
            "state": "Measured here",
        },
        "What diskbench can do with each format, and what was measured",
        name="ours",
        classes="wide",
        heading="supported",
        source=cells,
    )


def _state(code: str, cells: pd.DataFrame | None) -> tables.Markup:
    """One format in a sentence."""
    if cells is None:
        if code not in facts.MEASURED:
            return tables.markup("nothing to measure")
        command = "bash workflow/run.sh --config study=encryption-2026"
        if code == "UDSP":
            command = "bash workflow/run.sh --config study=performance-2024"
        return tables.Markup(
            f'<span class="missing">not measured yet</span><small><code>{command}</code></small>'
        )
    parts = [
        f"{int(cells[kind].sum())} {kind}"
        for kind in ("measured", "skipped", "failed")
        if cells[kind].sum()
    ]
    by = ", ".join(sorted(set(cells["driver"])))
    hosts = words.count(cells["host"].nunique(), "host")
    return tables.with_small(f"{', '.join(parts)} cells", f"{hosts}, driver {by}")
