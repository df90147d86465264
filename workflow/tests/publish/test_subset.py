"""Pages use only this part of Quarto, which both renderers show alike."""

import re
from pathlib import Path

from publish import project
from publish.parts import split_head, split_options

REPORTS = Path(__file__).resolve().parents[3] / "reports"
PAGES = project.load(REPORTS).pages()
# keys of a page's YAML head
PAGE_KEYS = {"title", "subtitle", "description", "execute", "jupyter", "toc", "page-layout"}
# `#| name: value` at the start of a cell
CELL_OPTIONS = {"label", "echo", "output"}
# ```{python} is run; others are only shown
FENCES = {"{python}", "{.python}", "{.sql}", "{.bash}"}
FENCED = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
# in the text around code
OUTSIDE = {
    "a shortcode": r"\{\{<",
    "inline code that would be run": r"`\{?(python|r|ojs)\}? ",
    "raw HTML that loads something": r"<(script|iframe|img|link)\b",
    "a numbered cross reference": r"(?<![\w.])@(fig|tbl|sec|lst|eq)-",
    "a div, such as a callout": r"^:::",
    "a code fence is never closed": r"^```",
    "no blank line before a heading": r"^.+\n#{1,6} ",
    "no blank line before a list": r"^(?![-*] |\d+\. |\s).+\n([-*] |\d+\. )",
}
# with such a label Quarto would number the cell as a figure, table, listing, ...
NUMBERED = re.compile("(fig|tbl|lst|eq|sec|thm|exm|exr)-")


def violations(text: str) -> list[str]:
    """What a page has that lies outside."""
    head, body = split_head(text)
    found = [f"unknown key in the page's head: {key}" for key in set(head) - PAGE_KEYS]
    found += [] if "title" in head else ["the page has no title"]
    prose = FENCED.sub("(code)", body)
    anchors = [_anchor(heading) for heading in re.findall(r"^#{1,6} (.+)$", prose, re.MULTILINE)]
    for kind, source in FENCED.findall(body):
        if kind.startswith("{") and kind not in FENCES:
            found.append(f"a cell of another kind, {kind}")
        if kind == "{python}":
            options, _ = split_options(source)
            found += [f"unknown cell option {name}" for name in set(options) - CELL_OPTIONS]
            label = str(options.get("label", ""))
            found += [] if label else ["a cell has no label"]
            found += [f"{label} is the anchor of two places"] if label in anchors else []
            found += [f"{label} begins like a cross reference"] if NUMBERED.match(label) else []
            anchors.append(label)
    return found + [
        f"{what}: {match[0]}"
        for what, pattern in OUTSIDE.items()
        for match in re.finditer(pattern, prose, re.MULTILINE)
    ]


def _anchor(heading: str) -> str:
    """The anchor of a heading in pandoc."""
    kept = re.sub(r"[^\w\s.-]", "", heading.lower())
    return re.sub(r"^[^a-z]+", "", re.sub(r"\s+", "-", kept.strip()))


def test_every_page_keeps_to_the_subset():
    found = {page: violations((REPORTS / page).read_text(encoding="utf-8")) for page in PAGES}
    assert {page: wrong for page, wrong in found.items() if wrong} == {}


def test_all_pages_of_the_folder_are_rendered():
    found = {
        path.relative_to(REPORTS) for path in REPORTS.rglob("*.qmd") if "_site" not in path.parts
    }
    assert found == set(PAGES)


def test_every_page_is_in_a_menu_or_among_the_contents_of_the_manual():
    menus = re.findall(r"href: (\S+)", (REPORTS / "_quarto.yml").read_text(encoding="utf-8"))
    others = {"404.qmd", *(str(page) for page in PAGES if page.parent.name == "manual")}
    assert {str(page) for page in PAGES} - {*menus} - others == set()
