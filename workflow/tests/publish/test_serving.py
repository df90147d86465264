"""What pages tell of who served an image, what they leave to the rows, and how rounds went."""

import re

import pandas as pd
import pytest
from rendered import linked, rows, tables

from lib import charts, words
from lib.programs import FORCED

MARK = "(stand-in, no Mac)"
STAND_IN = "stand-in-mac-mini-m4-pro"


def told(site) -> str:
    """The text of the page of hosts, without markup."""
    page = (site.folder / "hosts.html").read_text(encoding="utf-8")
    page = re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def test_a_site_without_measurements_has_no_table_of_any(rendered_site):
    site = rendered_site("published_only")
    named = tables(site, "space.html")
    assert not [name for name in named if name.startswith(("rounds-", "states-"))]
    assert MARK not in told(site)


def test_the_share_of_a_core_is_told_for_each_process(measured_site):
    # made up: 12 % of a core for plain images, 26 % for encrypted ones
    text = told(measured_site)
    assert (
        "(25E246) , processor time in % of one core: diskimagesiod 12 to 26 % while writing" in text
    )


def test_what_may_not_be_looked_at_says_so_and_has_no_figure(measured_site):
    assert "storagekitd could not be inspected, as the system forbids it" in told(measured_site)


def test_programs_are_counted_with_the_slowest_and_what_was_forced(measured_site):
    [(count, forced)] = rows(
        measured_site,
        f"""
        select count(*), count(*) filter (where regexp_matches(arguments, '{FORCED}'))
        from command inner join cell using (cell)
        where release = 'macos-26.4-25E246'
        """,
    )
    [said] = re.findall(
        rf"26\.4 \(25E246\) : {count} programs run; (.*? forced)", told(measured_site)
    )
    assert "the slowest, tmutil isexcluded , took 12 s" in said
    assert f"{forced} w" in said


@pytest.mark.parametrize(
    ("arguments", "forced"),
    [
        ("detach disk4 -force", True),
        ("unmountDisk force disk4", True),
        ("detach disk4", False),
        ("info -plist <reinforced>", False),
    ],
)
def test_what_is_forced_is_known_by_its_word(arguments, forced):
    assert bool(re.search(FORCED, arguments)) == forced


def test_what_a_section_leaves_out_is_in_its_rows(measured_site):
    """One link for each host, to the rows of that host alone, of every table that is left out."""
    page = (measured_site.folder / "hosts.html").read_text(encoding="utf-8")
    contents = page.split('id="TOC"')[1].split("</nav>")[0]
    sections = re.findall(r'<h2 id="host-([\w.-]+)">(.*?)(?=<h2 )', page, re.DOTALL)
    hosts = [host for (host,) in rows(measured_site, "select distinct host from cell order by 1")]
    assert sorted(host for host, _ in sections) == hosts
    for host, section in sections:
        assert f'href="#host-{host}"' in contents
        for table in ("condition", "command", "process_use", "quiet"):
            [(count,)] = rows(
                measured_site,
                f"select count(*) from {table} inner join cell using (cell) where host = '{host}'",
            )
            of_it = [sql for sql in linked(section) if f"{table}.*" in sql]
            assert len(of_it) == 1 or not count
            for sql in of_it:
                found = rows(measured_site, sql)
                assert {row[0].split("/")[0] for row in found} == {host}
                assert len(found) == count


def test_every_round_of_writing_has_its_speed(measured_site):
    shown = tables(measured_site, "space.html")["rounds-1"]
    expected = rows(
        measured_site,
        """
        select format, list(total_gbps order by round)
        from round_speed inner join cell using (cell)
        where protocol = 'churn' and op = 'write'
        group by cell, format order by format
        """,
    )
    assert shown["Image"].tolist() == ["RAW (UDRW)", "sparse bundle (UDSB)"]
    for (_, speeds), line in zip(expected, shown.to_dict("records"), strict=True):
        for number, speed in enumerate(speeds, start=1):
            assert line[f"Round {number}"] == f"{speed:.2f} 160 files"
        assert line["Last / first"] == f"{speeds[-1] / speeds[0]:.2f}\u00d7"
    # a protocol that writes once has no rounds to show
    assert "rounds-2" not in tables(measured_site, "space.html")


def test_the_chart_of_rounds_has_a_line_for_each_image():
    frame = pd.DataFrame(
        {"image": ["a", "a", "b"], "round": [1, 2, 1], "total_gbps": [3.0, 2.0, 1.0]}
    )
    spec = charts.by_round(frame.assign(files=160), "title", "description").to_dict()
    [values] = spec["datasets"].values()
    assert [(one["image"], one["round"], one["speed"]) for one in values] == [
        ("a", 1, 3.0),
        ("a", 2, 2.0),
        ("b", 1, 1.0),
    ]


def test_free_space_inside_the_volume_stands_beside_what_the_image_takes(measured_site):
    named = tables(measured_site, "space.html")
    states = [table for name, table in named.items() if name.startswith("states-")]
    churned = [table for table in states if "Filled five times, with deletions" in table]
    [table] = churned
    bundle = table[table["Image"] == "sparse bundle (UDSB)"].iloc[0]
    assert bundle["Emptied"] == "1.12 GB 135 bands; 125 GB free inside"
    assert "99.1 GB" in set(named["lengths-apple"]["Free inside"])


def test_a_stand_in_is_marked_wherever_its_machine_is_named(measured_site):
    """Its slug may be that of a Mac when it was given by hand, so the mark is what counts."""
    text = told(measured_site)
    named = [match.end() for match in re.finditer(rf"{STAND_IN}, macOS 27.0 \(26A5\)", text)]
    assert len(named) >= 4
    assert all(text[end:].startswith(f" {MARK}") for end in named)


def test_no_article_shows_a_stand_in(site):
    for page in site.folder.glob("articles/*.html"):
        text = page.read_text(encoding="utf-8")
        assert STAND_IN not in text
        assert "macos-27.0-26A5" not in text and "macOS 27.0 (26A5" not in text


def test_an_image_with_other_bands_says_so():
    assert words.image("UDSB", "none", "apple", 1 << 20) == "sparse bundle (UDSB), bands of 1 MiB"
    assert words.image("UDSB", "AES-256", "apple", float(2 << 30)) == (
        "sparse bundle (UDSB) AES-256, bands of 2 GiB"
    )
    assert words.image("UDSB", "none", "apple", float("nan")) == "sparse bundle (UDSB)"
    assert words.image("ASIF", "none", "portable", 4096.0) == "ASIF, blocks of 4 KiB"


def test_what_its_owner_says_of_a_storage_stands_with_the_machine(measured_site):
    page = (measured_site.folder / "hosts.html").read_text(encoding="utf-8")
    assert "as delivered, “2 TB” &amp; 40 % full" in page
