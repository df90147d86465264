"""The exit codes that the core defines."""

import re

from lib import project, show, tables

SOURCE = "core/diskbench-core/src/exit_code.rs"


def codes() -> dict[int, str]:
    """The core's description of each code."""
    text = project.text(SOURCE)
    numbers = re.findall(r"^    (\w+) = (\d+),$", text, re.MULTILINE)
    meanings = dict(re.findall(r'Self::(\w+) => (?:\{\s*)?"([^"]+)"', text))
    return {int(number): meanings[name] for name, number in numbers}


def table() -> show.Shown:
    """One row for each code, which leads to its section."""
    return tables.table(
        codes().items(),
        [
            tables.number("Code", lambda row: tables.link(row[0], f"#code-{row[0]}")),
            tables.text("Meaning", 1),
        ],
        "The exit codes of run.sh and of the core",
        name="exit-codes",
    )
