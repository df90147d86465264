"""Columns of figures are aligned to the right, text to the left."""

import re

from rendered import Tables, without_scripts

# a figure, and perhaps its unit
FIGURE = re.compile(
    r"[<>~]?\s*[-\u2212+]?\d[\d,]*(\.\d+)?\s*(%|x|\u00d7|[kMGT]i?B(/s)?|bytes|files|ms|s|h)?"
)
# names and conditions that look like one
NAMES = {"macOS", "Goal"}
SAYS_NOTHING = {"", "-", "\u2013", "\u2014", "none", "not measured"}


def columns(text: str) -> list[tuple[str, str, list]]:
    """Table, heading, and the cells that say something, of every column of a page's own tables."""
    parsed = Tables(without_scripts(text))
    found = []
    for name, rows in parsed.tables.items():
        heads = parsed.heads.get(name, 1)
        for at, head in enumerate(rows[heads - 1] if name else []):
            cells = [row[at] for row in rows[heads:] if len(set(row)) > 1]
            cells = [cell for cell in cells if cell.first not in SAYS_NOTHING]
            if cells:
                found.append((name, str(head), cells))
    return found


def not_as_its_cells(found: list[tuple[str, str, list]]) -> list[tuple[str, str]]:
    wrong = []
    for table, head, cells in found:
        marked = ["number" in cell.kind.split() for cell in cells]
        figures = all(FIGURE.fullmatch(cell.first) for cell in cells)
        words = not any(re.search(r"\d|not stated", cell) for cell in cells)
        if (figures and head not in NAMES and not all(marked)) or (words and any(marked)):
            wrong.append((table, head))
    return wrong


def test_a_column_of_figures_is_aligned_to_the_right_and_one_of_words_is_not(site):
    found = {name: columns(site.text(name)) for name in site.pages}
    assert sum(map(len, found.values())) > 100
    assert {name: wrong for name, one in found.items() if (wrong := not_as_its_cells(one))} == {}
