"""Pages use only the declared subset of Quarto, and its linter is right."""

import re
from pathlib import Path

import pytest

from publish import project, subset

REPORTS = Path(__file__).resolve().parents[3] / "reports"
PAGES = project.load(REPORTS).pages()
GOOD = """---
title: A page
---

Text with `code`, and [a link](other.qmd#part).

```{python}
#| label: one
#| echo: true
print(1)
```

1. first
2. second
"""


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_every_page_keeps_to_the_subset(page):
    assert subset.violations((REPORTS / page).read_text(encoding="utf-8")) == []


def test_all_pages_of_the_folder_are_rendered():
    found = {
        path.relative_to(REPORTS) for path in REPORTS.rglob("*.qmd") if "_site" not in path.parts
    }
    assert found == set(PAGES)


def test_every_page_is_in_a_menu_or_among_the_contents_of_the_manual():
    menus = re.findall(r"href: (\S+)", (REPORTS / "_quarto.yml").read_text(encoding="utf-8"))
    others = {"404.qmd", *(str(page) for page in PAGES if page.parent.name == "manual")}
    assert {str(page) for page in PAGES} - {*menus} - others == set()


def test_a_page_within_the_subset_has_no_violations():
    assert subset.violations(GOOD) == []


@pytest.mark.parametrize(
    ("change", "offence"),
    [
        (
            ("title: A page", "title: A page\nbibliography: x.bib"),
            "unknown key in the page's head: bibliography",
        ),
        (("title: A page", "subtitle: A page"), "the page has no title"),
        (("#| echo: true", "#| fig-cap: A figure"), "unknown cell option fig-cap"),
        (("#| label: one\n", ""), "the cell has no label"),
        (("label: one", "label: fig-one"), "begins like a cross reference"),
        (("1. first", "# One"), "the label one is the anchor of a heading, too"),
        (("1. first", "{{< include x.qmd >}}"), "a shortcode"),
        (("1. first", "`{python} 1 + 1`"), "inline code that would be run"),
        (("1. first", "`r 1 + 1`"), "inline code that would be run"),
        (("1. first", "As @fig-one shows"), "a numbered cross reference"),
        (("1. first", "<script src='x.js'></script>"), "raw HTML that loads something"),
        (("\n1. first", "text\n1. first"), "no blank line before a heading or a list"),
        (("\n1. first", "text\n## Heading"), "no blank line before a heading or a list"),
        (("1. first", "::: {.callout-note}"), "a div, such as a callout"),
        (("```{python}", "```{r}"), "a cell of another kind, {r}"),
        (("print(1)\n```", "print(1)"), "a code fence is never closed"),
    ],
)
def test_what_lies_outside_is_named(change, offence):
    found = subset.violations(GOOD.replace(*change))
    assert any(offence in line for line in found), found


def test_options_are_taken_from_the_head_of_a_cell_only():
    options, code = subset.split_options("#| label: one\n#| echo: false\nx = 1\n#| no option\n")
    assert options == {"label": "one", "echo": False}
    assert code == "x = 1\n#| no option"
