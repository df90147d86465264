"""The strip at the top of every page: published and measured figures, and their date."""

from lib import links, show, words
from lib.database import built, query


def strip() -> show.Shown:
    """One line from the database, and a watermark if records are synthetic."""
    parts = [
        f"Published: {_published()}.",
        f"Measured on Macs: {_measured()}.",
        f"Built {built():%Y-%m-%d}.",
    ]
    line = show.html(f'<p class="status">{" ".join(f"<span>{part}</span>" for part in parts)}</p>')
    return show.together(line, _watermark())


def no_mac() -> str:
    """A line in place of a Mac's figures; empty if a Mac was measured."""
    if _macs():
        return ""
    return f"No Mac has been measured yet: [measure yours]({links.to('manual/mac.html')})."


def demonstration() -> str:
    """A line before figures of demonstration runs alone; empty if a Mac was measured."""
    none = no_mac()
    runs = f"[Demonstration runs]({links.to('this-machine.html')})"
    return f"**{none}** {runs} say nothing about a Mac." if none else ""


def _published() -> str:
    rows = query(
        """
        select distinct host, macos from published_speed
        where host <> 'unstated' and not second_hand
        order by release_order(macos) nulls first
        """
    )
    return f"{words.count(rows['host'].nunique(), 'Mac')}, {_span(list(rows['macos']))}"


def _measured() -> str:
    rows = _macs()
    none = f'none (<a href="{links.to("manual/mac.html")}">measure yours</a>)'
    if not rows:
        return none
    real = [row for row in rows if not row["made_up"]]
    hosts = len({row["host"] for row in real or rows})
    span = _span([row["macos"] for row in real or rows])
    disturbed = _disturbed(made_up=not real)
    if not real:
        return f"{none}; synthetic: {hosts} ({span}{disturbed})"
    return f"{hosts} ({words.measured_by(span, (row['vouched_by'] for row in real))}{disturbed})"


def _disturbed(*, made_up: bool) -> str:
    """How many of the runs behind the figures of Macs have a warning about the machine's state."""
    [(disturbed, runs)] = query(
        f"""
        with runs as (
            select distinct run.cell
            from comparable_speed as speed
            inner join cell as one using (cell)
            inner join cell as run using (series)
            inner join measured_speed as measured
                on measured.cell = run.cell and measured.op = speed.op
            where measured.comparable and speed.made_up = $made_up and not speed.virtual_machine
        )
        select
            count(*) filter (
                where cell in (select cell from warning where code in {words.DISTURBED})
            ),
            count(*)
        from runs
        """,
        made_up=made_up,
    ).itertuples(index=False)
    if not disturbed:
        return ""
    return (
        f"; in {disturbed:,} of {words.count(runs, 'run')} the Mac was "
        f'<a href="{links.to("hosts.html")}">busy, hot, on battery, or short of memory or disk</a>'
    )


def _macs() -> list[dict]:
    # without virtual machines
    rows = query(
        """
        select distinct host, macos, made_up, vouched_by from comparable_speed
        where not virtual_machine
        order by release_order(macos), macos, host, made_up, vouched_by
        """
    )
    return rows.to_dict("records")


def _span(releases: list[str]) -> str:
    """The range of ordered releases: `macOS 12.4 to 26.4`."""
    known = [one for one in releases if one[:1].isdigit()]
    return "macOS " + (known[0] if known[0] == known[-1] else f"{known[0]} to {known[-1]}")


def _watermark() -> show.Shown | None:
    """Across the whole page, on paper across each of them."""
    found = query(
        """
        select
            coalesce(bool_or(host.made_up), false) as "synthetic",
            coalesce(bool_or(cell.stand_in), false) as "stand-in"
        from cell
        left join host using (host, release)
        """
    ).iloc[0]
    marks = [mark for mark, there in found.items() if there]
    if not marks:
        return None
    text = f"{', '.join(marks)} data"
    # drawn from the attribute: faint on purpose, so no text to be read there; the text is for ears
    return show.html(f'<div class="watermark" data-text="{text}"><span>{text}</span></div>')
