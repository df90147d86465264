"""What each study measures, and how images are identified."""

from lib import articles, show, study, tables, words
from lib.database import query


def matrix() -> show.Shown:
    """What each study measures, in its order: the words it comes from, and what of it is ours."""
    lines = []
    for slug, told in study.settings()["studies"].items():
        for row in told["matrix"]:
            formats = ", ".join(words.name(words.FORMATS, form) for form in row["formats"])
            ours = row.get("ours")
            lines.append(
                {
                    "study": f"{articles.about(slug).title} ({slug})",
                    "image": formats,
                    "encryption": ", ".join(_encryption(row["encryptions"])),
                    "where": ", ".join(row.get("storages", ["every storage"])),
                    "quote": f"“{row['quote']}”",
                    "note": ours or "",
                }
            )
    return tables.table(
        lines,
        {
            "image": "Measured",
            "encryption": "Encryption",
            "where": "On",
            "quote": "The article\u2019s words",
            "note": "Our additions",
        },
        "What each study measures, and why",
        name="matrix",
        classes="wide",
        heading="study",
    )


def _encryption(slugs: list[str]) -> list[str]:
    return ["same as the disk" if slug == "host" else slug for slug in slugs]


def identified() -> show.Shown:
    """How the properties of an image are read back, and in how many measured cells they are."""
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
        f"cannot be read is null. Table `image_fact` has what was requested beside what was found, "
        f"for {known} of {measured} measured cells."
    )
