"""What every page must say before its figures: of smoke scale, of a stand-in, or made up."""

from lib import show
from lib.database import query

SMOKE = (
    "{} was measured at smoke scale: with the same number of files as in the articles, but far "
    "smaller ones. That shows that all of it works, and says nothing about how fast a disk image "
    "is. Such figures are never compared with published ones."
)
STAND_IN = (
    "For {} programs stood in for those of macOS (`hdiutil`, `diskutil` and the like): a test of "
    "this study, not of a Mac. The files lay in an ordinary folder, and what is told of a Mac is "
    "what the stand-in was told to say. Such figures are marked "
    "\u201cstand-in, no Mac\u201d, and are never compared with anything."
)


def page() -> show.Shown | None:
    """The notice for a page that shows measured figures; nothing when all of them are real."""
    kinds = query(
        """
        select
            count(*) filter (where host.made_up) as made_up,
            count(*) filter (where cell.stand_in) as stand_in,
            count(*) as cells,
            count(*) filter (where scale = 'smoke' and status = 'measured') as smoke,
            count(*) filter (where status = 'measured') as measured
        from cell
        left join host using (host, release)
        """
    ).iloc[0]
    told = []
    if kinds["stand_in"]:
        part = "everything" if kinds["stand_in"] == kinds["cells"] else "part of what is"
        told.append(
            show.callout(
                "warning",
                "A stand-in: no Mac was measured",
                STAND_IN.format(f"{part} measured here"),
            )
        )
    if kinds["smoke"]:
        part = "Everything" if kinds["smoke"] == kinds["measured"] else "Part of what is"
        told.append(
            show.callout(
                "warning", "Smoke scale: not comparable", SMOKE.format(f"{part} measured here")
            )
        )
    marks = [
        mark for mark, count in (("made-up", "made_up"), ("stand-in", "stand_in")) if kinds[count]
    ]
    if marks:
        told.append(_watermark(f"{', '.join(marks)} data"))
    return show.together(*told) if told else None


def _watermark(text: str) -> show.Shown:
    """Across the whole page, on paper across each of them."""
    # drawn from the attribute: faint on purpose, so no text to be read there; the text is for ears
    return show.html(f'<div class="watermark" data-text="{text}"><span>{text}</span></div>')
