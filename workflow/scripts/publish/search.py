"""The search index of the plain renderer: the sections of all pages in a script.

It is a script because pages opened from the disk may not load other files. Quarto has its own
search, so this is not shared.
"""

import json
from html.parser import HTMLParser

INDEX = "assets/search-index.js"
HEADINGS = ("h1", "h2", "h3")
LEFT_OUT = ("script", "style", "svg", "noscript")


def index(pages: dict[str, str]) -> str:
    """The script with address and text of each section of the pages (HTML by address)."""
    sections = [found for page, text in pages.items() for found in _Sections(page, text).found]
    return f"diskbenchSearch({json.dumps(sections, ensure_ascii=False, separators=(',', ':'))});\n"


class _Sections(HTMLParser):
    """Parses a page into sections: `[address, title of the page, heading, text]`.

    A glossary term is a heading too, with the address of the heading before it.
    """

    def __init__(self, page: str, text: str) -> None:
        super().__init__()
        self.found: list[list[str]] = []
        self._page, self._address, self._skipped = page, page, 0
        self._glossary = False  # inside a definition list without a class
        self._words: list[str] = []
        self._open = ""  # the tag of the current heading
        self.feed(text.partition("<main")[2].partition("</main>")[0])
        self._end()
        title = self.found[0][2] if self.found else ""
        for section in self.found:
            section[1] = title
            section[2] = "" if section[2] == title else section[2]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in LEFT_OUT:
            self._skipped += 1
        elif self._begins(tag, dict(attrs).get("id")):
            self._end()
            self.found.append([self._address, "", "", ""])
        else:
            self._glossary = not attrs if tag == "dl" else self._glossary
            self._words.append(" ")

    def handle_endtag(self, tag: str) -> None:
        if tag in LEFT_OUT:
            self._skipped -= 1
        elif self._open == tag:
            self.found[-1][2], self._words, self._open = self._text(), [], ""
        else:
            self._words.append(" ")

    def _begins(self, tag: str, anchor: str | None) -> bool:
        """Whether a section begins here: at headings with an address."""
        if tag in HEADINGS and (anchor or tag == "h1"):
            self._address = f"{self._page}#{anchor}" if anchor else self._page
        elif not (tag == "dt" and self._glossary):
            return False
        self._open = tag
        return True

    def handle_data(self, data: str) -> None:
        if not self._skipped:
            self._words.append(data)

    def _end(self) -> None:
        if self.found:
            self.found[-1][3] = self._text()
        self._words = []

    def _text(self) -> str:
        return " ".join("".join(self._words).split())
