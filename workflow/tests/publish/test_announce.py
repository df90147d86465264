"""The feed of results, and the previews of pages."""

import re
from datetime import datetime
from pathlib import Path
from xml.etree import ElementTree

import duckdb
import pytest
from rendered import rows

from console import ExitCode, StudyError
from proofs.support import repository
from publish.announce import address, announce
from publish.project import Project

ATOM = "{http://www.w3.org/2005/Atom}"
HOME = "https://example.org/images/"


def entries(site) -> list[dict[str, str]]:
    """The entries of a site's feed, in their order."""
    feed = ElementTree.parse(site.folder / "feed.xml").getroot()
    assert feed.tag == f"{ATOM}feed"
    return [
        {
            "title": entry.findtext(f"{ATOM}title"),
            "id": entry.findtext(f"{ATOM}id"),
            "updated": entry.findtext(f"{ATOM}updated"),
            "link": entry.find(f"{ATOM}link").get("href"),
        }
        for entry in feed.findall(f"{ATOM}entry")
    ]


def test_the_feed_leads_to_each_dated_article_and_each_release_of_a_mac_newest_first(site):
    found = entries(site)
    articles = rows(site, "select title, published_on from article where published_on is not null")
    macs = rows(site, "select distinct host, release from comparable_speed")
    assert len(found) == len(articles) + len(macs) > 5
    for title, on in articles:
        [entry] = [one for one in found if one["title"] == f"Published: {title}"]
        assert entry["updated"] == f"{on}T00:00:00Z"
    measured = [one["title"] for one in found if one["title"].endswith(", measured")]
    assert len(measured) == len(macs)
    assert all(title.startswith("Synthetic: ") for title in measured)
    moments = [datetime.fromisoformat(one["updated"]) for one in found]
    assert moments == sorted(moments, reverse=True)
    assert len({one["id"] for one in found}) == len(found)
    for entry in found:
        page, _, anchor = entry["link"].partition("#")
        assert not anchor or f'id="{anchor}"' in site.text(page), entry


def test_without_an_address_nothing_contains_one(published_site):
    site = published_site
    for page in site.pages:
        head = site.text(page).partition("</head>")[0]
        told = dict(re.findall(r'<meta property="og:(\w+)" content="([^"]*)">', head))
        assert set(told) == {"type", "site_name", "title", "description"}, page
        assert "http" not in "".join(told.values()), page
        [feed] = re.findall(r'<link rel="alternate"[^>]* href="([^"]*)"', head)
        assert (site.folder / page).parent.joinpath(feed).is_file(), page


@pytest.fixture
def placed(tmp_path) -> tuple[Project, Path]:
    """A project with an address, and its rendered pages."""
    sources, site = tmp_path / "reports", tmp_path / "site"
    for page in ("index", "404", "more/page"):
        for folder, ending in ((sources, ".qmd"), (site, ".html")):
            file = (folder / page).with_suffix(ending)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"<head><title>{page} &amp; more</title>\n</head>", encoding="utf-8")
    settings = {
        "project": {"render": ["*.qmd", "more/*.qmd"]},
        "website": {"title": "tiny", "site-url": HOME.rstrip("/")},
    }
    return Project(sources, settings), site


def test_with_an_address_a_page_has_it_and_a_picture_in_its_preview(placed):
    project, site = placed
    announce(project, site)
    text = (site / "more" / "page.html").read_text()
    assert f'<meta property="og:url" content="{HOME}more/page.html">' in text
    assert f'<meta property="og:image" content="{HOME}assets/site.png">' in text
    assert '<meta property="og:title" content="more/page &amp; more">' in text
    assert text.count("</head>") == 1


LINKS = """<a href="#main">on</a> <a href="manual/index.html">in</a> <a href="/images/a.html">root</a>
<a href="https://example.com/">out</a> <script src="assets/search.js"></script> <form data-root="">"""


def test_the_404_page_works_at_any_address_with_a_configured_site_url(placed):
    project, site = placed
    for page in ("404.html", "index.html"):
        (site / page).write_text(f"<head></head>{LINKS}")
    announce(project, site)
    assert (site / "index.html").read_text().endswith(LINKS)
    changed = (site / "404.html").read_text().partition("</head>")[2]
    addresses = re.findall(r'(?:href|src|data-root)="([^"]*)"', changed)
    assert addresses == [
        "#main",
        f"{HOME}manual/index.html",
        "/images/a.html",
        "https://example.com/",
        f"{HOME}assets/search.js",
        HOME,
    ]


def test_the_feed_is_valid_with_any_texts_of_records(placed):
    project, site = placed
    (site / "downloads").mkdir()
    with duckdb.connect(str(site / "downloads" / "diskbench.duckdb")) as made:
        made.execute("""
            create table cell as select 'a-mac' as host, 'r' as release, timestamp '2026-11-25 09:28:07' as finished_utc;
            create table comparable_speed as
            select 'a-mac' as host, 'r' as release, '<b>&' || chr(11) || ']]>' as macos, false as made_up, 'ASIF' as format;
            create table article as
            select 'x-2026' as article, 'One & "two"' as title, 'A' as author, date '2026-01-02' as published_on
        """)
    announce(project, site)
    measured, published = ElementTree.parse(site / "feed.xml").getroot().iter(f"{ATOM}entry")
    assert measured.findtext(f"{ATOM}title") == "a-mac, macOS <b>&\ufffd]]>, measured"
    assert measured.findtext(f"{ATOM}updated") == "2026-11-25T09:28:07Z"
    assert measured.find(f"{ATOM}link").get("href") == f"{HOME}hosts.html#host-a-mac"
    assert published.findtext(f"{ATOM}title") == 'Published: One & "two"'


def test_records_are_dated_by_their_merge_and_by_their_last_cell_where_git_does_not_tell(
    placed, tmp_path, monkeypatch
):
    project, site = placed
    (site / "downloads").mkdir()
    with duckdb.connect(str(site / "downloads" / "diskbench.duckdb")) as made:
        made.execute("""
            create table cell as select unnest(['sent', 'kept']) as host, 'r' as release, timestamp '2026-06-01 10:00:00' as finished_utc;
            create table comparable_speed as select host, release, '27.0' as macos, false as made_up, 'ASIF' as format from cell;
            create table article (article text, title text, author text, published_on date)
        """)  # fmt: skip
    clone = tmp_path / "clone"

    def git(*words: str, on: str = "2026-06-02T00:00:00Z") -> None:
        monkeypatch.setenv("GIT_COMMITTER_DATE", on)
        repository.git(clone, *words)

    def save(host: str) -> None:
        record = clone / "data" / "runs" / host / "r" / "cell.json"
        record.parent.mkdir(parents=True)
        record.write_text("{}")

    save("first")
    repository.commit(clone)
    git("checkout", "--quiet", "-b", "request")
    save("sent")
    git("add", ".")
    git("commit", "--quiet", "--message", "records")
    git("checkout", "--quiet", "main")
    git("merge", "--quiet", "--no-ff", "request", on="2026-11-20T08:30:00Z")
    save("kept")

    def dated() -> dict[str, str]:
        announce(project, site)
        found = ElementTree.parse(site / "feed.xml").getroot().iter(f"{ATOM}entry")
        return {
            entry.findtext(f"{ATOM}title").partition(",")[0]: entry.findtext(f"{ATOM}updated")
            for entry in found
        }

    monkeypatch.chdir(clone)
    last_cell = "2026-06-01T10:00:00Z"
    assert dated() == {"sent": "2026-11-20T08:30:00Z", "kept": last_cell}
    # a shallow clone, as hosted runners make one: its only commit seems to add everything
    repository.git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{clone}", "shallow")
    monkeypatch.chdir(tmp_path / "shallow")
    assert dated() == {"sent": last_cell, "kept": last_cell}


@pytest.mark.parametrize(
    "told",
    [
        "example.org",
        "ftp://example.org/",
        "https://",
        "https://[",
        7,
        "https://a/?b",
        'https://a/"',
    ],
)
def test_what_is_no_address_is_refused_with_the_next_step(tmp_path, told):
    with pytest.raises(
        StudyError, match=r"site-url .* is not the address of a site.* write https://HOST/"
    ) as caught:
        address(Project(tmp_path, {"website": {"title": "tiny", "site-url": told}}))
    assert caught.value.code == ExitCode.BAD_INPUT
