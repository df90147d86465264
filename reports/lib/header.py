"""Make `assets/vega-bundle.html`: all that charts need, in one include for the head of each page.

Quarto runs this before it renders (`pre-render` in `_quarto.yml`); so does the plain renderer.
Charts then carry only their specification, and no page asks another host for anything.
"""

import os
from pathlib import Path

import vl_convert

ASSETS = Path(__file__).resolve().parent.parent / "assets"
TARGET = ASSETS / "vega-bundle.html"


def header() -> str:
    """The bundle (it sets `window.vegaEmbed`) and our own scripts for charts and tables."""
    own = [(ASSETS / name).read_text(encoding="utf-8") for name in ("charts.js", "tools.js")]
    scripts = [vl_convert.javascript_bundle(), *own]
    # `</script` inside a script would end it: in a JavaScript string `<\/script` is the same text
    safe = [script.replace("</script", "<\\/script") for script in scripts]
    return "".join(f"<script>\n{script}\n</script>\n" for script in safe)


def make() -> Path:
    """Write the include when it is missing or stale; a reader never sees half of it."""
    text = header()
    if not TARGET.is_file() or TARGET.read_text(encoding="utf-8") != text:
        unfinished = TARGET.with_suffix(f".{os.getpid()}.tmp")
        unfinished.write_text(text, encoding="utf-8")
        unfinished.replace(TARGET)
    return TARGET


if __name__ == "__main__":
    make()
