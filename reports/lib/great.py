"""Article tables, made with Great Tables: row groups, spanners, footnotes, a source note.

Great Tables gives the structure. Its style sheet is left out: it is written for a white page, and
rules in it reach beyond the table; `assets/site.css` dresses its classes instead, light and dark.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from html import escape
from itertools import groupby

import pandas as pd
from great_tables import GT, loc

from lib import show, tables

# What a cell is to have as attributes travels in a comment at its head: Great Tables has no way
# to say it. `gone` marks the cells that the one above them covers.
_CARRIED = re.compile(
    r'<(t[dh])\b([^>]*)>((?:<span class="gt_footnote_marks"[^>]*>[^<]*</span>)? ?)<!--@(.*?)-->'
)
_GONE = re.compile(r"\s*<t[dh]\b[^>]*><!--gone--></t[dh]>")
_LINE = re.compile(r"<tr>((?:(?!</tr>).)*?<!--gone-->(?:(?!</tr>).)*?)</tr>", re.DOTALL)
# a mark belongs to the value, not to the smaller line below it
_BELOW = re.compile(
    r'(<small>(?:(?!</small>).)*</small>)(<span class="gt_footnote_marks">[^<]*</span>)'
)
_ROW = "row-name"  # the key of the group in the frame that Great Tables takes


@dataclass(frozen=True)
class Column:
    """A column: the key of its values, its heading, the heading over it and its neighbours."""

    key: str
    label: str
    over: str = ""
    number: bool = False

    @property
    def heading(self) -> str:
        """Both headings, for where a cell stands alone."""
        return f"{self.over} {self.label}".strip()


@dataclass(frozen=True)
class Table:
    """A table, whatever it becomes: lines of values by key, each text or ready HTML.

    `group` is the key whose value heads the lines that share it, in their order. Lines that share
    the value of `block` have the columns `common` in common. `notes` of a line is a mapping of
    keys to texts: the footnotes of those cells. The first column names the line.
    """

    name: str
    caption: str
    columns: list[Column]
    lines: list[Mapping[str, object]]
    group: str | None = None
    block: str | None = None
    common: frozenset[str] = field(default_factory=frozenset)
    source_note: str = ""

    def blocks(self) -> Iterable[list[Mapping[str, object]]]:
        """Neighbouring lines that share a block; each by itself where there are none."""
        if self.block is None:
            return ([line] for line in self.lines)
        return (list(lines) for _, lines in groupby(self.lines, lambda line: line[self.block]))


def table(
    made: Table,
    source: pd.DataFrame | str | None = None,
    command: str | None = None,
) -> show.Shown:
    """The table as the page's form wants it, with the links to its rows and its command below."""
    label = escape(made.caption, quote=True)
    # the box can scroll, so the keyboard must be able to reach it
    return show.html(
        f'<div class="table-box" role="region" tabindex="0" aria-label="{label}">\n'
        f"{html(made)}\n</div>\n" + show.sources(source, command)
    )


def html(made: Table) -> str:
    """The `<table>`; its ids come from its name, so that the same rows give the same page."""
    identity = f"table-{made.name}"
    lines = [line for block in made.blocks() for line in _values(made, block)]
    frame = pd.DataFrame(lines, columns=[_ROW, *(column.key for column in made.columns)])
    great = GT(
        frame if made.group else frame.drop(columns=_ROW),
        rowname_col=made.columns[0].key,
        groupname_col=_ROW if made.group else None,
        id=identity,
    )
    great = great.tab_stubhead(made.columns[0].label)
    great = great.cols_label(**{column.key: column.label for column in made.columns[1:]})
    for over, columns in groupby(made.columns[1:], lambda column: column.over):
        if over:
            great = great.tab_spanner(over, [column.key for column in columns])
    keys = [column.key for column in made.columns]  # the stub is left out unless it is named
    great = great.fmt_passthrough(keys, escape=False).opt_footnote_marks("letters")
    great = great.cols_align("left")
    great = _footnoted(made, great)
    if made.source_note:
        great = great.tab_source_note(made.source_note)
    inside = re.search(r"<table.*?>(.*)</table>", great.as_raw_html(), re.DOTALL)[1]
    inside = re.sub(r' headers="[^"]*"', "", inside)  # scopes say it; merged cells have no id
    inside = re.sub(r'(<span class="gt_footnote_marks") style="[^"]*"', r"\1", inside)
    inside = _BELOW.sub(r"\2\1", inside)
    inside = _LINE.sub(r'<tr class="more">\1</tr>', inside)
    inside = _CARRIED.sub(r"<\1\2\4>\3", _GONE.sub("", inside))
    return (
        f'<table class="table wide great" id="{identity}">\n'
        f"<caption>{escape(made.caption)}</caption>{inside}</table>"
    )


def _values(made: Table, block: list[Mapping[str, object]]) -> Iterable[dict[str, str]]:
    """The cells of the lines of a block as HTML, with what becomes their attributes."""
    for number, line in enumerate(block):
        cells = {_ROW: str(line[made.group])} if made.group else {}
        for column in made.columns:
            merged = column.key in made.common and len(block) > 1
            if merged and number:
                cells[column.key] = "<!--gone-->"
                continue
            carried = f' data-heading="{escape(column.heading, quote=True)}"'
            carried += ' data-number=""' if column.number else ""
            carried += f' rowspan="{len(block)}"' if merged else ""
            cells[column.key] = f"<!--@{carried}-->{tables.markup(line.get(column.key))}"
        yield cells


def _footnoted(made: Table, great: GT) -> GT:
    """The notes of the lines as footnotes; the same words have one letter."""
    stub = made.columns[0].key
    notes = _notes(made)
    for text, places in notes.items():
        where = [
            loc.stub(rows=[row]) if key == stub else loc.body(columns=key, rows=[row])
            for key, row in places
        ]
        great = great.tab_footnote(text, where, placement="right")
    return great


def _notes(made: Table) -> dict[str, list[tuple[str, int]]]:
    """Each footnote with its cells, in the order in which they are met."""
    found: dict[str, list[tuple[str, int]]] = {}
    row = 0
    for block in made.blocks():
        for number, line in enumerate(block):
            for key, texts in (line.get("notes") or {}).items():
                merged = key in made.common and number
                for text in () if merged else texts:
                    found.setdefault(text, []).append((key, row))
            row += 1
    return found
