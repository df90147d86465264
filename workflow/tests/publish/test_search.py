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


def test_a_term_of_a_glossary_is_a_heading_and_a_heading_without_an_address_is_none():
    text = """<main><h1>Methods</h1><h2 id="glossary">Glossary</h2><dl><dt>Run</dt><dd>One repeat.</dd>
    <dt>Scale</dt><dd>How much?</dd></dl><h2 id="more">More</h2><h3>Aside</h3><p>Text</p>
    <dl class="facts"><dt>Chip</dt><dd>M4</dd></dl></main>"""
    assert sections({"a.html": text}) == [
        ["a.html", "Methods", "", ""],
        ["a.html#glossary", "Methods", "Glossary", ""],
        ["a.html#glossary", "Methods", "Run", "One repeat."],
        ["a.html#glossary", "Methods", "Scale", "How much?"],
        ["a.html#more", "Methods", "More", "Aside Text Chip M4"],
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


@pytest.mark.parametrize("width", [320, 700, 1100])
def test_the_field_fits_beside_the_links_to_pages(opened, width):
    opened.set_viewport_size({"width": width, "height": 900})
    opened.reload()
    if opened.locator(".fold-pages").is_visible():
        opened.locator(".fold-pages").click()
    field = opened.get_by_role("searchbox").bounding_box()
    for link in opened.locator(".bar nav > ul > li").all():
        box = link.bounding_box()
        apart = box["x"] + box["width"] <= field["x"] or field["y"] + field["height"] <= box["y"]
        assert apart, (link.inner_text(), box, field)
    assert opened.evaluate("document.documentElement.scrollWidth") <= width


def test_what_both_renderers_share_has_no_search_as_quarto_has_its_own(published_site):
    site = published_site
    mentions = [
        file.relative_to(site.folder).as_posix()
        for file in site.folder.glob("assets/**/*.js")
        if "diskbenchSearch" in file.read_text(encoding="utf-8")
    ]
    assert sorted(mentions) == [search.INDEX, "assets/search.js"]
    # both of which only the plain renderer copies or makes
    header = site.folder.parent / "assets" / "header.html"
    assert "search" not in header.read_text(encoding="utf-8")
    assert not (site.folder.parent / "assets" / "search.js").exists()
