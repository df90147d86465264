"""The first lines of the page: which machines, what their runs are good for."""

import pandas as pd

from lib import runs, show, words


def shown(rows: pd.DataFrame) -> show.Shown:
    """What these runs are and are good for."""
    if rows.empty:
        return show.text(f"No such run is in the database; `{runs.RUN}` makes one on any machine.")
    machines = words.listed(list(dict.fromkeys(show.plain(one) for one in rows["machine"])))
    return show.text(
        f"**A demonstration, measured on {machines}.** It tests the software, and shows what the "
        "formats cost in our own code. It says nothing about how fast macOS or a Mac is.\n\n"
        + " ".join(_kinds(rows))
    )


def _kinds(rows: pd.DataFrame) -> list[str]:
    """What sets these runs apart."""
    told = {
        "Scale *smoke* writes far smaller files than the articles.": (
            rows["scale"] == "smoke"
        ).any(),
        "Driver *portable* is our own code for the formats; inside the image is a simple volume of "
        "our own, not APFS.": (rows["driver"] == "portable").any(),
        "Our encrypted ASIF images have our own layout: Apple\u2019s is not public.": (
            (rows["format"] == "ASIF")
            & (rows["encryption"] != "none")
            & (rows["driver"] == "portable")
        ).any(),
        "*Stand-ins* are programs that imitate those of macOS.": rows["stand_in"].any(),
    }
    return [sentence for sentence, holds in told.items() if holds]
