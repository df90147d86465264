"""Makes `assets/charts/vega.js`, which draws charts; only pages with charts load it.

Quarto runs this before rendering (`pre-render` in `_quarto.yml`); so does the plain renderer.
Pages request nothing from other hosts.
"""

import os
from importlib.metadata import version
from pathlib import Path

import vl_convert

RUNTIME = Path(__file__).resolve().parent.parent / "assets" / "charts" / "vega.js"
# of the bundled packages, which npm brings with Vega-Embed: each licence is to be with every copy
LICENCES = Path(__file__).with_name("vega-licences.txt")


def make() -> None:
    """Write the file if it is missing or of another version, and replace it atomically."""
    licences = LICENCES.read_text(encoding="utf-8")
    head = f"// vl-convert {version('vl-convert-python')}\n/*!\n{licences}*/\n".encode()
    if RUNTIME.is_file() and RUNTIME.read_bytes().startswith(head):
        return
    RUNTIME.parent.mkdir(exist_ok=True)
    unfinished = RUNTIME.with_suffix(f".{os.getpid()}.tmp")
    # it sets `window.vegaEmbed`
    unfinished.write_bytes(head + vl_convert.javascript_bundle().encode())
    unfinished.replace(RUNTIME)


if __name__ == "__main__":
    make()
