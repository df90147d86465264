"""The studies: whose experiment each one repeats, its protocols, and what it measures."""

from lib import articles, show, study, tables, words


def table() -> show.Shown:
    """One row for each study."""
    return tables.table(
        [
            {
                "study": tables.keep(slug),
                "title": tables.link(articles.about(slug).title, f"../articles/{slug}.html"),
                "protocols": ", ".join(told["protocols"]),
                "formats": _distinct(told, "formats", words.FORMATS),
                "encryptions": _distinct(told, "encryptions", {"host": "same as the disk"}),
            }
            for slug, told in study.settings()["studies"].items()
        ],
        {
            "study": "Study",
            "title": "The experiment of",
            "protocols": "Protocols",
            "formats": "Formats",
            "encryptions": "Encryption",
        },
        "The studies, and the articles whose experiments they repeat",
        name="studies",
        classes="wide",
    )


def _distinct(told: dict, key: str, names: dict[str, str]) -> str:
    """What the rows of a study's matrix have under a key, each once."""
    found = dict.fromkeys(value for row in told["matrix"] for value in row[key])
    return ", ".join(words.name(names, value) for value in found)
