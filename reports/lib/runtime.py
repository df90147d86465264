"""Make `assets/charts/vega.js`: what draws charts, one file that only pages with charts load.

Quarto runs this before it renders (`pre-render` in `_quarto.yml`); so does the plain renderer. No
page asks another host for anything.
"""

import os
from pathlib import Path

import vl_convert

RUNTIME = Path(__file__).resolve().parent.parent / "assets" / "charts" / "vega.js"


def make() -> None:
    """Write it where it is missing or stale; a reader never sees half of it."""
    text = vl_convert.javascript_bundle()  # it sets `window.vegaEmbed`
    if RUNTIME.is_file() and RUNTIME.read_text(encoding="utf-8") == text:
        return
    RUNTIME.parent.mkdir(exist_ok=True)
    unfinished = RUNTIME.with_suffix(f".{os.getpid()}.tmp")
    unfinished.write_text(text, encoding="utf-8")
    unfinished.replace(RUNTIME)


if __name__ == "__main__":
    make()
