"""Which small faults can be planted in a source text of Rust, Python or SQL, and where.

A fault is one change of a kind that people make: a sign, a unit, a comparison, a join, a key, a
check or a flush that is missing. Comments are never changed, and text between quotes in SQL alone,
where it is a value, or with the check that says it.
"""

import ast
import io
import itertools
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Mutation:
    """In a text, the characters from `start` to `end` become `after`; `kind` is in words."""

    kind: str
    start: int
    end: int
    after: str


# kind, what is met, what it becomes; in all three languages, whose operators have blanks round them
SHARED = [
    ("comparison", r" < ", " >= "),
    ("comparison", r" <= ", " > "),
    ("comparison", r" > ", " <= "),
    ("comparison", r" >= ", " < "),
    ("sign", r" \+ ", " - "),
    ("sign", r" - ", " + "),
    ("unit", r" \* ", " / "),
    ("unit", r"(?<!\0) / (?!\0)", " * "),  # of a path in Python it is no unit
    ("unit", r"(?<![\w.\"'])(\d[\d_]*\d|[2-9])(?![\w.\"'])", r"\g<1>0"),
    ("extreme", r"\bmin\(", "max("),
    ("extreme", r"\bmax\(", "min("),
]
RUST = [
    ("equality", r" == ", " != "),
    ("equality", r" != ", " == "),
    ("logic", r" && ", " || "),
    ("logic", r"(?<!,) \|\| ", " && "),  # no closure without arguments
    ("logic", r"\bif !", "if "),
    ("truth", r"\btrue\b", "false"),
    ("truth", r"\bfalse\b", "true"),
    ("check removed", r"\bif (?!let\b|!?cfg)(?=[^{}\n;]+ \{\n\s+return Err)", "if false && "),
    ("flush removed", r"(?m)^ +[\w.:&()]*(?:sync|flush)\w*\([^;{}]*?\)\?;$", ""),
    ("step dropped", r"(?m)^ +\w+(?:\.\w+)*\([^;{}]*?\)\?;$", ""),
]
PYTHON = [
    ("equality", r" == ", " != "),
    ("equality", r" != ", " == "),
    ("logic", r" and ", " or "),
    ("logic", r" or ", " and "),
    ("logic", r"\bif not ", "if "),
    ("truth", r"\bTrue\b", "False"),
    ("truth", r"\bFalse\b", "True"),
    ("membership", r" not in ", " in "),
    ("check removed", r"(?m)^( +)raise \w[\w.]*(\((?:[^()]|\([^()]*\))*\))?$", r"\g<1>pass"),
    ("flush removed", r"(?m)^( +)[\w.]*(?:fsync|flush)\([^\n]*\)$", r"\g<1>pass"),
    ("step dropped", r"(?m)^( +)[a-z_]\w*(?:\.\w+)*\([^\n]*\)$", r"\g<1>pass"),
    ("rows dropped", r"\[1:\]", "[2:]"),
]
SQL = [
    ("equality", r" = ", " <> "),
    ("equality", r" <> ", " = "),
    ("logic", r"\band\b", "or"),
    ("logic", r"\bor\b", "and"),
    ("logic", r"\bnot ", ""),
    ("logic", r"\bis null\b", "is not null"),
    ("logic", r"\bis not null\b", "is null"),
    ("join", r"\binner join\b", "left join"),
    ("join", r"\bleft join\b", "inner join"),
    ("key", r"(\busing \(\w+(?:, \w+)*), \w+\)", r"\g<1>)"),
    ("key", r"(\bpartition by \w+(?:, \w+)*), \w+\b", r"\g<1>"),
    ("rows dropped", r"\bunion all\b(?= by name)", "except"),
    ("rows kept", r"(?m)^( +)and [^\n()]+$", r"\g<1>"),
    ("rows kept", r" filter \(where [^()\n]+\)", ""),
    ("order", r" desc\b", ""),
    ("direction", r"'read'", "'write'"),
    ("direction", r"'write'", "'read'"),
    ("count", r"count\(distinct ", "count("),
    ("value", r"\bcoalesce\((\w+), \w+\)", r"\g<1>"),
]


def mutations(language: str, text: str) -> list[Mutation]:
    """Every fault that can be planted in `text`, in its order; `language` is rust, python or sql.

    What would no longer be Python is left out; of Rust the compiler tells.
    """
    code = _masked(language, text)
    rules = SHARED + {"rust": RUST, "python": PYTHON, "sql": SQL}[language]
    found = []
    for kind, pattern, after in rules:
        for met in re.finditer(pattern, code):
            if language == "sql" or kind == "check removed" or "\0" not in met[0]:
                found.append(Mutation(kind, met.start(), met.end(), met.expand(after)))
    return sorted(
        (one for one in found if language != "python" or _reads(changed(text, one))),
        key=lambda one: (one.start, one.kind, one.after),
    )


def changed(text: str, mutation: Mutation) -> str:
    """The text with the fault in it."""
    return text[: mutation.start] + mutation.after + text[mutation.end :]


def _reads(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def _masked(language: str, text: str) -> str:
    """The text in its length, with NUL for each character that is not code."""
    masked = list(text)
    for start, end in _not_code(language, text):
        masked[start:end] = ["\n" if one == "\n" else "\0" for one in text[start:end]]
    return "".join(masked)


def _not_code(language: str, text: str) -> Iterator[tuple[int, int]]:
    if language == "sql":
        yield from (
            met.span() for met in re.finditer(r"--[^\n]*|(?s:^comment on .*?';)", text, re.M)
        )
    elif language == "rust":
        tests = text.find("#[cfg(test)]\nmod ")
        if tests >= 0:
            yield tests, len(text)
        tokens = r"//[^\n]*|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])'|#!?\[[^\]]*\]"
        yield from (met.span() for met in re.finditer(tokens, text, re.S))
    else:
        yield from _python_words(text)


def _python_words(text: str) -> Iterator[tuple[int, int]]:
    """Where the strings and comments of a Python text begin and end."""
    starts = [0, *itertools.accumulate(map(len, text.splitlines(keepends=True)))]
    begun = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        begin, end = (starts[line - 1] + column for line, column in (token.start, token.end))
        kind = tokenize.tok_name[token.type]
        if kind in ("STRING", "COMMENT"):
            yield begin, end
        # an f-string is several tokens, from Python 3.12 on
        elif kind == "FSTRING_START":
            begun.append(begin)
        elif kind == "FSTRING_END":
            yield begun.pop(), end
