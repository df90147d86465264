"""Each verdict on records of others names who measured."""

import re
from html.parser import HTMLParser

import pytest
from rendered import text

import voucher
from lib import hosts, words
from proofs.support import macs

MAC = "mac-mini-m4-pro"
RELEASES = ("macos-26.3.1-25D2128", "macos-27.0-26A5300")  # that of an article, and the newest
SENT = "sent by the community"
# pages with verdicts on figures of Macs
PAGES = ("index", "releases", "encryption", "space", "articles/encryption-2026")
# of verdicts, and of the sentences that are made from them
VERDICTS = re.compile(
    r"\b(faster|slower|no change shown|became|reproduced|larger|smaller|too few runs|supported"
    r"|contradicted|another release|not comparable|inconclusive|depends on the statistic"
    r"|use a|keeps)\b"
)


@pytest.fixture(scope="module")
def community(built, rendered_site):
    """The pages, where all that was measured was measured by somebody else."""
    records = [one for one in macs.made([MAC], RELEASES) if one["cell"]["scale"] == "gold"]
    database = built("community", records, {MAC: voucher.COMMUNITY})
    return rendered_site(database, *(f"{page}.qmd" for page in PAGES))


@pytest.mark.parametrize("page", PAGES)
def test_each_verdict_that_the_communitys_records_change_says_so(page, published_site, community):
    shown = set(blocks(community, page)) - set(blocks(published_site, page))
    judged = [block for block in shown if VERDICTS.search(block)]
    assert any(SENT in block for block in judged)
    assert "\n".join(block for block in judged if SENT not in block) == ""


@pytest.mark.parametrize("page", PAGES)
def test_the_projects_own_records_are_not_said_to_be_somebody_elses(page, site):
    assert not any(SENT in block for block in blocks(site, page))


def blocks(site, page):
    parser = Blocks()
    parser.feed(site.text(f"{page}.html").split("<main")[1])
    return parser.blocks


class Blocks(HTMLParser):
    """Paragraphs, items of lists, and rows of tables, each row with what stands above it.

    The notes of a table explain its letters, and are no verdicts.
    """

    def __init__(self) -> None:
        super().__init__()
        self.blocks: list[str] = []
        self.caption = self.heading = ""
        self.open: list[tuple[str, list[str]]] = []
        self.is_in_notes = False

    def handle_starttag(self, tag: str, attributes: list) -> None:
        if tag == "ol":
            self.is_in_notes = ("class", "notes") in attributes
        if tag in ("p", "li", "tr", "caption", "summary"):
            kind = "heading" if ("class", "heading") in attributes else tag
            self.open.append((kind, []))
        if tag == "table":
            self.caption = self.heading = ""

    def handle_endtag(self, tag: str) -> None:
        self.is_in_notes &= tag != "ol"
        if not self.open or tag not in ("p", "li", "tr", "caption", "summary"):
            return
        kind, parts = self.open.pop()
        text = " ".join("".join(parts).split())
        if kind == "caption":
            self.caption = text
        elif kind == "heading":
            self.heading = text
        elif kind == "tr":
            self.blocks.append(f"{self.caption} | {self.heading} | {text}")
        elif not self.is_in_notes:
            self.blocks.append(text)

    def handle_data(self, data: str) -> None:
        for _, parts in self.open:
            parts.append(f"{data} ")


@pytest.mark.parametrize(("by", "marked"), [("own", False), ("community", True)])
def test_the_page_of_hosts_says_who_sent_the_records_of_a_machine(
    made_up, changed, asked, by, marked
):
    asked(changed(made_up, f"update host set vouched_by = '{by}'"))
    assert text(hosts.facts(MAC)).count(f" UTC, {SENT}</dd>") == marked


@pytest.mark.parametrize(
    ("by", "said"),
    [
        ([], ""),
        ([None, "own"], ""),
        (["community", "community"], SENT),
        (["own", "community"], f"in part {SENT}"),
        (["community and own"], f"in part {SENT}"),
        (["community", "hosted runner"], f"{SENT} and measured on a hosted runner"),
    ],
)
def test_of_several_rows_it_is_said_of_all_or_of_a_part(by, said):
    assert words.vouched(by) == said
