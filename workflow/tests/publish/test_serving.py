"""Pages on processes behind images, links to rows, and rounds."""

import re

import pytest
from rendered import charts, linked, points, rows, tables

MARK = "(stand-in, no Mac)"
STAND_IN = "stand-in-mac-mini-m4-pro"


def test_the_share_of_a_core_is_told_for_each_process_or_why_it_is_not_known(site):
    # made up: 12 % of a core for plain images, 26 % for encrypted ones
    text = site.words("hosts.html")
    assert (
        "(26A5300) , processor time in % of one core: diskimagesiod 12 to 26 % while writing"
        in text
    )
    assert "storagekitd could not be inspected, as the system forbids it" in text


def test_what_a_section_leaves_out_is_in_its_rows(site):
    """One link for each host, to the rows of that host alone, of every table that is left out."""
    page = site.text("hosts.html")
    contents = page.split('id="TOC"')[1].split("</nav>")[0]
    sections = re.findall(r'<h2 id="host-([\w.-]+)">(.*?)(?=<h2 )', page, re.DOTALL)
    hosts = [host for (host,) in rows(site, "select distinct host from cell order by 1")]
    assert sorted(host for host, _ in sections) == hosts
    for host, section in sections:
        assert f'href="#host-{host}"' in contents
        for table in ("condition", "command", "process_use", "quiet"):
            [(count,)] = rows(
                site,
                f"select count(*) from {table} inner join cell using (cell) where host = '{host}'",
            )
            of_it = [sql for sql in linked(section) if f"{table}.*" in sql]
            assert len(of_it) == 1 or not count
            for sql in of_it:
                found = rows(site, sql)
                assert {row[0].split("/")[0] for row in found} == {host}
                assert len(found) == count


def test_every_round_of_writing_has_its_speed(site):
    shown = tables(site, "space.html")["rounds-1"]
    expected = rows(
        site,
        """
        select format, list(total_gbps order by round)
        from round_speed inner join cell using (cell)
        where protocol = 'churn' and op = 'write' and host = 'mac-mini-m4-pro'
        group by cell, format order by format desc
        """,
    )
    # in the order of the vocabulary
    assert shown["Image"].tolist() == ["sparse bundle (UDSB)", "RAW (UDRW)"]
    for (_, speeds), line in zip(expected, shown.to_dict("records"), strict=True):
        for round_, speed in enumerate(speeds, start=1):
            assert line[f"Round {round_} (GB/s)"] == f"{speed:.2f} 160 files"
        assert line["Last / first"] == f"{speeds[-1] / speeds[0]:.2f}\u00d7"
    drawn = points(charts(site.text("space.html"))["chart-rounds-1-apple"])
    assert [(one["image"], one["round"], one["speed"]) for one in drawn] == [
        (image, round_, pytest.approx(speed))
        for image, (_, speeds) in zip(shown["Image"], expected, strict=True)
        for round_, speed in enumerate(speeds, start=1)
    ]
    # a protocol that writes once has no rounds to show
    assert "rounds-3" not in tables(site, "space.html")


def test_free_space_inside_the_volume_is_shown_with_the_allocated_size(site):
    named = tables(site, "space.html")
    states = [table for name, table in named.items() if name.startswith("states-")]
    churned = [table for table in states if "Filled five times, with deletions" in table]
    [table] = churned
    bundle = table[table["Image"] == "sparse bundle (UDSB)"].iloc[0]
    assert bundle["Emptied"] == "3.2 GB 382 bands; 125 GB free inside"
    assert "99.7 GB" in set(named["lengths-apple"]["Free inside"])


def test_a_stand_in_is_marked_wherever_its_machine_is_named(site):
    """Its slug may be that of a Mac when it was given by hand, so the mark is what counts."""
    text = site.words("hosts.html")
    named = [match.end() for match in re.finditer(rf"{STAND_IN}, macOS 27.0 \(26A5\)", text)]
    assert len(named) >= 3
    assert all(text[end:].startswith(f" {MARK}") for end in named)


def test_the_facts_of_a_machine_are_those_of_its_newest_record(site):
    sections = site.text("hosts.html").split('id="host-')
    facts = {
        section.partition('"')[0]: re.findall("<dt>(.*?)</dt><dd>(.*?)</dd>", section)
        for section in sections[1:]
    }
    assert facts["mac-studio-m1-max"] == [
        ("Machine", "synthetic Mac Studio"),
        ("Chip", "Apple M1 Max"),
        ("Cores", "8 performance, 2 efficiency"),
        # 32,000,000,000 bytes, of which a GB of memory has 1024 x 1024 x 1024
        ("Memory", "29.8 GB, pages of 16,384 bytes"),
        ("System", "macOS 15.6 (24G84), Darwin 24.6.0"),
        ("Storage, internal", "synthetic drive, apple-fabric, solid state, 2 TB"),
        ("File system", "apfs, encryption FileVault"),
        ("Storage, usb4-980pro", "synthetic drive, usb4, solid state, 2 TB"),
        ("Described as", "a USB4 case"),
        ("File system", "apfs, encryption none"),
        ("Records", "55, from 2026-01-10 10:00 UTC to 2026-01-10 10:05 UTC"),
    ]
    assert ("Described as", "as delivered, “2 TB” &amp; 40 % full") in facts[STAND_IN]
