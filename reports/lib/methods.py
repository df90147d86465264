"""The methods as they are run: from the study's own files and the database's own comments."""

import importlib.util
import re
import sys
from functools import cache
from types import ModuleType
from typing import Any

import pandas as pd

from lib import project, protocols, show, tables, words
from lib.article import deviations
from lib.database import query

SCALES = "workflow/scripts/study/scales.py"
STUDY = "workflow/config/study.yaml"
COMPARISONS = {
    "article_table": "A figure of an article and a measured one",
    "article_size_table": "A size of an article and a measured one",
    "release_change": "The same cell under two releases",
    "release_published": "Two releases in the articles\u2019 own figures",
    "encryption_cost": "Encrypted and not encrypted",
    "format_cost": "With an image and without",
    "conclusion_evidence": "What an article concludes, and what the figures say",
}


@cache
def scales() -> ModuleType:
    """The module with the sizes and scales of a study; a page imports nothing else of it."""
    spec = importlib.util.spec_from_file_location("study_scales", project.ROOT / SCALES)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclass looks there
    spec.loader.exec_module(module)
    return module


@cache
def study() -> dict:
    """The study's settings as shipped."""
    return project.document(STUDY)


def warm_limit() -> float:
    """The share of a pass that may have come from memory without making its reads warm."""
    return project.constant("core/system/src/calls.rs", "WARM_PERCENT") / 100


def resamples() -> int:
    """How many times the files of a cell are drawn for an interval."""
    return int(project.constant("workflow/scripts/database/statistics/resampling.py", "RESAMPLES"))


def confidence() -> float:
    """In what share of cases an interval is to cover what it claims to."""
    return project.constant("workflow/scripts/database/statistics/estimate.py", "CONFIDENCE")


def sizes_mb() -> list[int]:
    """The 16 file sizes of a set, in MB."""
    return [size // scales().MEGABYTE for size in scales().SIZES_BYTES]


def set_gb() -> float:
    """What one set holds, in GB."""
    return sum(scales().SIZES_BYTES) / 1e9


def overview() -> show.Shown:
    """One row for each protocol: whose method it is, how much it writes at most."""
    titles = query("select article, title, published_on from article").set_index("article")
    lines = []
    for name, told in protocols.all_protocols().items():
        about = titles.loc[told["article"]]
        lines.append(
            {
                "protocol": tables.link(name, f"#protocol-{name}"),
                "article": tables.with_small(
                    tables.link(about["title"], f"articles/{told['article']}.html"),
                    words.month(about["published_on"]),
                ),
                "nominal": words.size(told["nominal_bytes"]),
                "scale": told["article_scale"],
                "phases": len(told["phases"]),
            }
        )
    return tables.table(
        lines,
        {
            "protocol": "Protocol",
            "article": "The method of",
            "nominal": "Image",
            "scale": "Scale at most",
            "phases": "Phases",
        },
        "The protocols, and the articles whose methods they are",
        numbers=["nominal", "phases"],
        name="protocols",
    )


def steps(name: str) -> show.Shown:
    """A protocol as it is run, and its file with the article's words beside each step."""
    text = project.text(f"workflow/config/protocols/{name}.yaml").strip()
    return show.together(
        show.html(f'<span id="protocol-{name}"></span>'),
        tables.table(
            protocols.steps(name),
            {"phase": "Phase", "steps": "Steps"},
            f"The protocol {name}, as it is run",
            name=f"steps-{name}",
        ),
        show.folded(
            f"{name}.yaml, {words.count(len(protocols.deviations(name)), 'deviation')}",
            show.text(f"```yaml\n{text}\n```"),
            deviations.table(name),
        ),
        *deviations.machines([name]),
    )


def matrix() -> show.Shown:
    """What each study measures, in its order: the words it comes from, and what of it is ours."""
    lines = []
    for slug, told in study()["studies"].items():
        for row in told["matrix"]:
            formats = ", ".join(words.name(words.FORMATS, form) for form in row["formats"])
            ours = row.get("ours")
            lines.append(
                {
                    "study": f"{told['title']} ({slug})",
                    "image": formats,
                    "encryption": ", ".join(_encryption(row["encryptions"])),
                    "where": ", ".join(row.get("storages", ["every storage"])),
                    "quote": f"“{row['quote']}”",
                    "note": ours or "",
                }
            )
    return tables.table(
        lines,
        {
            "image": "Measured",
            "encryption": "Encryption",
            "where": "On",
            "quote": "The article\u2019s words",
            "note": "Our additions",
        },
        "What each study measures, and why",
        name="matrix",
        classes="wide",
        heading="study",
    )


def identified() -> show.Shown:
    """How the properties of an image are read back, and in how many measured cells they are."""
    [(known, measured)] = query(
        """
        select
            count(*) filter (cell in (select cell from image_fact)) as known,
            count(*) as measured
        from cell
        where status = 'measured'
        """
    ).itertuples(index=False)
    return show.text(
        "Before timing starts, the properties of each image are read back (header, `hdiutil`, "
        "`diskutil`, mount table). If one differs from the request, the cell fails; one that "
        f"cannot be read is null. Table `image_fact` has both values for {known} of {measured} "
        "measured cells."
    )


def _encryption(slugs: list[str]) -> list[str]:
    return ["same as the disk" if slug == "host" else slug for slug in slugs]


def scale_table() -> show.Shown:
    """The scales, with what they write in each pass."""
    lines = []
    for name, scale in scales().SCALES.items():
        sizes = scales().sizes_bytes(scale)
        lines.append(
            {
                "scale": name,
                "sets": scale.sets,
                "files": scale.sets * len(sizes),
                "smallest": words.size(min(sizes)),
                "largest": words.size(max(sizes)),
                "bytes": words.size(scale.sets * sum(sizes), figures=4),
                "phases": "all" if scale.later_phases else "the first",
                "use": "only tests the software; never compared"
                if scale.size_divisor > 1
                else "compared",
            }
        )
    return tables.table(
        lines,
        {
            "scale": "Scale",
            "sets": "Sets",
            "files": "Files",
            "smallest": "Smallest",
            "largest": "Largest",
            "bytes": "Each pass",
            "phases": "Phases",
            "use": "Use",
        },
        "The scales: 16 sizes in each set. No protocol runs at a larger scale than its article",
        numbers=["sets", "files", "smallest", "largest", "bytes"],
        name="scales",
        classes="wide",
    )


# What the list of sizes gives for a statement of the articles: article, quantity, as printed (as
# they are in published_size); the value in the unit printed; a remark where the two do not agree.
def _checks() -> list[tuple[str, str, str, float, str]]:
    sizes = sizes_mb()
    one, top = sum(sizes) / 1000, [size for size in sizes if size >= 600]
    small = sum(sizes) - sum(top)
    return [
        ("encryption-2026", "files", "160", 10 * len(sizes), ""),
        ("encryption-2026", "smallest-file", "2", min(sizes), ""),
        ("encryption-2026", "largest-file", "2", max(sizes) / 1000, ""),
        ("encryption-2026", "files-total", "53", 10 * one, ""),
        ("vm-2026", "files-total", "26", 5 * one, "so the article truncated instead of rounding"),
        ("encryption-2026", "files-total", "10", 2 * one, "two sets that were kept"),
        ("bands-2024", "files-deleted", "40", 10 * len(top), ""),
        ("bands-2024", "smallest-deleted-file", "600", min(top), ""),
        ("bands-2024", "files-total", "250", 50 * one, ""),
        (
            "bands-2024",
            "on-disk",
            "91.63",
            (4 * 10 * small + 10 * sum(sizes)) / 1000,
            "the files alone; the rest is the file system\u2019s",
        ),
        (
            "encryption-2026",
            "files-total",
            "66",
            12 * one,
            "two sets kept and ten written: the only statement that does not fit",
        ),
    ]


def size_checks() -> pd.DataFrame:
    """What the articles state of the files, and what the 16 sizes give for it."""
    rows = query(
        """
        select article, quantity, as_printed, unit, kind, format, quote
        from published_size
        order by article, table_order
        """
    )
    found = []
    for article, quantity, printed, value, remark in _checks():
        part = rows[
            (rows["article"] == article)
            & (rows["quantity"] == quantity)
            & (rows["as_printed"] == printed)
            & ((quantity != "on-disk") | (rows["format"] == "UDRW"))
        ]
        if len(part):
            row = part.iloc[0]
            kind = {"above": "over ", "about": "about "}.get(row["kind"], "")
            found.append(
                {
                    "quote": f"“{row['quote']}”",
                    "article": row["article"],
                    "stated": f"{kind}{row['as_printed']} {row['unit']}",
                    "value": value,
                    "given": f"{words.significant(value, 4)} {row['unit']}",
                    "note": remark,
                }
            )
    return pd.DataFrame(found)


def size_table() -> show.Shown:
    """The same as a table."""
    return tables.table(
        size_checks(),
        {
            "quote": "The article\u2019s words",
            "article": "Article",
            "stated": "States",
            "given": "These sizes",
            "note": "Remark",
        },
        "What the articles state about their files, and what the 16 sizes give",
        numbers=["stated", "given"],
        name="sizes",
        classes="wide",
        source="select * from published_size where quantity not in ('on-disk', 'free', 'bands')",
    )


def reached() -> show.Shown:
    """Cache and durability, requested and effective, for each machine."""
    asked = study()["io"]
    said = (
        f"As shipped, the study requests cache `{asked['cache']}`, durability "
        f"`{asked['durability']}`, and blocks of {words.binary_size(asked['block_bytes'])}."
    )
    rows = query(
        """
        select
            host, release, bool_or(stand_in) as stand_in, driver,
            cache_asked, cache_reached, durability_asked, durability_reached, block_bytes,
            count(*) as cells
        from cell
        where status = 'measured'
        group by all
        order by all
        """
    )
    if rows.empty:
        return show.text(
            f"{said} Nothing has been measured yet, so no effective settings are known."
        )
    lines = [
        row
        | {
            "machine": words.machine(row["host"], row["release"], row["stand_in"]),
            "cache": f"{row['cache_asked']} → {row['cache_reached']}",
            "durability": f"{row['durability_asked']} → {row['durability_reached']}",
            "block": words.binary_size(row["block_bytes"]),
        }
        for row in rows.to_dict("records")
    ]
    return show.together(
        show.text(said),
        tables.table(
            lines,
            {
                "machine": "Measured on",
                "driver": "Driver",
                "cache": "Cache, requested → effective",
                "durability": "Durability, requested → effective",
                "block": "Block",
                "cells": "Cells",
            },
            "Cache and durability, requested and effective",
            numbers=["block", "cells"],
            name="reached",
            source=rows,
        ),
    )


def timed_region() -> show.Shown:
    """What the time of a file covers, in the words of the data dictionary."""
    found = query(
        """
        select comment
        from duckdb_columns()
        where table_name = 'sample' and column_name = 'elapsed_ns'
            and database_name = current_database()
        """
    )
    return show.text(found["comment"].iloc[0].partition(";")[0] + ".")


OTHERS = "percentiles of the resamples"
STATISTICS = (
    (
        "Theil\u2013Sen, the headline",
        "1 / median of (t<sub>j</sub> \u2212 t<sub>i</sub>) / (s<sub>j</sub> \u2212 s<sub>i</sub>)"
        " over all pairs of files of different size",
        "The cost of each further byte. The fixed cost of a file is left out, and a few outliers "
        "change nothing",
        "order statistics of the slopes (Sen 1968). Their ranks follow from the variance of "
        "Kendall\u2019s S, estimated file by file and within each size, as large files vary more "
        "(Hoeffding 1948; Sen 1960). With few files or much noise there is no upper end",
        "Theil 1950; Sen 1968",
    ),
    ("Total", "\u03a3 s / \u03a3 t", "All bytes / all time. Large files dominate", OTHERS, ""),
    (
        "Mean",
        "mean of s / t",
        "Every file counts the same, so small files, where syncing costs most, lower it",
        OTHERS,
        "",
    ),
    (
        "Median",
        "median of s / t",
        "Half of the files were faster",
        OTHERS,
        "not known to be the tool\u2019s",
    ),
    (
        "Regression",
        "1 / slope of t on s by least squares",
        "The cost of each further byte, mostly that of the largest files",
        OTHERS,
        "the line that the tool\u2019s author drew in charts, 2020 to 2024",
    ),
    (
        "20 % trimmed mean",
        "mean of s / t without the lowest and the highest 20 %",
        "The mean without outliers at either end",
        OTHERS,
        "named in an article on the tool behind the figures, 2021",
    ),
)


def statistics() -> show.Shown:
    """The six summaries of a cell's files: s is the size of a file, t its time."""
    columns = ("name", "formula", "what", "interval", "source")
    lines = [dict(zip(columns, row, strict=True)) for row in STATISTICS]
    return tables.table(
        [line | {"formula": tables.Markup(line["formula"])} for line in lines],
        {
            "name": "Statistic",
            "formula": "Formula",
            "what": "In words",
            "interval": "Interval within one run",
            "source": "Source",
        },
        "The six statistics: s is the size of a file, t its time. Percentiles are those of "
        f"{resamples():,} resamples within each size, each with one file fewer (Efron 1979; Rao "
        "and Wu 1988); with one file of each size (scale tenth) there are none",
        name="statistics",
        classes="wide",
    )


def rules() -> show.Shown:
    """How two figures are compared: the comments of the tables that do it, word for word."""
    comments = query(
        """
        select table_name as "table", comment
        from duckdb_tables()
        where database_name = current_database()
        """
    ).set_index("table")["comment"]
    lines = [
        {
            "what": title,
            "table": tables.link(name, f"data.html#table-{name}"),
            "rule": f"“{comments[name]}”",
        }
        for name, title in COMPARISONS.items()
        if name in comments.index
    ]
    return tables.table(
        lines,
        {
            "what": "Compared",
            "table": "Table",
            "rule": "Its rule, from the comment of the table",
        },
        "The rules of every comparison",
        name="rules",
    )


def tolerances() -> show.Shown:
    """Every rule of a verdict with its tolerance and reason, as `verdict_rule` has them."""
    lines = [
        {
            "comparison": row.comparison
            if " " in row.comparison
            else tables.link(row.comparison, f"data.html#table-{row.comparison}"),
            "rule": row.rule,
            "condition": row.condition,
            "tolerance": _tolerance(row),
            "reason": row.reason,
            "source": words.told(row.source, ""),
            "set": words.day(row.set_on),
        }
        for row in query("select * from verdict_rule order by comparison, rule").itertuples()
    ]
    return tables.table(
        lines,
        {
            "comparison": "Table",
            "rule": "Rule",
            "condition": "In words",
            "tolerance": "Tolerance",
            "reason": "Why",
            "source": "Source",
            "set": "Set on",
        },
        "The rules of verdicts and their tolerances",
        numbers=["tolerance"],
        name="tolerances",
        classes="wide",
    )


def _tolerance(row: Any) -> str:
    """A share in percent; runs are counted."""
    if pd.isna(row.tolerance):
        return ""
    if row.rule == "runs":
        return f"{row.tolerance:.0f}"
    return words.percent(row.tolerance)


def macs() -> str:
    """How many Macs stand behind the measured figures, in a sentence."""
    count = query(
        """
        select count(distinct host) as hosts
        from cell
        inner join host using (host, release)
        where cell.driver = 'apple' and status = 'measured' and not cell.stand_in and not made_up
        """
    )["hosts"].iloc[0]
    if not count:
        return (
            "**No real Mac has been measured yet.** Figures of macOS here are published or "
            "synthetic."
        )
    return f"The measured figures of macOS come from {words.count(count, 'Mac')}."


def changelog() -> show.Shown:
    """What changed the meaning of figures: the section of the changelog, as a table."""
    lines = _section("CHANGELOG.md", "## Methodology", r"\|")
    head, _, *body = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]
    head = [name.strip() for name in head]
    return tables.table(
        [
            {name: tables.code(cell) for name, cell in zip(head, row, strict=True)}
            for row in reversed(body)
        ],
        {
            "version": "Version",
            "epoch": "Epoch of the harness",
            "record_version": "Version of the record",
            "what": "What changed",
        },
        "What decides whether figures of two versions can be compared, newest first",
        numbers=["epoch", "record_version"],
        name="changelog",
        classes="wide",
    )


def _section(file: str, heading: str, mark: str) -> list[str]:
    """The lines of a section that begin like this; the section must be there."""
    level = heading.split(" ")[0]
    _, part = project.text(file).split(f"\n{heading}\n", 1)
    part = re.split(rf"\n#{{1,{len(level)}}} ", part)[0]
    return [line for line in part.splitlines() if re.match(mark, line)]
