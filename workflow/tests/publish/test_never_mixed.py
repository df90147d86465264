"""Demonstration runs are never shown next to comparable figures, on the pages of every world."""

import re
from html import unescape
from pathlib import Path

import pytest
import yaml
from rendered import rows

from lib.examples import EXAMPLES

PROJECT = Path(__file__).parents[3]
STUDY = yaml.safe_load((PROJECT / "workflow/config/study.yaml").read_text(encoding="utf-8"))
OF_STUDIES = [f"articles/{study}.html" for study in STUDY["studies"]]
RECALLING = "articles/performance-2024.html"
# pages that show what articles state: measured figures beside them are comparable ones of Macs
BESIDE = (
    *("index.html", "releases.html", "encryption.html", "space.html"),
    *(f"articles/{page.stem}.html" for page in (PROJECT / "reports/articles").glob("*.qmd")),
)


@pytest.fixture(params=["published_only", "made_up", "hostile_records"])
def world(request, rendered_site):
    return rendered_site(request.param)


def raw(site, page) -> str:
    return site.text(page).split("<main")[1]


def test_no_incomparable_host_is_shown_with_an_article(world):
    """No other system, no stand-in, no driver of ours, no smoke scale."""
    hosts = {host for (host,) in rows(world, "select host from host")}
    hosts -= {host for (host,) in rows(world, "select distinct host from comparable_speed")}
    systems = rows(world, "select release from host where lower(os_name) <> 'macos'")
    alone = hosts | {release for (release,) in systems}
    alone |= {"Debian", "26A5)", "(driver portable)"}
    for page in BESIDE:
        shown = unescape(re.sub(r"<pre.*?</pre>", "", raw(world, page), flags=re.S))
        assert [word for word in alone if word in shown] == [], page
        assert "scale smoke" not in shown or page.startswith("articles/"), page


def test_a_version_of_another_system_is_never_called_macos(world):
    others = rows(
        world,
        """
        select distinct os_version, os_build from host
        where lower(os_name) <> 'macos' and os_version is not null
        """,
    )
    for page in world.pages:
        text = unescape(raw(world, page))
        for version, build in others:
            assert f"macOS {version} ({build})" not in text, page


def test_without_a_macs_figure_a_page_has_one_line_with_the_command(published_site):
    for page in OF_STUDIES:
        said = published_site.words(page)
        assert said.count("No Mac has been measured yet: measure yours") == 1, page
        assert "not measured yet" not in said.split("How it is measured")[0], page


def test_no_worked_question_calls_another_system_macos(world):
    hosts = {
        host for (host,) in rows(world, "select host from host where lower(os_name) <> 'macos'")
    }
    for example in EXAMPLES:
        sql = example.sql.rstrip().rstrip(";")
        columns = rows(world, f"describe ({sql})")
        names = [column for column, *_ in columns]
        if "macos" not in names or "host" not in names:
            continue
        for host, macos in rows(world, f"select host, macos from ({sql})"):
            assert host not in hosts, (example.name, macos)


def test_the_first_worked_question_answers_as_the_start_page_does(published_site):
    first = rows(published_site, EXAMPLES[0].sql.rstrip().rstrip(";"))[0]
    mac = ("published", "26.3.1 (a)", "mac-mini-m4-pro", "internal", "usage-phases", "gold")
    # and format, encryption, write, read, whether they depend on the statistic
    assert first == (*mac, "UDSB", "AES-256", 5.23, 5.09, False)


def test_the_question_about_releases_has_an_update_with_a_letter_and_no_unknown_mac(published_site):
    [asked] = [one for one in EXAMPLES if one.name == "release-change"]
    found = rows(published_site, f"from ({asked.sql.replace('limit 10', '')})")
    # basis, host, storage, protocol, format, encryption, phase, op, earlier, later
    steps = {row[8:10] for row in found if row[4:6] == ("UDRW", "AES-256")}
    assert {("26.0", "26.3.1 (a)"), ("26.3.1 (a)", "26.4")} <= steps
    assert ("26.0", "26.4") not in steps
    assert "unstated" not in {row[1] for row in found}


def test_bounds_are_shown_as_in_the_article_and_its_copy_is_named(published_site):
    said = published_site.words(RECALLING)
    assert "at least 10 seconds" in said  # "at least 10 seconds"
    assert "at most 1 GB/s" in said  # "limited to 1 GB/s"
    assert "below 1 GB/s" not in said
    # only a copy of it could be read
    said = re.sub(r"\s+", " ", raw(published_site, RECALLING))
    assert 'on <a href="https://eclecticlight.co/">eclecticlight.co</a>, read in' in said
    assert ">a copy on macmegasite.com</a>" in said
