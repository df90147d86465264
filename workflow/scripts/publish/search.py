"""What the search of the plain renderer finds: the sections of all pages, in one script.

A script, as a page that was opened from the disk may load no other file. Quarto has a search of its
own, so nothing of this is in what both renderers share.
"""

import json
from html.parser import HTMLParser

INDEX = "assets/search-index.js"
HEADINGS = ("h1", "h2", "h3")
LEFT_OUT = ("script", "style", "svg", "noscript")


def index(pages: dict[str, str]) -> str:
    """The script: of each section of the pages (HTML, by address) its address and its words."""
    sections = [found for page, text in pages.items() for found in _Sections(page, text).found]
    return f"diskbenchSearch({json.dumps(sections, ensure_ascii=False, separators=(',', ':'))});\n"


class _Sections(HTMLParser):
    """A page's text from one heading to the next: `[address, title of the page, heading, text]`."""

    def __init__(self, page: str, text: str) -> None:
        super().__init__()
        self.found: list[list[str]] = []
        self._page, self._skipped = page, 0
        self._words: list[str] = []
        self.feed(text.partition("<main")[2].partition("</main>")[0])
        self._end()
        title = self.found[0][2] if self.found else ""
        for section in self.found:
            section[1] = title
            section[2] = "" if section[2] == title else section[2]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in LEFT_OUT:
            self._skipped += 1
        elif tag in HEADINGS:
            self._end()
            anchor = "".join(f"#{value}" for name, value in attrs if name == "id")
            self.found.append([self._page + anchor, "", "", ""])
        else:
            self._words.append(" ")

    def handle_endtag(self, tag: str) -> None:
        if tag in LEFT_OUT:
            self._skipped -= 1
        elif tag in HEADINGS:
            self.found[-1][2], self._words = self._text(), []
        else:
            self._words.append(" ")

    def handle_data(self, data: str) -> None:
        if not self._skipped:
            self._words.append(data)

    def _end(self) -> None:
        if self.found:
            self.found[-1][3] = self._text()
        self._words = []

    def _text(self) -> str:
        return " ".join("".join(self._words).split())
