"""What is different on paper: charts are SVG files beside the page, tables are Markdown.

Quarto's profile `pdf` (`_quarto-pdf.yml`) makes PDFs of the article pages through Typst, which
knows no HTML and runs no script.
"""

import hashlib
import json
import os
import re
import textwrap
from html import unescape
from typing import Any

import vl_convert

from lib import links

FOLDER = "pdf"  # of the charts, beside the page
PIXELS = {1: 700, 2: 340}  # width of a chart, by how many stand side by side
LETTER = 7.6  # pixels, about, of a letter of a title
MADE = "DISKBENCH_PDFS"  # the publisher names the PDFs it has made here
FONT = "Libertinus Serif"  # Typst brings it along


def profile() -> bool:
    """Whether Quarto renders its profile `pdf`."""
    return "pdf" in os.environ.get("QUARTO_PROFILE", "").split(",")


def linked(article: str) -> str:
    """A link to the page's PDF, where one was made; else nothing."""
    made = os.environ.get(MADE, "").split()
    return f"[This page as a PDF]({article}.pdf)" if article in made and not profile() else ""


def charts(specs: list[tuple[str, dict[str, Any]]], caption: str, command: str | None) -> str:
    """Charts as images side by side, and below them what the figure says."""
    share = {1: "100%", 2: "49%"}.get(len(specs), "49%")
    images = " ".join(
        f"![{_text(spec.get('description', ''))}]({drawn(name, spec, len(specs))}){{width={share}}}"
        for name, spec in specs
    )
    # two spaces of no width: an image alone in its paragraph would become a figure with a number
    parts = [f"{images}\u200b", _text(caption), f"Measured by `{command}`." if command else ""]
    return "\n\n".join(part for part in parts if part)


def drawn(name: str, spec: dict[str, Any], beside: int = 1) -> str:
    """Write a chart as SVG; its address as seen from the page."""
    width = PIXELS.get(beside, PIXELS[2])
    spec = json.loads(json.dumps(spec))
    spec["width"] = width
    if isinstance(spec.get("title"), str):
        spec["title"] = {"text": textwrap.wrap(spec["title"], int(width / LETTER))}
    svg = vl_convert.vegalite_to_svg(spec, config={"font": FONT, "background": "white"})
    mark = hashlib.sha256(svg.encode()).hexdigest()[:8]
    folder = links.folder() / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}-{mark}.svg").write_text(svg, encoding="utf-8")
    return f"{FOLDER}/{name}-{mark}.svg"


def table(heads: list[str], lines: list[list[str]], numbers: list[bool], caption: str) -> str:
    """A Markdown pipe table; the number of dashes is the share of the width of a column."""
    widths = [
        max(4, min(48, max(len(row[place]) for row in [heads, *lines])))
        for place in range(len(heads))
    ]
    rules = [
        "-" * width + (":" if number else "-")
        for width, number in zip(widths, numbers, strict=True)
    ]
    body = "\n".join(f"| {' | '.join(row)} |" for row in [heads, rules, *lines])
    return f"{body}\n\n: {_text(caption)}" if caption else body


def plain(markup: object) -> str:
    """The HTML of a cell as Markdown text; what stood below in small stands behind in brackets."""
    text = re.sub(r"<small>(.*?)</small>", r" (\1)", str(markup), flags=re.DOTALL)
    text = re.sub(r"<br\s*/?>", "; ", text)
    return _text(unescape(re.sub(r"<[^>]+>", "", text)))


def _text(words: str) -> str:
    """Words to stand in Markdown as they are."""
    return re.sub(r"([\\|*_`$<\[\]~^@#])", r"\\\1", " ".join(words.split()))
