"""Tables: data frames as HTML with Bootstrap's class, or as Markdown for the notebook."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from itertools import groupby

import pandas as pd

from lib import show, words

# columns that hold sentences, and must not be squeezed to a word a line
WIDEST = 48  # characters; a longer text is broken into lines
SENTENCES = {"image", "what", "verdict", "warning", "note"}


class Markup(str):
    """Text that is HTML already; everything else in a table is escaped."""

    __slots__ = ()


class Notes:
    """Footnotes of a table: sentences that its cells refer to by letters, in the order of use."""

    def __init__(self) -> None:
        self._texts: list[str] = []

    def on(self, value: object, text: object) -> Markup:
        """A value, and behind it the letter of its note; the same words have one letter."""
        if words.missing(text):
            return markup(value)
        if text not in self._texts:
            self._texts.append(str(text))
        tens, ones = divmod(self._texts.index(text), 26)
        letter = (chr(ord("a") + tens - 1) if tens else "") + chr(ord("a") + ones)
        return Markup(f"{markup(value)}<sup>{letter}</sup>")

    def html(self) -> str:
        """The notes as a list that counts in the same letters."""
        items = "\n".join(f"<li>{markup(words.capital(text))}.</li>" for text in self._texts)
        return f'<ol class="notes" type="a">\n{items}\n</ol>\n' if items else ""


def table(
    rows: pd.DataFrame | Iterable[Mapping[str, object]],
    columns: Mapping[str, str],
    caption: str,
    *,
    numbers: Iterable[str] = (),
    name: str | None = None,
    classes: str = "",
    heading: str | None = None,
    merged: Mapping[str, Iterable[str]] | None = None,
    spans: Mapping[str, Iterable[str]] | None = None,
    notes: Notes | None = None,
    source: pd.DataFrame | str | None = None,
    command: str | None = None,
) -> show.Shown:
    """Rows as a table with a caption.

    `source` is the frame (of `lib.database.query`) or the SQL behind the rows, `command` what
    measures them: both become links below. Rows that are such a frame need no `source`.

    `columns` names the keys to show and their headings, `numbers` those aligned to the right.
    Wherever the value of `heading` changes, a line of its own says it. `merged` names a key and
    the columns that neighbouring rows with the same value of it have in common. `spans` names the
    headings over several columns, and those. `notes` are those of the cells; they stand below.
    """
    if source is None and isinstance(rows, pd.DataFrame):
        source = rows
    records = rows.to_dict("records") if isinstance(rows, pd.DataFrame) else list(rows)
    block, common = next(iter((merged or {None: ()}).items()))
    stacked = "wide" in classes.split()
    over = {key: text for text, keys in (spans or {}).items() for key in keys}
    shape = _Shape(columns, over, frozenset(numbers), frozenset(common), stacked)
    lines, said = [], None
    for together in _blocks(records, block):
        first = together[0]
        if heading and first[heading] != said:
            said = first[heading]
            lines.append(shape.heading(said))
        lines.append(shape.line(first, len(together)))
        lines += [shape.line(record, 0) for record in together[1:]]
    label, kind = escape(_only_once(caption), quote=True), f"table {classes}".strip()
    identity = f' id="table-{name}"' if name else ""
    body = "\n".join(lines)
    # the box can scroll, so the keyboard must be able to reach it
    return show.html(
        f'<div class="table-box" role="region" tabindex="0" aria-label="{label}">\n'
        f'<table class="{kind}"{identity}>\n<caption>{escape(caption)}</caption>\n'
        f"{shape.head()}\n<tbody>\n{body}\n</tbody>\n</table>\n"
        f"{notes.html() if notes else ''}</div>\n" + show.sources(source, command)
    )


_said: Counter[str] = Counter()  # a page is a process of its own


def _only_once(caption: str) -> str:
    """A name that no other table of the page has: `Sizes`, and then `Sizes (2)`."""
    _said[caption] += 1
    return caption if _said[caption] == 1 else f"{caption} ({_said[caption]})"


def _blocks(records: list[Mapping], block: str | None) -> list[list[Mapping]]:
    """Neighbouring rows with the same value of a key, together."""
    if block is None:
        return [[record] for record in records]
    return [list(together) for _, together in groupby(records, lambda record: record[block])]


@dataclass(frozen=True)
class _Shape:
    """What all lines of a table have in common."""

    columns: Mapping[str, str]
    over: Mapping[str, str]
    numbers: frozenset[str]
    common: frozenset[str]
    stacked: bool  # a row becomes a block on a narrow screen, in which cells say their headings

    def head(self) -> str:
        """The headings, in two rows where some stand over several columns."""
        upper, lower, groups = [], [], ""
        for over, keys in groupby(self.columns, self.over.get):
            more = ' scope="col"' + (' rowspan="2"' if self.over and not over else "")
            cells = [self.cell("th", key, self.columns[key], more) for key in keys]
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

    def heading(self, text: object) -> str:
        width = len(self.columns)
        return f'<tr class="heading"><th colspan="{width}">{markup(text)}</th></tr>'

    def line(self, record: Mapping, height: int) -> str:
        """One row; the common cells of a block are as high as it, and stand in its first row."""
        cells = []
        for key in self.columns:
            if key not in self.common or height == 1:
                cells.append(self.cell("td", key, record.get(key)))
            elif height:
                cells.append(self.cell("td", key, record.get(key), f' rowspan="{height}"'))
        # a search finds the text of a page, in which nothing else would part two cells
        line = " ".join(cells)
        return f"<tr>{line}</tr>" if height else f'<tr class="more">{line}</tr>'

    def cell(self, tag: str, key: str, value: object, more: str = "") -> str:
        # the first cell is the title of its block: `site.css` shows no heading of it
        titled = not self.common and key == next(iter(self.columns))
        if self.stacked and tag == "td" and not titled:
            heading = f"{self.over.get(key, '')} {self.columns[key]}".strip()
            more += f' data-heading="{escape(heading, quote=True)}"'
        kind = "number" if key in self.numbers else "sentence" if key in SENTENCES else ""
        kind = f' class="{kind}"' if kind else ""
        return f"<{tag}{kind}{more}>{markup(value)}</{tag}>"


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
    """A value that is not broken into lines."""
    return Markup(f'<span class="keep">{markup(value)}</span>')


def absent(why: str = "not measured") -> Markup:
    """In the place of a value."""
    return Markup(f'<span class="missing">{why}</span>')


def verdict(text: object) -> Markup:
    """A verdict of `article_table`, coloured by its first word."""
    if words.missing(text):
        return Markup("")
    kind = words.VERDICTS.get(str(text).split(":")[0].strip(), "open")
    return Markup(f'<span class="verdict verdict-{kind}">{markup(text)}</span>')


def code(text: object) -> Markup:
    """Text in which what stands in backticks is code."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", markup(text)))


def link(text: object, address: str) -> Markup:
    """A link."""
    return Markup(f'<a href="{escape(address, quote=True)}">{markup(text)}</a>')


def facts(pairs: Iterable[tuple[str, object]]) -> show.Shown:
    """Names and values, one below the other; what could not be found out says so."""
    lines = [
        f"<dt>{markup(name)}</dt><dd>{markup(value) or absent('unknown')}</dd>"
        for name, value in pairs
    ]
    return show.html('<dl class="facts">\n' + "\n".join(lines) + "\n</dl>")


def frame(rows: pd.DataFrame) -> show.Shown:
    """A data frame as a Markdown table: looks right on the site and in Jupyter alike."""
    columns = [[str(name), *map(_plain, rows[name])] for name in rows.columns]
    # the number of dashes is the share of the width that a column gets
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


def status(text: str, reason: object) -> Markup:
    """How a cell went: measured, or skipped or failed and why."""
    kind = {"measured": "good", "failed": "poor"}.get(text, "open")
    return with_small(Markup(f'<span class="status verdict-{kind}">{markup(text)}</span>'), reason)
