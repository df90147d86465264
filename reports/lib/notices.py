"""What every page must say before its figures: that they are of smoke scale, or made up."""

from lib import show
from lib.database import query


def page() -> show.Shown | None:
    """The notice for a page that shows measured figures; nothing when all of them are real."""
    kinds = query(
        """
        select
            count(*) filter (where host.made_up) as made_up,
            count(*) filter (where scale = 'smoke' and status = 'measured') as smoke,
            count(*) filter (where status = 'measured') as cells
        from cell
        left join host using (host, release)
        """
    ).iloc[0]
    made_up = show.html('<div class="watermark">made-up data</div>') if kinds["made_up"] else None
    if not kinds["smoke"]:
        return made_up
    part = "Everything" if kinds["smoke"] == kinds["cells"] else "Part of what is"
    smoke = show.callout(
        "warning",
        "Smoke scale: not comparable",
        f"{part} measured here was measured at smoke scale: with the same number of files as in "
        "the articles, but far smaller ones. That shows that all of it works, and says nothing "
        "about how fast a disk image is. Such figures are never compared with published ones.",
    )
    return show.together(smoke, made_up) if made_up else smoke
