"""Make `assets/charts/vega.js`: what draws charts, one file that only pages with charts load.

Quarto runs this before it renders (`pre-render` in `_quarto.yml`); so does the plain renderer. No
page asks another host for anything.
"""

import os
from importlib.metadata import version
from pathlib import Path

import vl_convert

RUNTIME = Path(__file__).resolve().parent.parent / "assets" / "charts" / "vega.js"


def make() -> None:
    """Write it where it is missing or another version made it; a reader never sees half of it."""
    made_by = f"// vl-convert {version('vl-convert-python')}\n".encode()
    if RUNTIME.is_file() and RUNTIME.read_bytes().startswith(made_by):
        return
    RUNTIME.parent.mkdir(exist_ok=True)
    unfinished = RUNTIME.with_suffix(f".{os.getpid()}.tmp")
    # it sets `window.vegaEmbed`
    unfinished.write_bytes(made_by + vl_convert.javascript_bundle().encode())
    unfinished.replace(RUNTIME)


if __name__ == "__main__":
    make()
