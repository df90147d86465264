"""A Quarto project of two pages, and the command that publishes it."""

import os
import subprocess
import sys
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
SETTINGS = """
project:
  type: website
  output-dir: _site
  execute-dir: project
  pre-render: [make.py]
  resources: []
  render:
    - "*.qmd"
    - more/*.qmd
website:
  title: tiny & small
  favicon: icon.svg
  navbar:
    left:
      - {text: Home, href: index.qmd}
      - text: Others
        menu:
          - {text: More, href: more/page.qmd}
  page-footer:
    left: the foot
format:
  html:
    css: [site.css]
    include-in-header: [header.html]
    toc: true
    toc-depth: 2
execute:
  echo: false
"""
INDEX = """---
title: "Tiny: <one> & *two*"
subtitle: How small
---

See [more](more/page.qmd#the-part) or [elsewhere](https://example.org/a.qmd).

It is *hot*.

## Shown

```{python}
#| label: shown
#| echo: true
from IPython.display import Markdown
Markdown(str(6 * 7))
```

```{.python}
raise SystemExit("shown, never run")
```

```{python}
#| label: table
from pathlib import Path
raw = "```{=html}\\n<table><caption>A caption</caption><tr><td>1 &lt; 2</td></tr></table>\\n```"
assert Path("_quarto.yml").is_file()
Markdown(raw)
```

```{python}
#| label: silent
#| output: false
Markdown("never seen")
```
"""
HEADER = '<script>let made = 1</script><script src="/more/made.js"></script>'
MORE = """---
title: More
execute:
  echo: true
---

Back [home](../index.qmd).

## The part

```{python}
#| label: pipe
from IPython.display import Markdown
Markdown("| a | b |\\n|--:|:--|\\n| 1 | x |\\n\\n: Words below")
```
"""


def make(folder: Path) -> Path:
    """A project of two pages."""
    files = {
        "_quarto.yml": SETTINGS,
        "index.qmd": INDEX,
        "more/page.qmd": MORE,
        "make.py": f"from pathlib import Path\nPath('header.html').write_text({HEADER!r})",
        "site.css": "body { color: black }",
        "icon.svg": "<svg xmlns='http://www.w3.org/2000/svg'/>",
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def publish(folder: Path, *more: str, path: str = os.environ["PATH"], **others: str):
    """The command that publishes it, as Snakemake calls it."""
    return subprocess.run(
        [
            sys.executable,
            "-m",
            "publish",
            "--reports",
            str(folder),
            "--log",
            str(folder / "log"),
            *more,
        ],
        env=os.environ | {"PYTHONPATH": str(SCRIPTS), "PATH": path} | others,
        capture_output=True,
        text=True,
        check=False,
    )
