"""How images are identified."""

from lib import show
from lib.database import query


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
