"""Output of cells as Markdown, so that pages load no scripts from other hosts.

Quarto adds two scripts from a CDN to any page with a cell of output type `text/html`. So raw HTML
is put into a Markdown block, which Quarto and the plain renderer pass on unchanged.
"""

import base64
import gzip
import json
import re
from collections import Counter
from html import escape
from typing import Any

import altair as alt
import pandas as pd

from lib import links, theme

VEGALITE = (
    "application/vnd.vegalite.v6+json"  # nbformat accepts JSON only for types ending in `+json`
)

# JSON of at least this many characters is compressed: rows of charts shrink to a sixth.
PACKED_FROM = 2_000

SCRIPTLESS = (
    "<noscript><p>This chart is drawn by JavaScript. "
    'Its figures are in the downloads of the page <a href="{data}">Data</a>.</p></noscript>\n'
)


class Shown:
    """One output of a cell: Markdown for pages, and other types for Jupyter."""

    def __init__(self, markdown: str, **others: Any):
        self.bundle = {"text/markdown": markdown, "text/plain": "(shown on the page)", **others}

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return self.bundle


def text(markdown: str) -> Shown:
    """Markdown text, usually with figures from the database."""
    return Shown(markdown)


# Quarto runs `{{< >}}` even in code: `env` would reveal secrets of the publishing machine.
SHORTCODE = "{{<"


def plain(text: str) -> str:
    """Text of a record, escaped for Markdown; text in backticks is code."""
    parts = " ".join(text.split()).split("`")
    if len(parts) % 2 == 0 or not all(map(_can_be_code, parts[1::2])):
        return _escaped("`".join(parts))
    escaped = [_escaped(part) for part in parts]
    escaped[1::2] = parts[1::2]
    return "`".join(escaped)


def _can_be_code(text: str) -> bool:
    return bool(text.strip()) and "|" not in text and SHORTCODE not in text


def code(text: str) -> str:
    """Text of a record as Markdown code, or escaped if code cannot contain it."""
    words = " ".join(text.split())
    return f"`{words}`" if _can_be_code(words) and "`" not in words else _escaped(words)


def _escaped(text: str) -> str:
    # also braces: after code they would set attributes or make it HTML
    text = re.sub(r"[\\|*_`$<\[{~^@]", r"\\\g<0>", text)
    return text.replace("--", "\\-\\-")  # keep hyphens: they may belong to an option


def html(markup: str) -> Shown:
    """Raw HTML in a block that no run of backticks inside can end."""
    return Shown(_fenced(markup.strip()))


def _fenced(markup: str) -> str:
    fence = "`" * max(3, _longest_run(markup) + 1)
    return f"{fence}{{=html}}\n{markup}\n{fence}"


def _longest_run(text: str) -> int:
    """The length of the longest run of backticks."""
    return max(map(len, re.findall("`+", text)), default=0)


def folded(title: str, *parts: Shown | None) -> Shown | None:
    """Outputs that open when their title is chosen: what is long, and not what one comes for.

    Not for charts: they take their width from the page when drawn.
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
) -> Shown:
    """A chart with its caption; `assets/charts.js` draws the specification, light or dark."""
    return row((name, drawing), caption=caption, rows=rows)


def row(
    *charts: tuple[str, alt.TopLevelMixin],
    caption: str = "",
    rows: pd.DataFrame | str | None = None,
    command: str | None = None,
) -> Shown:
    """Charts side by side, or one below the other on narrow screens.

    `rows` is the frame (of `lib.database.query`) or SQL behind them, `command` measures them; both
    become links below.
    """
    theme.enable()
    # the parts are validated already; validating the whole again takes half of the time
    specs = [(name, drawing.to_dict(validate=False)) for name, drawing in charts]
    boxes = "\n".join(_box(name, spec) for name, spec in specs)
    drawn = inert(_together([spec for _, spec in specs]))
    # captions contain names and quotes, which are text, never markup
    legend = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    titles = "; ".join(spec["title"] for _, spec in specs)
    below = sources(only_once(titles), rows, command)
    scriptless = SCRIPTLESS.format(data=links.to("data.html"))
    inside = f"{boxes}\n{drawn}\n{scriptless}{legend}{below}"
    markup = f'<figure class="charts charts-{len(charts)}">\n{inside}</figure>'
    others = {VEGALITE: specs[0][1]} if len(specs) == 1 else {}
    return Shown(_fenced(markup), **others)


_said: Counter[str] = Counter()  # a page is a process of its own


def only_once(name: str) -> str:
    """A unique name on the page: `Sizes`, then `Sizes (2)`."""
    _said[name] += 1
    return name if _said[name] == 1 else f"{name} ({_said[name]})"


def sources(title: str, rows: pd.DataFrame | str | None = None, command: str | None = None) -> str:
    """The line below a table or chart: a link to its rows, and the command that measures it."""
    parts = []
    if rows is not None:
        parts.append(query_link("its rows, in SQL", title, rows))
    if command:
        parts.append(f"<span>To measure this: <code>{escape(command)}</code></span>")
    return f'<p class="sources">{" ".join(parts)}</p>' if parts else ""


def query_link(text: str, of: str, rows: pd.DataFrame | str) -> str:
    """A link to a query whose name begins with what is seen, and says which of many it is."""
    label = escape(f"{text}: {of}", quote=True)
    return f'<a href="{escape(links.rows(rows), quote=True)}" aria-label="{label}">{text}</a>'


def elsewhere(what: str, rows: pd.DataFrame | str) -> Shown:
    """What a page leaves out, one click away: a link to its rows."""
    return text(f"{what}: [rows, in SQL]({links.rows(rows)}).")


def in_script(value: Any) -> str:
    """A value as JSON for a `<script>`: without `<`, which could end it."""
    return json.dumps(value, separators=(",", ":"), sort_keys=True).replace("<", "\\u003c")


def inert(value: Any) -> str:
    """A value as JSON in an inert `<script>`, compressed if large (`PACKED_FROM`)."""
    text = in_script(value)
    if len(text) < PACKED_FROM:
        return f'<script type="application/json">{text}</script>'
    packed = base64.b64encode(gzip.compress(text.encode(), 9, mtime=0)).decode()
    return f'<script type="text/plain" data-packed>{packed}</script>'


def _together(specs: list[dict[str, Any]]) -> dict[str, Any]:
    """The specifications of a figure; charts that share rows refer to one copy."""
    rows: dict[str, Any] = {}
    for spec in specs:
        rows |= spec.get("datasets", {})
    named = [spec | {"datasets": sorted(spec.get("datasets", {}))} for spec in specs]
    return {"datasets": rows, "specs": named}


def _box(name: str, spec: dict[str, Any]) -> str:
    """The element of one chart, named by its title; the drawing in it has the description."""
    label = escape(spec["title"], quote=True)
    runtime = links.to("assets/charts/vega.js")
    return (
        f'<div class="chart" id="{name}" role="group" aria-label="{label}"'
        f' data-runtime="{runtime}"></div>'
    )
