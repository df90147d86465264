"""The search of the plain renderer: whole sections by the beginnings of their words, also from the disk."""

import json
import re

import pytest

from publish import search

PAGE = """<nav><h2>Left out</h2></nav><main id="main"><h1>Space on disk</h1><p>How much?</p><script>let no</script>
<h2 id="after">After <code>compact</code></h2><table><tr><td>RAW</td><td>9&nbsp;GB</td></tr></table></main><p>the foot</p>"""


def sections(pages: dict[str, str]) -> list[list[str]]:
    [told] = re.fullmatch(r"diskbenchSearch\((.*)\);\n", search.index(pages)).groups()
    return json.loads(told)


def test_each_section_has_its_address_and_the_words_below_its_heading():
    assert sections({"more/space.html": PAGE}) == [
        ["more/space.html", "Space on disk", "", "How much?"],
        ["more/space.html#after", "Space on disk", "After compact", "RAW 9 GB"],
    ]


def test_every_page_and_heading_can_be_found(site):
    text = (site.folder / search.INDEX).read_text(encoding="utf-8")
    found = json.loads(text.removeprefix("diskbenchSearch(").removesuffix(");\n"))
    assert {address.partition("#")[0] for address, *_ in found} == {
        str(page) for page in site.pages
    }
    for page in site.pages:
        ids = set(re.findall(r'<h[23][^>]* id="([^"]+)"', site.text(page)))
        assert {f"{page}#{one}" for one in ids} <= {address for address, *_ in found}, page


@pytest.fixture(scope="module")
def opened(browser, site):
    """A page of a folder of the site, opened from the disk."""
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.goto((site.folder / "articles" / "encryption-2026.html").as_uri())
    return page


def found(page, typed: str) -> list[str]:
    """The names of the sections that are found."""
    page.get_by_role("searchbox").fill(typed)
    page.wait_for_function("document.querySelector('.search [role=status]').textContent")
    return page.locator(".search li b").all_inner_texts()


def test_a_section_is_found_by_its_heading_from_the_disk_and_leads_there(opened):
    assert found(opened, "attach without mount")[0] == (
        "Repairing a disk image: Step 4: attach it without mounting, and repair the file system"
    )
    opened.locator(".search li a").first.click()
    assert opened.url.endswith(
        "/articles/repair-2026.html#step-4-attach-it-without-mounting-and-repair-the-file-system"
    )
    opened.go_back()
    # a page comes before those that only mention it
    assert found(opened, "methods")[0].startswith("Methods")


def test_every_word_must_be_found_and_accents_and_case_do_not_count(opened):
    several = found(opened, "ASIF")
    assert found(opened, "\u00e0sif") == several != []
    assert found(opened, "asif qqqq") == []
    assert opened.locator(".search [role=status]").inner_text() == "No sections"
    # small words alone, and names with marks in them
    assert found(opened, "how") != []
    assert found(opened, "performance-2024") != []
    assert found(opened, "26.4") != []
    assert found(opened, "26x4") == []


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("how fast is ASIF encrypted", "Which macOS disk image is fastest?"),
        ("convert sparsebundle on Linux", "Disk images without a Mac: Convert"),
        ("why no verdict", "Methods: Verdict"),
    ],
)
def test_a_question_in_words_finds_its_answer(opened, typed, name):
    assert name in found(opened, typed)[:3]


def test_of_many_sections_the_number_shown_is_said_too(opened):
    """Who hears the number but sees no list would look for all of them."""
    shown = found(opened, "ASIF")
    said = opened.locator(".search [role=status]").inner_text()
    assert re.fullmatch(rf"\d+ sections, {len(shown)} shown", said)


def test_escape_closes_what_was_found(opened):
    found(opened, "asif")
    opened.keyboard.press("Tab")
    opened.keyboard.press("Escape")
    assert opened.locator(".search li").count() == 0
    assert opened.evaluate("document.activeElement.type") == "search"
