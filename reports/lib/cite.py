"""How to cite: `CITATION.cff` and the articles of the database, as BibTeX."""

import re

from lib import articles as articles_
from lib import downloads, project, words
from lib.database import query


def citation() -> dict:
    """The contents of `CITATION.cff`."""
    return project.document("CITATION.cff")


def version() -> str:
    """A sentence with the version to cite, and its date once it is released."""
    cited = citation()
    released = cited.get("date-released")
    when = f", of {released}" if released else ", which has not been released yet"
    return f"This is version {cited['version']}{when}."


def data() -> str:
    """Sentences that identify the data of this site."""
    state = downloads.described()
    commit = f"commit `{state['commit']}` and " if state["commit"] else ""
    records = state["records"]
    return (
        f"Its data were made on {state['created'][:10]} from {commit}"
        f"{words.count(records['count'], 'record')} with the checksum `{records['sha256']}`, as "
        "[datapackage.json](downloads/datapackage.json) says. Data with the same checksum have "
        "the same records."
    )


def software() -> str:
    """The BibTeX entry of diskbench."""
    cited = citation()
    authors = " and ".join(f"{{{author['name']}}}" for author in cited["authors"])
    fields = {
        "title": f"{{{cited['title']}}}",
        "author": authors,
        "date": cited.get("date-released"),
        "version": cited["version"],
        "note": _data_in_short(),
    }
    return _entry("software", "diskbench", fields)


def _data_in_short() -> str:
    state = downloads.described()
    checksum = state["records"]["sha256"][:12]
    return f"Data of {state['created'][:10]}, checksum of the records {checksum}"


def articles() -> str:
    """The BibTeX entries of the repeated articles, oldest first."""
    rows = query("select * from article order by published_on nulls last, article")
    return "\n\n".join(
        _entry(
            "online",
            row["article"],
            {
                "title": f"{{{row['title']}}}",
                "author": _surname_first(row["author"]),
                "date": None if row["published_on"] is None else str(row["published_on"])[:10],
                "url": articles_.HOME if articles_.is_copy(row["source"]) else row["source"],
                "note": f"read in a copy: {row['source']}"
                if articles_.is_copy(row["source"])
                else None,
            },
        )
        for row in rows.astype(object).where(rows.notna(), None).to_dict("records")
    )


def _surname_first(name: str) -> str:
    given, _, family = name.rpartition(" ")
    return f"{family}, {given}" if given else family


def _entry(kind: str, key: str, fields: dict[str, object]) -> str:
    known = {name: value for name, value in fields.items() if value is not None}
    width = max(map(len, known))
    lines = [f"  {name:<{width}} = {{{_plain(value)}}}" for name, value in known.items()]
    return f"@{kind}{{{key},\n" + ",\n".join(lines) + "\n}"


def _plain(value: object) -> str:
    """A value for BibTeX, with special characters escaped."""
    return (
        re.sub(r"(?<!\\)([&%$#_])", r"\\\1", str(value)) if "://" not in str(value) else str(value)
    )
