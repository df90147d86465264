"""The size of each page of a site: bytes of HTML, pixels in Chromium."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from proofs.support import goals, proof, web
from proofs.support.proof import Figure

WIDTHS = {1440: 900, 390: 844}  # a desktop and a telephone, with the height of their windows
KB = 150  # of the HTML of each page
# pixels at those widths, everything folded that is folded at first
HEIGHTS = {"index": (3_000, 6_500), "methods": (8_000, 16_000), "articles/": (4_000, 9_000)}
DRAWN = "[...document.querySelectorAll('.chart')].every(chart => chart.matches('.drawn'))"


@dataclass(frozen=True)
class Page:
    """A page of a site: `heights` has one for each of `WIDTHS`, and none where no browser is."""

    name: str
    size: int
    heights: tuple[int, ...]

    @property
    def goals(self) -> tuple[int, ...] | None:
        """What its heights are held to, if they are."""
        return next((goal for name, goal in HEIGHTS.items() if self.name.startswith(name)), None)


def looked_at(site: Path) -> list[Page]:
    """Every page of a site, opened from the disk."""
    files = sorted(site.rglob("*.html"))
    heights = _heights(files)
    return [
        Page(
            file.relative_to(site).with_suffix("").as_posix(),
            file.stat().st_size,
            tuple(of[file] for of in heights),
        )
        for file in files
    ]


def _heights(files: list[Path]) -> list[dict[Path, int]]:
    found = []
    with web.chromium() as browser:
        if browser is None:
            return []
        for width, height in WIDTHS.items():
            page = browser.new_page(viewport={"width": width, "height": height})
            of: dict[Path, int] = {}
            for file in files:
                page.goto(file.as_uri())
                page.wait_for_function(DRAWN)
                of[file] = page.evaluate("document.documentElement.scrollHeight")
            found.append(of)
    return found


def lines(pages: Iterable[Page]) -> list[str]:
    """A table of them, with a mark where a goal is missed."""
    heads = [f"at {width}" for width in WIDTHS]
    shown = [f"  {'page':<28}{'kB':>8}" + "".join(f"{head:>10}" for head in heads)]
    for page in pages:
        told = _marked(page.size / 1000, KB)
        limits = page.goals or (None,) * len(page.heights)
        for height, limit in zip(page.heights, limits, strict=True):
            told += f"{_marked(height, limit):>10}"
        shown.append(f"  {page.name:<28}{told}")
    return shown


def _marked(value: float, limit: float | None) -> str:
    return f"{value:>7,.0f}" + ("*" if limit is not None and value > limit else " ")


def figures(of: str, pages: list[Page]) -> list[Figure]:
    """The largest of each kind with its goal."""
    found = [
        _largest(
            f"{of}: HTML of the largest page", [page.size for page in pages], 1000 * KB, "bytes"
        )
    ]
    for name, limits in HEIGHTS.items():
        kind = [page for page in pages if page.name.startswith(name) and page.heights]
        what = "the tallest article page" if name.endswith("/") else f"the page {name}"
        for number, (width, limit) in enumerate(zip(WIDTHS, limits, strict=True)):
            heights = [page.heights[number] for page in kind]
            if heights:
                found.append(
                    _largest(f"{of}: height of {what}, {width} pixels wide", heights, limit, "px")
                )
    return found


def _largest(what: str, values: list[int], limit: int, unit: str) -> Figure:
    return proof.counted(what, max(values), unit, goals.at_most(limit, f"<= {limit:,} {unit}"))
