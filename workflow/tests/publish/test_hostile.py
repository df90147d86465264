"""Texts of hostile records are only text on every page."""

import json
import random
import subprocess
from html.parser import HTMLParser
from urllib.parse import quote

import hostile
import pypandoc
import pytest
from chromium import DRAWN, Watched
from rendered import carried

from lib import database, engine, show
from proofs.support.web import serving

# what page.html has of its own: the switch between light and dark
OUR_HANDLERS = {"switchColours()"}
# what only a script of a record can have left, or an element that one of its texts became
FOUND = """() => ({
    ran: window.hostile ?? null,
    handlers: [...document.querySelectorAll("*")].flatMap(one => one.getAttributeNames()
        .filter(name => name.startsWith("on")).map(name => one.getAttribute(name))),
    addresses: [...document.querySelectorAll("[href], [src]")]
        .map(one => one.getAttribute("href") ?? one.getAttribute("src"))
        .filter(address => /^javascript:|^https:..hostile.invalid|^x$/i.test(address)),
})"""
LABEL = "#vg-tooltip-element.visible"
MARKS = "\\`*_~^$<>[](){}=#@!|:-+.&;'\"%/ \n\rab1"


class Elements(HTMLParser):
    """What a browser makes of a page: its elements with their attributes, its scripts, its text."""

    def __init__(self, page: str):
        super().__init__()
        self.found: list[tuple[str, dict]] = []
        self.scripts: list[str] = []
        self.texts: list[str] = []
        self.inert_texts: list[str] = []
        self.inert = False
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))
        self.inert = dict(attributes).get("type") in ("application/json", "text/plain")

    def handle_data(self, data):
        if self.cdata_elem != "script":
            self.texts.append(data)
        elif self.inert:
            held = carried(f"{self.get_starttag_text()}{data}</script>")
            self.inert_texts.append(json.dumps(held, ensure_ascii=False))
        else:
            self.scripts.append(data)

    @property
    def text(self) -> str:
        return " ".join("".join(self.texts).split())


@pytest.fixture(scope="session")
def attacked(rendered_site):
    """The site of such records."""
    return rendered_site("hostile_records")


@pytest.fixture(scope="module")
def pages(attacked) -> dict[str, Elements]:
    """Its pages, as they are in their files."""
    return {page.as_posix(): Elements(attacked.text(page)) for page in attacked.pages}


def test_no_page_has_an_element_an_attribute_or_a_script_out_of_a_record(pages):
    assert len(pages) > 15
    for name, page in pages.items():
        for tag, attributes in page.found:
            handlers = {value for key, value in attributes.items() if key.startswith("on")}
            assert handlers <= OUR_HANDLERS, (name, tag, attributes)
            for key in ("href", "src", "action", "style"):
                address = (attributes.get(key) or "").lower()
                assert not address.startswith(("javascript:", f"https://{hostile.ELSEWHERE}"))
            assert "fixed" not in (attributes.get("style") or ""), (name, tag, attributes)
        assert not [script for script in page.scripts if hostile.RAN in script], name


def test_the_attacks_are_text_on_the_page_of_hosts(pages):
    """Else the tests here look at pages that show none of them."""
    told = pages["hosts.html"].text
    for name, attack in hostile.ATTACKS.items():
        assert " ".join(database.shown(attack).split()) in told, name


def test_nothing_on_a_page_turns_the_direction_of_writing_or_is_no_character(pages):
    for name, page in pages.items():
        attributes = [value or "" for _, pairs in page.found for value in pairs.values()]
        for text in (*page.texts, *page.inert_texts, *attributes):
            assert not database.UNSHOWN.search(text), name


def test_texts_of_a_record_are_always_text_in_markdown():
    """Against pandoc itself: no link, no image, no emphasis, no mathematics, no HTML, no attribute."""
    dice = random.Random(20261121)
    texts = ["".join(dice.choices(MARKS, k=dice.randint(1, 40))) for _ in range(3000)]
    texts += [attack for attack in hostile.ATTACKS.values() if attack.isprintable()]
    markdown = "\n\n".join(f"w {put(text)} w" for text in texts for put in (show.plain, show.code))
    told = subprocess.run(
        [pypandoc.get_pandoc_path(), "--from=markdown", "--to=json"],
        input=markdown,
        capture_output=True,
        text=True,
        check=True,
    )
    blocks = json.loads(told.stdout)["blocks"]
    assert len(blocks) == 2 * len(texts)
    for block in blocks:
        assert block["t"] == "Para", block
        _only_words(block["c"])


def _only_words(inlines: list) -> None:
    for inline in inlines:
        assert inline["t"] in {"Str", "Space", "Code", "Quoted"}, inline
        if inline["t"] == "Code":
            assert inline["c"][0] == ["", [], []], inline
        if inline["t"] == "Quoted":
            _only_words(inline["c"][1])


def test_no_command_of_quarto_is_left_in_the_words_of_a_record():
    for text in ("{{< env HOME >}}", "a `{{< env HOME >}}` b", "`{{< include x >}}`{=html}"):
        assert "{{<" not in show.plain(text)
        assert "{{<" not in show.code(text)
        assert "{{<" not in show.in_script({"title": text})


@pytest.fixture
def opened(browser, attacked):
    """Opens pages; in the end none has said a word, shown a window or asked another host."""
    context = browser.new_context(accept_downloads=True)
    with serving(attacked.folder) as served:
        pages = []

        def open_page(address: str):
            page = context.new_page()
            pages.append(Watched(page, served))
            page.goto(f"{served}/{address}")
            return page

        yield open_page
        context.close()
        for watched in pages:
            watched.was_quiet()


@pytest.fixture
def queried(opened):
    """Opens the page of queries, where there is an engine: it is made with the first site."""
    if engine.made() is None:
        pytest.skip("no SQL engine: connect npm, run again")
    return opened


def _harmless(page) -> None:
    found = page.evaluate(FOUND)
    assert found["ran"] is None, page.url
    assert set(found["handlers"]) <= OUR_HANDLERS, page.url
    assert found["addresses"] == [], page.url


@pytest.mark.slow
def test_no_page_of_records_does_anything_in_a_browser(opened, attacked):
    for file in attacked.pages:
        page = opened(file.as_posix())
        page.wait_for_function(DRAWN)
        for box in page.query_selector_all(".chart svg"):
            assert box.query_selector_all("script, image, foreignObject") == []
        _harmless(page)
        page.close()


def test_the_page_of_queries_shows_and_saves_such_texts_as_they_are(queried):
    sql = "select reason, warning, 1 as n from cell join warning using (cell) where length(warning) < 1000"
    page = queried(f"query.html#q={quote(sql)}")
    page.wait_for_selector("#query-result tbody tr")
    cells = page.locator("#query-result td").all_inner_texts()
    assert any(hostile.ATTACKS["element"] in cell for cell in cells)
    _harmless(page)
    with page.expect_download() as download:
        page.get_by_role("button", name="Download all rows as CSV").click()
    text = download.value.path().read_text(encoding="utf-8")
    # as it is: see reports/manual/security.qmd
    assert f"\n{hostile.ATTACKS['formula']}," in text


def test_the_label_of_a_mark_loads_no_image_and_is_not_markup(queried):
    title = '<img src=x onerror="window.hostile = 1">'
    sql = f"""select 1 as n, 2 as "{title.replace('"', '""')}",
        'https://{hostile.ELSEWHERE}/{title}' as image""".replace("#", "")
    page = queried("query.html")
    page.evaluate(
        "sql => { location.hash = `q=${encodeURIComponent(sql)}&chart=point,n,n,image`; }", sql
    )
    page.wait_for_selector("#chart-result.drawn")
    page.locator("#chart-result .mark-symbol path").first.hover()
    page.wait_for_selector(LABEL)
    assert hostile.ELSEWHERE in page.locator(LABEL).inner_text()
    assert page.locator(f"{LABEL} img").count() == 0
    _harmless(page)
