"""The studies: article, protocols and cells of each."""

from lib import articles, show, study, tables, words


def table() -> show.Shown:
    """One row for each study."""
    return tables.table(
        study.settings()["studies"].items(),
        [
            tables.text("Study", 0, tables.keep),
            tables.text(
                "The experiment of",
                0,
                lambda slug: tables.link(articles.about(slug).title, f"../articles/{slug}.html"),
            ),
            tables.text("Protocols", 1, lambda settings: ", ".join(settings["protocols"])),
            tables.text(
                "Formats", 1, lambda settings: _distinct(settings, "formats", words.FORMATS)
            ),
            tables.text(
                "Encryption",
                1,
                lambda settings: _distinct(settings, "encryptions", {"host": "same as the disk"}),
            ),
        ],
        "The studies, and the articles whose experiments they repeat",
        name="studies",
        classes="wide",
    )


def _distinct(settings: dict, key: str, names: dict[str, str]) -> str:
    """The distinct values of a key in a study's matrix."""
    found = dict.fromkeys(value for row in settings["matrix"] for value in row[key])
    return ", ".join(words.name(names, value) for value in found)
