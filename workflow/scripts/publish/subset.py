"""The part of Quarto that pages may use, because both renderers support it.

A test checks every page; the plain renderer supports nothing else.
"""

import re

import yaml

# `#| name: value` at the start of a cell
CELL_OPTIONS = {"label", "echo", "output"}
# keys of a page's YAML head
PAGE_KEYS = {"title", "subtitle", "description", "execute", "jupyter", "toc", "page-layout"}
# ```{python} is run; others are only shown
FENCES = {"{python}", "{.python}", "{.sql}", "{.bash}"}
# with these label prefixes Quarto would number the cell as a figure, table, listing, ...
CROSS_REFERENCES = ("fig-", "tbl-", "lst-", "eq-", "sec-", "thm-", "exm-", "exr-")

HEAD = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)
FENCE = re.compile(r"^(`{3,}|~{3,})(.*)$")


def split_head(text: str) -> tuple[dict, str]:
    """A page's YAML head and the rest of it."""
    found = HEAD.match(text)
    if not found:
        return {}, text
    return yaml.safe_load(found[1]) or {}, text[found.end() :]


def split_options(source: str) -> tuple[dict, str]:
    """The `#|` options of a cell and its code."""
    lines = source.splitlines()
    count = next((i for i, line in enumerate(lines) if not line.startswith("#|")), len(lines))
    options = yaml.safe_load("\n".join(line[2:].removeprefix(" ") for line in lines[:count])) or {}
    return options, "\n".join(lines[count:]).strip("\n")


def violations(text: str) -> list[str]:
    """Violations of the subset in a page, as sentences with line numbers."""
    head, _ = split_head(text)
    found = [f"unknown key in the page's head: {key}" for key in sorted(set(head) - PAGE_KEYS)]
    if "title" not in head:
        found.append("the page has no title")
    found += _cells(text) + _prose(text)
    return found


def _cells(text: str) -> list[str]:
    """Violations in options of code cells, and duplicate labels."""
    found, seen = [], set()
    headings = {_anchor(heading) for heading in re.findall(r"^#{1,6} (.+)$", text, re.MULTILINE)}
    for match in re.finditer(r"^```\{python\}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        line = text.count("\n", 0, match.start()) + 1
        options, _ = split_options(match[1])
        unknown = sorted(set(options) - CELL_OPTIONS)
        found += [f"line {line}: unknown cell option {option}" for option in unknown]
        label = options.get("label")
        if not label:
            found.append(f"line {line}: the cell has no label")
        elif label in seen:
            found.append(f"line {line}: the label {label} is used twice")
        elif label in headings:
            found.append(f"line {line}: the label {label} is the anchor of a heading, too")
        elif str(label).startswith(CROSS_REFERENCES):
            found.append(f"line {line}: the label {label} begins like a cross reference")
        seen.add(label)
    return found


def _anchor(heading: str) -> str:
    """The anchor of a heading in pandoc."""
    kept = re.sub(r"[^\w\s.-]", "", heading.lower())
    return re.sub(r"^[^a-z]+", "", re.sub(r"\s+", "-", kept.strip()))


def _prose(text: str) -> list[str]:
    """Violations outside code: shortcodes, inline code, divs, missing blank lines."""
    found: list[str] = []
    fence, before = "", ""
    body = HEAD.sub(lambda head: "\n" * head[0].count("\n"), text)
    for number, line in enumerate(body.splitlines(), start=1):
        mark = FENCE.match(line)
        if fence:
            fence = "" if mark and mark[1] == fence and not mark[2] else fence
        elif mark:
            fence = mark[1]
            if mark[2].startswith("{") and mark[2] not in FENCES:
                found.append(f"line {number}: a cell of another kind, {mark[2]}")
        else:
            found += [f"line {number}: {offence}" for offence in _line(line, before)]
        before = line
    return found + (["a code fence is never closed"] if fence else [])


def _line(line: str, before: str) -> list[str]:
    """Violations in a line of prose."""
    found = []
    if "{{<" in line:
        found.append("a shortcode")
    if re.search(r"`\{?(python|r|ojs)\}? ", line):
        found.append("inline code that would be run")
    if re.search(r"<(script|iframe|img|link)\b", line):
        found.append("raw HTML that loads something")
    if re.search(r"(?<![\w.])@(fig|tbl|sec|lst|eq)-", line):
        found.append("a numbered cross reference")
    starts = re.match(r"(#{1,6} |[-*] |\d+\. )", line)
    continues = re.match(r"([-*] |\d+\. |\s+\S)", before)
    if starts and before.strip() and not (line[0] != "#" and continues):
        found.append("no blank line before a heading or a list")
    if line.startswith(":::"):
        found.append("a div, such as a callout")
    return found
