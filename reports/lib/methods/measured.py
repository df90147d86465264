"""The cells of each study, and how images are identified."""

from lib import articles, show, study, tables, words
from lib.database import query


def matrix() -> show.Shown:
    """What each study measures, in its order: the words it comes from, and what of it is ours."""
    return tables.table(
        [
            (slug, row)
            for slug, settings in study.settings()["studies"].items()
            for row in settings["matrix"]
        ],
        [
            tables.sentence("Measured", 1, _formats),
            tables.text("Encryption", 1, _encryptions),
            tables.text("On", 1, lambda row: ", ".join(row.get("storages", ["every storage"]))),
            tables.text("The article\u2019s words", 1, lambda row: words.quoted(row["quote"])),
            tables.sentence("Our additions", 1, lambda row: row.get("ours", "")),
        ],
        "What each study measures, and why",
        name="matrix",
        classes="wide",
        heading=lambda row: f"{articles.about(row[0]).title} ({row[0]})",
    )


def _formats(row: dict) -> str:
    return ", ".join(words.form(form) for form in row["formats"])


def _encryptions(row: dict) -> str:
    return ", ".join("same as the disk" if slug == "host" else slug for slug in row["encryptions"])


def identified() -> show.Shown:
    """How properties of an image are verified, and for how many measured runs."""
    [(known, measured)] = query(
        """
        select
            count(*) filter (cell in (select cell from image_fact)) as known,
            count(*) as measured
        from cell
        where status = 'measured'
        """
    ).itertuples(index=False)
    return show.text(
        "Before timing starts, the properties of each image are read back (header, `hdiutil`, "
        "`diskutil`, mount table). If one differs from the request, the cell fails; one that "
        "cannot be read is null. Table `image_fact` has what was requested beside what was found"
        + (f", for {known} of {measured} measured runs." if measured else ".")
    )
