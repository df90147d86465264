"""Tables: data frames as HTML with Bootstrap's classes, or as Markdown for the notebook."""

import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from itertools import groupby
from typing import Any

import pandas as pd

from lib import show, words

WIDEST = 48  # characters; a longer text is broken into lines

NO_ROWS = (
    "*No rows.* The question is about measurements, and the database has none that answer it. The "
    "tables `comparable_` have only those of a Mac, above scale *smoke*."
)

# a key of a row, or a function of it
Of = Hashable | Callable[[Any], object]


class Markup(str):
    """Text that is already HTML; everything else in a table is escaped."""

    __slots__ = ()


class Notes:
    """Footnotes of a table, with letters in the order of use."""

    def __init__(self) -> None:
        self._texts: list[str] = []

    def on(self, value: object, text: object) -> Markup:
        """A value with the letter of its note; equal notes share a letter."""
        if words.missing(text):
            return markup(value)
        if text not in self._texts:
            self._texts.append(str(text))
        tens, ones = divmod(self._texts.index(text), 26)
        letter = (chr(ord("a") + tens - 1) if tens else "") + chr(ord("a") + ones)
        return Markup(f"{markup(value)}<sup>{letter}</sup>")

    def html(self) -> str:
        """The notes as a list with these letters."""
        items = "\n".join(f"<li>{markup(words.capital(text))}.</li>" for text in self._texts)
        return f'<ol class="notes" type="a">\n{items}\n</ol>\n' if items else ""


@dataclass(frozen=True)
class Column:
    """A column of a table: its heading, and what it shows of a row.

    `say` writes the value where there is one. Neighbouring columns may have a heading `over` them.
    A `common` one shows what all rows of a block have in common once.
    """

    heading: str
    of: Of
    say: Callable[[Any], object] | None = None
    kind: str = ""
    over: str = ""
    common: bool = False

    def value(self, row: Any) -> object:
        """What stands in the cell of this row."""
        value = _value(row, self.of)
        return value if self.say is None or value is None else self.say(value)

    def cell(self, tag: str, value: object, more: str = "") -> str:
        """A cell as HTML."""
        kind = f' class="{self.kind}"' if self.kind else ""
        return f"<{tag}{kind}{more}>{markup(value)}</{tag}>"


text = Column
number = partial(Column, kind="number")  # aligned to the right
sentence = partial(Column, kind="sentence")  # not squeezed to a word a line


def table(
    rows: pd.DataFrame | Iterable[Any],
    columns: Sequence[Column],
    caption: str,
    *,
    name: str | None = None,
    classes: str = "",
    heading: Of | None = None,
    block: Of | None = None,
    notes: Notes | None = None,
    source: pd.DataFrame | str | None = None,
    command: str | None = None,
) -> show.Shown | None:
    """Rows as a table with a caption; nothing where there is none.

    `source` is the frame (of `lib.database.query`) or SQL behind the rows, `command` measures
    them; both become links below. Rows that are such a frame need no `source`.

    Wherever the value of `heading` changes, a line of its own says it. Neighbouring rows with the
    same value of `block` are a block. `notes` are those of the cells; they stand below.
    """
    if source is None and isinstance(rows, pd.DataFrame):
        source = rows
    records = rows.to_dict("records") if isinstance(rows, pd.DataFrame) else list(rows)
    if not records:
        return None
    stacked = len(columns) > 2  # as in tools.js, for tables in Markdown
    groups, said = [[]], None
    for together in _blocks(records, block):
        first = together[0]
        if heading and (here := _value(first, heading)) != said:
            said = here
            over = f'<th scope="rowgroup" colspan="{len(columns)}">{markup(said)}</th>'
            groups.append([f'<tr class="heading">{over}</tr>'])
        groups[-1].append(_row(columns, first, len(together), stacked))
        groups[-1] += [_row(columns, record, 0, stacked) for record in together[1:]]
    unique, kind = show.only_once(caption), f"table {'stacked ' * stacked}{classes}".strip()
    label = escape(unique, quote=True)
    identity = f' id="table-{name}"' if name else ""
    # a heading counts for the rows of its group, which ends with the next one
    body = "\n".join("\n".join(["<tbody>", *rows, "</tbody>"]) for rows in groups if rows)
    # the box scrolls, so it must be reachable by keyboard
    return show.html(
        f'<div class="table-box" role="region" tabindex="0" aria-label="{label}">\n'
        f'<table class="{kind}"{identity}>\n<caption>{escape(caption)}</caption>\n'
        f"{_head(columns)}\n{body}\n</table>\n"
        f"{notes.html() if notes else ''}</div>\n" + show.sources(unique, source, command)
    )


def _value(row: Any, of: Of) -> object:
    return of(row) if callable(of) else row[of]


def _blocks(records: list, block: Of | None) -> list[list]:
    """Neighbouring rows with the same value of `block`, together."""
    if block is None:
        return [[record] for record in records]
    return [list(together) for _, together in groupby(records, lambda row: _value(row, block))]


def _head(columns: Sequence[Column]) -> str:
    """The headings, in two rows where some stand over several columns."""
    several = any(column.over for column in columns)
    upper, lower, groups = [], [], ""
    for over, below in groupby(columns, lambda column: column.over):
        more = ' scope="col"' + (' rowspan="2"' if several and not over else "")
        cells = [column.cell("th", column.heading, more) for column in below]
        if over:
            upper.append(f'<th scope="colgroup" colspan="{len(cells)}">{markup(over)}</th>')
            lower += cells
        else:
            upper += cells
        groups += f'<colgroup span="{len(cells)}"></colgroup>\n'
    rows = f"<tr>{' '.join(upper)}</tr>\n"
    if lower:
        rows += f'<tr class="more">{" ".join(lower)}</tr>\n'
    return f"{groups if lower else ''}<thead>\n{rows}</thead>"


def _row(columns: Sequence[Column], row: Any, height: int, stacked: bool) -> str:
    """One row, headed by its first cell; the common cells of a block stand in its first row.

    A stacked row becomes a block on a narrow screen, in which cells say their headings.
    """
    blocks = any(column.common for column in columns)
    cells = []
    for column in columns:
        if column.common and not height:
            continue
        more = f' rowspan="{height}"' if column.common and height > 1 else ""
        first = column is columns[0]
        tag = "th" if first else "td"
        more += ' scope="row"' if first else ""
        # the first cell is the title of its block: `site.css` shows no heading of it
        if stacked and (blocks or not first):
            heading = f"{column.over} {column.heading}".strip()
            more += f' data-heading="{escape(heading, quote=True)}"'
        cells.append(column.cell(tag, column.value(row), more))
    # a search finds the text of a page, in which nothing else would part two cells
    line = " ".join(cells)
    return f"<tr>{line}</tr>" if height else f'<tr class="more">{line}</tr>'


def by_direction(rows: pd.DataFrame, *keys: str) -> list[dict[str, Any]]:
    """Rows with the same `keys` as one, in which `write` and `read` are the row of each direction.

    A direction that is not there is None.
    """
    found = []
    for _, group in rows.groupby([*keys], sort=False, dropna=False):
        one = {row["op"]: row for row in group.to_dict("records")}
        found.append(next(iter(one.values())) | {op: one.get(op) for op in words.VERBS})
    return found


def markup(value: object) -> Markup:
    """A value as HTML."""
    if isinstance(value, Markup):
        return value
    return Markup("" if words.missing(value) else escape(str(value), quote=False))


def with_small(value: object, small: object) -> Markup:
    """A value with a smaller line below it, such as its interval."""
    below = f" <small>{markup(small)}</small>" if small else ""
    return Markup(f"{markup(value)}{below}")


def keep(value: object) -> Markup:
    """A value without line breaks."""
    return Markup(f'<span class="keep">{markup(value)}</span>')


def absent(why: str = "not measured") -> Markup:
    """A placeholder for a missing value."""
    return Markup(f'<span class="missing">{why}</span>')


def verdict(text: object) -> Markup:
    """A verdict of `article_table`, coloured by its first word."""
    if words.missing(text):
        return Markup("")
    kind = words.VERDICTS.get(str(text).split(":")[0].strip(), "open")
    return Markup(f'<span class="verdict verdict-{kind}">{markup(text)}</span>')


def code(text: object) -> Markup:
    """Text with code in backticks, as HTML."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", markup(text)))


def link(text: object, address: str) -> Markup:
    """A link."""
    return Markup(f'<a href="{escape(address, quote=True)}">{markup(text)}</a>')


def facts(pairs: Iterable[tuple[str, object]]) -> show.Shown:
    """A list of names and values; unknown ones are marked."""
    lines = [
        f"<dt>{markup(name)}</dt><dd>{markup(value) or absent('unknown')}</dd>"
        for name, value in pairs
    ]
    return show.html('<dl class="facts">\n' + "\n".join(lines) + "\n</dl>")


def frame(rows: pd.DataFrame) -> show.Shown:
    """A data frame as a Markdown table, for the site and Jupyter; without rows, why."""
    if rows.empty:
        return show.text(NO_ROWS)
    columns = [[str(name), *map(_plain, rows[name])] for name in rows.columns]
    # the number of dashes sets the relative width of a column
    widths = [min(max(map(len, column)), WIDEST) for column in columns]
    numeric = [pd.api.types.is_numeric_dtype(kind) for kind in rows.dtypes]
    rules = [
        f"{'-' * width}:" if number else f":{'-' * width}"
        for width, number in zip(widths, numeric, strict=True)
    ]
    head, *body = zip(*columns, strict=True)
    lines = [_line(head), _line(rules), *map(_line, body)]
    return show.text("\n".join(lines))


def _line(cells: Iterable[object]) -> str:
    return f"| {' | '.join(str(cell) for cell in cells)} |"


def _plain(value: object) -> str:
    if words.missing(value):
        return "\u2013"
    text = words.significant(value, 4) if isinstance(value, float) else str(value)
    return show.plain(text)
