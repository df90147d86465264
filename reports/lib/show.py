"""What a cell may show: Markdown, so that pages stay free of scripts from other hosts.

Quarto adds two scripts from a CDN to any page with a cell whose output is `text/html`. Raw HTML
therefore travels inside a Markdown block, which Quarto and the plain renderer pass on as it is.
"""

import base64
import gzip
import json
import re
from html import escape
from typing import Any

import altair as alt
import pandas as pd

from lib import links, theme

VEGALITE = "application/vnd.vegalite.v6+json"  # nbformat takes JSON only for `+json`

# Characters of JSON from which a page carries it packed: rows of charts become a sixth.
PACKED_FROM = 2_000

SCRIPTLESS = (
    "<noscript><p>This chart needs JavaScript; "
    "its figures are in the tables of this site.</p></noscript>\n"
)


class Shown:
    """One output of a cell: Markdown for pages, beside what else Jupyter can make of it."""

    def __init__(self, markdown: str, **others: Any):
        self.bundle = {"text/markdown": markdown, "text/plain": "(shown on the page)", **others}

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return self.bundle


def text(markdown: str) -> Shown:
    """A sentence or more of Markdown, usually with figures from the database in it."""
    return Shown(markdown)


# Quarto runs what is in `{{< >}}` even in code: `env` would tell the secrets of who publishes.
SHORTCODE = "{{<"


def plain(text: str) -> str:
    """Words of a record, to stand in Markdown as they are; what is in backticks is code."""
    parts = " ".join(text.split()).split("`")
    if len(parts) % 2 == 0 or not all(map(_can_be_code, parts[1::2])):
        return _escaped("`".join(parts))
    escaped = [_escaped(part) for part in parts]
    escaped[1::2] = parts[1::2]
    return "`".join(escaped)


def _can_be_code(text: str) -> bool:
    return bool(text.strip()) and "|" not in text and SHORTCODE not in text


def code(text: str) -> str:
    """Words of a record as code in Markdown; where code cannot hold them, as they are."""
    words = " ".join(text.split())
    return f"`{words}`" if _can_be_code(words) and "`" not in words else _escaped(words)


def _escaped(text: str) -> str:
    # a brace as well: behind code it would give that attributes, or make HTML of it
    text = re.sub(r"[\\|*_`$<\[{~^@]", r"\\\g<0>", text)
    return text.replace("--", "\\-\\-")  # no dash: they may be those of an option


def html(markup: str) -> Shown:
    """Ready-made HTML; no text in it can end its block, however many backticks it has."""
    return Shown(_fenced(markup.strip()))


def _fenced(markup: str) -> str:
    fence = "`" * max(3, _longest_run(markup) + 1)
    return f"{fence}{{=html}}\n{markup}\n{fence}"


def _longest_run(text: str) -> int:
    """How many backticks stand together at most."""
    return max(map(len, re.findall("`+", text)), default=0)


def callout(kind: str, title: str, markdown: str) -> Shown:
    """A boxed remark; `kind` is note, tip, important, warning or caution."""
    title = title.replace('"', "”")
    return Shown(f'::: {{.callout-{kind} title="{title}"}}\n\n{markdown}\n\n:::')


def folded(title: str, *parts: Shown | None) -> Shown | None:
    """Outputs that open when their title is chosen: what is long, and not what one comes for.

    No charts: they take their width from the page when it is drawn.
    """
    head = f'<details class="fold">\n<summary>{escape(title, quote=False)}</summary>'
    inside = together(*parts)
    return inside and together(html(head), inside, html("</details>"))


def together(*parts: Shown | None) -> Shown | None:
    """Several outputs as one; nothing where there is none."""
    there = [part.bundle["text/markdown"] for part in parts if part]
    return Shown("\n\n".join(there)) if there else None


def chart(
    name: str,
    drawing: alt.TopLevelMixin,
    caption: str = "",
    rows: pd.DataFrame | str | None = None,
    command: str | None = None,
) -> Shown:
    """A chart with its caption; `assets/charts.js` draws the specification, light or dark."""
    return row((name, drawing), caption=caption, rows=rows, command=command)


def row(
    *charts: tuple[str, alt.TopLevelMixin],
    caption: str = "",
    rows: pd.DataFrame | str | None = None,
    command: str | None = None,
) -> Shown:
    """Charts side by side where there is room, one below the other where there is not.

    `rows` is the frame (of `lib.database.query`) or the SQL behind them, `command` what measures
    them: both become links below.
    """
    theme.enable()
    # every part was checked when it was made; to check the whole again takes half of all the time
    specs = [(name, drawing.to_dict(validate=False)) for name, drawing in charts]
    boxes = "\n".join(_box(name, spec) for name, spec in specs)
    drawn = inert(_together([spec for _, spec in specs]))
    # names and quotes in a caption are ours or the database's; both are text, never markup
    legend = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    below = sources(rows, command)
    inside = f"{boxes}\n{drawn}\n{SCRIPTLESS}{legend}{below}"
    markup = f'<figure class="charts charts-{len(charts)}">\n{inside}</figure>'
    others = {VEGALITE: specs[0][1]} if len(specs) == 1 else {}
    return Shown(_fenced(markup), **others)


def sources(rows: pd.DataFrame | str | None = None, command: str | None = None) -> str:
    """The line below a table or chart: a link to its rows, and the command that measures it."""
    parts = []
    if rows is not None:
        parts.append(f'<a href="{escape(links.rows(rows), quote=True)}">its rows, in SQL</a>')
    if command:
        parts.append(f"<span>To measure this: <code>{escape(command)}</code></span>")
    return f'<p class="sources">{" ".join(parts)}</p>' if parts else ""


def elsewhere(what: str, rows: pd.DataFrame | str) -> Shown:
    """What a page leaves out, one click away: a link to its rows."""
    return text(f"{what}: [rows, in SQL]({links.rows(rows)}).")


def in_script(value: Any) -> str:
    """A value as JSON that can stand in a `<script>`: without `<` it neither ends nor nests one."""
    return json.dumps(value, separators=(",", ":"), sort_keys=True).replace("<", "\\u003c")


def inert(value: Any) -> str:
    """A value as JSON in a `<script>` that does nothing; much of it is packed (`PACKED_FROM`)."""
    text = in_script(value)
    if len(text) < PACKED_FROM:
        return f'<script type="application/json">{text}</script>'
    packed = base64.b64encode(gzip.compress(text.encode(), 9, mtime=0)).decode()
    return f'<script type="text/plain" data-packed>{packed}</script>'


def _together(specs: list[dict[str, Any]]) -> dict[str, Any]:
    """The specifications of a figure: `specs` name their rows, each set of which stands once."""
    rows: dict[str, Any] = {}
    for spec in specs:
        rows |= spec.get("datasets", {})
    named = [spec | {"datasets": sorted(spec.get("datasets", {}))} for spec in specs]
    return {"datasets": rows, "specs": named}


def _box(name: str, spec: dict[str, Any]) -> str:
    """The place of one chart, with its description for readers."""
    label = escape(spec.get("description", ""), quote=True)
    runtime = links.to("assets/charts/vega.js")
    return (
        f'<div class="chart" id="{name}" role="group" aria-label="{label}"'
        f' data-runtime="{runtime}"></div>'
    )
