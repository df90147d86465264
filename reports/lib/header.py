"""Make `assets/header.html`, our own scripts in each page, and `assets/charts/vega.js`.

Quarto runs this before it renders (`pre-render` in `_quarto.yml`); so does the plain renderer. The
runtime of charts is one file, which only pages with charts load. No page asks another host for
anything.
"""

import os
from pathlib import Path

import vl_convert

ASSETS = Path(__file__).resolve().parent.parent / "assets"
HEADER = ASSETS / "header.html"
RUNTIME = ASSETS / "charts" / "vega.js"


def header() -> str:
    """Our own scripts for charts and tables."""
    own = [(ASSETS / name).read_text(encoding="utf-8") for name in ("charts.js", "tools.js")]
    # `</script` inside a script would end it: in a JavaScript string `<\\/script` is the same text
    safe = [script.replace("</script", "<\\/script") for script in own]
    return "".join(f"<script>\n{script}\n</script>\n" for script in safe)


def make() -> None:
    """Write what is missing or stale; a reader never sees half of it."""
    # it sets `window.vegaEmbed`
    for target, text in ((HEADER, header()), (RUNTIME, vl_convert.javascript_bundle())):
        if target.is_file() and target.read_text(encoding="utf-8") == text:
            continue
        target.parent.mkdir(exist_ok=True)
        unfinished = target.with_suffix(f".{os.getpid()}.tmp")
        unfinished.write_text(text, encoding="utf-8")
        unfinished.replace(target)


if __name__ == "__main__":
    make()
