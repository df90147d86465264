"""Requirements of Quarto on the sources, tested without Quarto.

How Quarto does things is taken from its sources, version 1.9: `src/core/html.ts` and
`src/project/types/website/website-resources.ts` for links, `src/resources/formats/html/bootstrap/` for the theme.
"""

import re
from pathlib import Path

import pytest
import yaml
from rendered import Page, statement

from lib import links

ROOT = Path(__file__).parents[3]
ASSETS = ROOT / "reports" / "assets"
HTML = yaml.safe_load((ROOT / "reports" / "_quarto.yml").read_text(encoding="utf-8"))["format"]["html"]  # fmt: skip
REM = 16  # pixels, of every browser
LEAST_CONTRAST = 4.5  # WCAG 2, AA, for text
# on what background which text is read
READ_ON = {
    "body-bg": ["body-color", "link-color", "pre-color"],
    "code-bg": ["code-color"],
    "code-block-bg": ["code-color"],
    "navbar-bg": ["navbar-fg", "navbar-hl", "navbar-brand"],
    "footer-bg": ["footer-fg"],
}
TOKENS = ["ink", "keyword", "string", "number", "comment", "name"]
HARD = """-- 100 % "sure" & <so> on
select 'é+ü 😀' as "a#b?", 7 % 2, '%0A%zz', x'00' || '//' || '../' -- =="""


def test_a_statement_arrives_whole_behind_a_link():
    assert statement(links.rows(HARD).partition("#s=")[2]) == HARD


def test_no_link_has_what_quarto_or_a_browser_would_change(site):
    """Quarto applies JavaScript's decodeURI to those within the site; browsers drop ends of lines and tabs."""
    count = 0
    for page in site.pages:
        for address in Page(site.text(page)).links:
            assert not re.search(r"\s" if re.match(r"\w+:", address) else r"[%\s]", address), page
            count += "query.html#s=" in address
    assert count > 100


def variables(mode: str) -> dict[str, str]:
    text = (ASSETS / f"{mode}.scss").read_text(encoding="utf-8")
    return dict(re.findall(r"^\$([\w-]+): (.+);$", text, re.MULTILINE))


def properties(mode: str) -> dict[str, str]:
    """The colours of the pages' own style sheet: those of the dark page stand over those of the light one."""
    text = (ASSETS / "site.css").read_text(encoding="utf-8")
    light, dark = (
        dict(re.findall(r"--([\w-]+): (#\w{6});", re.search(rf"{body} \{{(.*?)\}}", text, re.S)[1]))
        for body in (r"\nbody", r"body\.quarto-dark")
    )
    return light | dark if mode == "dark" else light


def contrast(*colours: str) -> float:
    """As WCAG 2 defines it."""
    darker, lighter = sorted(map(_luminance, colours))
    return (lighter + 0.05) / (darker + 0.05)


def _channel(colour: str, place: int) -> int:
    return int(colour[place : place + 2], 16)


def _luminance(colour: str) -> float:
    parts = [_channel(colour, place) / 255 for place in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_every_text_can_be_read_on_its_background(mode):
    theme, own = variables(mode), properties(mode)
    assert theme["code-block-bg"] == own["panel"]
    assert theme["body-bg"] == own["sheet"]
    for background, texts in READ_ON.items():
        for text in texts:
            assert contrast(theme[background], theme[text]) >= LEAST_CONTRAST, (background, text)
    # of fields: WCAG 2.2, non-text contrast; mixed as --edge is
    edge = [0.65 * _channel(own["soft"], at) + 0.35 * _channel(own["line"], at) for at in (1, 3, 5)]
    assert contrast(own["sheet"], "#" + "".join(f"{round(part):02x}" for part in edge)) >= 3
    for token in TOKENS:
        assert contrast(theme["code-block-bg"], own[token]) >= LEAST_CONTRAST, token


def test_no_table_is_wider_than_quarto_s_column_and_a_description_stays_in_the_head():
    assert HTML["hide-description"] is True
    assert HTML["fontsize"] == f"{REM}px"
    gutter = 1.5 * REM  # $grid-column-gutter-width; it stands on both sides
    column = int(HTML["grid"]["body-width"].removesuffix("px")) + 50 - 2 * gutter
    text = (ASSETS / "site.css").read_text(encoding="utf-8")
    widths = [float(width) * REM for width in re.findall(r"min-width: ([\d.]+)rem;", text)]
    assert max(widths) > 30 * REM
    assert max(widths) <= column
