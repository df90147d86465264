"""Adds a feed of results and previews of links to a rendered site.

It runs after either renderer, so that both sites have them. Absolute addresses need the site's own,
`site-url` of `website` in `_quarto.yml`.
"""

import re
import uuid
from datetime import UTC, datetime
from html import escape
from pathlib import Path

import duckdb

import vocabulary
from console import ExitCode, StudyError
from places import git
from publish.project import Project
from record import RUNS

FEED = "feed.xml"
DATABASE = Path("downloads") / "diskbench.duckdb"
PICTURE = Path("assets") / "site.png"
LOST = "404.html"  # servers show the 404 page at any address
ADDRESS = re.compile(r'https?://\w[\w.-]*(:\d+)?(/[^\s"<>&?#\\]*)?')
# relative addresses in a page; Quarto's 404 page has none
RELATIVE = re.compile(r'((?:href|src|data-root)=")(?![a-z]+:|[#/])')
# characters that XML cannot contain but texts of records can
UNFIT = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
DESCRIPTION = re.compile(r'<meta name="description" content="([^"]*)"')
TITLE = re.compile(r"<title>(.*?)</title>", re.DOTALL)

RESULTS = """
with finished as (
    select host, release, max(finished_utc) as finished
    from cell
    group by all
)

select
    host, min(macos) as version, bool_or(made_up) as made_up, count(*) as speeds,
    list_distinct(list(format)) as formats, min(finished) as finished, release
from comparable_speed
inner join finished using (host, release)
group by host, release
order by finished, host, release
"""
ARTICLES = """
select article, title, author, published_on
from article
where published_on is not null
order by published_on, article
"""


def address(project: Project) -> str | None:
    """The site's own address, ending in `/`; empty if not configured."""
    told = project.settings["website"].get("site-url")
    if told is None:
        return None
    if not ADDRESS.fullmatch(str(told)):
        line = f"site-url in {project.folder / '_quarto.yml'} is not the address of a site: {told}"
        raise StudyError(ExitCode.BAD_INPUT, f"{line}; write https://HOST/, or remove it")
    return f"{told.rstrip('/')}/"


def announce(project: Project, site: Path) -> None:
    """Write them into the folder of a rendered site."""
    home = address(project)
    feed = (site / DATABASE).is_file()
    if feed:
        (site / FEED).write_text(_feed(project.title, site / DATABASE, home), encoding="utf-8")
    for page in (page.with_suffix(".html").as_posix() for page in project.pages()):
        file = site / page
        if not file.is_file():
            continue
        text = file.read_text(encoding="utf-8")
        text = text.replace("</head>", _head(project, page, text, home, feed), 1)
        if home and page == LOST:
            text = RELATIVE.sub(rf"\1{home}", text)
        file.write_text(text, encoding="utf-8")


def _head(project: Project, page: str, text: str, home: str | None, feed: bool) -> str:
    """The last elements of a page's head: preview of links, and address of the feed."""
    title, description = (
        found[1] if (found := one.search(text)) else "" for one in (TITLE, DESCRIPTION)
    )
    properties = {
        "type": "website",
        "site_name": escape(project.title),
        "title": title.strip(),
        "description": description,
    }
    if home:
        properties |= {"url": f"{home}{page}", "image": f"{home}{PICTURE.as_posix()}"}
    lines = [
        f'<meta property="og:{name}" content="{content}">'
        for name, content in properties.items()
        if content
    ]
    if feed:
        root = "../" * page.count("/")
        kind = f'type="application/atom+xml" title="{escape(project.title)}: results"'
        lines.append(f'<link rel="alternate" {kind} href="{root}{FEED}">')
    return "\n".join([*lines, "</head>"])


def _feed(title: str, database: Path, home: str | None) -> str:
    """An Atom feed (RFC 4287), newest first; links are relative to it if `home` is empty."""
    committed = _committed()
    with duckdb.connect(str(database), read_only=True) as connection:
        entries = [
            *(_measured(*row, committed) for row in connection.execute(RESULTS).fetchall()),
            *(_published(*row) for row in connection.execute(ARTICLES).fetchall()),
        ]
    entries.sort(key=lambda entry: entry[0], reverse=True)
    base = home or ""
    newest = entries[0][0] if entries else "1970-01-01T00:00:00Z"
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<feed xmlns="http://www.w3.org/2005/Atom">',
        f"<title>{escape(title)}: results</title>",
        f"<id>{_identity('feed')}</id>",
        f"<updated>{newest}</updated>",
        f"<author><name>{escape(title)}</name></author>",
        f'<link href="{base}index.html"/>',
        *([f'<link rel="self" href="{base}{FEED}"/>'] if home else []),
    ]
    for updated, identity, page, what, told in entries:
        lines += [
            "<entry>",
            f"<title>{_text(what)}</title>",
            f"<id>{_identity(identity)}</id>",
            f"<updated>{updated}</updated>",
            f'<link href="{base}{escape(page)}"/>',
            f"<summary>{_text(told)}</summary>",
            "</entry>",
        ]
    return "\n".join([*lines, "</feed>", ""])


def _committed() -> dict[tuple[str, ...], datetime]:
    """When the last record of each host and release was committed or merged, if it was.

    Readers learn of records then, which may be months after they were measured.
    """
    told = git(
        *("log", "--first-parent", "-m", "--diff-filter=A", "--name-only"),
        "--min-parents=1",  # a shallow clone begins with a commit that seems to add every file
        "--format=/%ct",
        *("--relative", "--", "*.json"),
        project=RUNS,
    )
    found: dict[tuple[str, ...], datetime] = {}
    for line in told.splitlines():
        if line.startswith("/"):
            moment = datetime.fromtimestamp(int(line[1:]), UTC)
        elif line:
            found.setdefault(tuple(line.split("/")[:2]), moment)
    return found


def _measured(
    host: str,
    version: str,
    made_up: bool,
    speeds: int,
    formats: list[str],
    finished: datetime,
    release: str,
    committed: dict[tuple[str, ...], datetime],
) -> tuple[str, ...]:
    name = vocabulary.HOSTS.get(host, {}).get("name", host)
    listed = ", ".join(
        words["name"] for slug, words in vocabulary.FORMATS.items() if slug in formats
    )
    mark = "Synthetic: " if made_up else ""
    return (
        f"{committed.get((host, release), finished):%Y-%m-%dT%H:%M:%SZ}",
        f"measured/{host}/{release}",
        f"hosts.html#host-{host}",
        f"{mark}{name}, macOS {version}, measured",
        f"{speeds} speeds that compare with published ones: {listed}.",
    )


def _published(article: str, title: str, author: str, on: datetime) -> tuple[str, ...]:
    return (
        f"{on:%Y-%m-%d}T00:00:00Z",
        f"published/{article}",
        f"articles/{article}.html",
        f"Published: {title}",
        f"What the article by {author} states, beside what was measured since.",
    )


def _text(of_record: str) -> str:
    return escape(UNFIT.sub("\ufffd", of_record))


def _identity(name: str) -> str:
    """An id that is the same on every site, so that feed readers show no entry twice."""
    return uuid.uuid5(uuid.NAMESPACE_URL, f"diskbench:{name}").urn
