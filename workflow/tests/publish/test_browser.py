"""The rendered pages in a real browser: light and dark, on a desktop and on a phone."""

import pytest
from chromium import DRAWN, Watched, has_axe, serious
from rendered import data_pages

from proofs.support.web import serving

WIDTHS = {1440: 900, 390: 844}
# with records of every kind on a telephone by night and on a desktop by day; without any, on a telephone
VIEWS = [
    ("made_up", 390, "dark"),
    *(
        pytest.param(*view, marks=pytest.mark.slow)
        for view in (
            ("made_up", 1440, "light"),
            ("published_only", 390, "light"),
        )
    ),
]
# a page of each kind: with its own fields, charts, folds, or text alone
KINDS = ("index", "query", "files", "releases", "articles/encryption-2026", "manual/images", "404")
# numbers everything that the keyboard should reach, and gives how many there are
FOCUSABLE = """() => {
    const all = "a[href], button, summary, input, select, textarea, [tabindex='0'], [contenteditable=true]";
    const stops = [...document.querySelectorAll(all)].filter(one => !one.disabled && one.tabIndex >= 0
        && one.checkVisibility({visibilityProperty: true, contentVisibilityAuto: true}));
    stops.forEach((one, number) => { one.dataset.stop = number; });
    return stops.length;
}"""
# on a narrow page each cell has its heading beside it: those that are higher than their cell, into the next one
HIGHER = """[...document.querySelectorAll('table.wide td')].map(cell => [
    parseFloat(getComputedStyle(cell, '::before').height), cell.getBoundingClientRect().height, cell.dataset.heading
]).filter(([heading, cell]) => heading > cell)"""
# lists to choose from that a finger would miss: WCAG 2.2, target size
LOW = """[...document.querySelectorAll('select')].filter(one => one.checkVisibility())
    .map(one => one.getBoundingClientRect().height).filter(height => height < 24)"""
LONGEST_NAME = "m" * 64  # `maxLength` of a slug in workflow/schemas/study.schema.json
# puts one name for another in all texts, and counts them
RENAMED = """([before, after]) => {
    const texts = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
    let count = 0;
    while (texts.nextNode()) {
        const text = texts.currentNode;
        if (text.parentNode.localName === 'script' || !text.data.includes(before)) continue;
        text.data = text.data.replaceAll(before, after);
        count += 1;
    }
    return count;
}"""
PAPER = 688  # pixels: A4 between the margins of @page in site.css
# What Quarto puts around the same text: its names, and those of its rules that matter here (`_quarto-rules.scss` and
# `_bootstrap-rules.scss` of its version 1.9).
FRAMED = """() => {
    document.querySelector('link[href$="plain.css"]').remove();
    document.querySelectorAll('.bar, .skip, #TOC, .foot').forEach(one => one.remove());
    const main = document.querySelector('main');
    main.className = 'content';
    main.querySelectorAll('table').forEach(table => table.classList.add('table'));
    document.body.style.paddingTop = '65px';
    document.body.innerHTML = `<header id="quarto-header" class="fixed-top"><nav>Start</nav></header>
        <div id="quarto-content" class="page-columns"><div id="quarto-margin-sidebar"><nav id="TOC">On this page</nav></div>
        ${main.outerHTML}</div>`;
    const style = document.createElement('style');
    style.textContent = `body { margin: 0; font-size: 1rem; }
        body.quarto-dark { background: #14181c; color: #dde2e7; }
        #quarto-header { position: fixed; height: 65px; }
        .page-columns { display: grid; grid-template-columns: 1.5em minmax(500px, 902px) 1.5em minmax(0, 250px); }
        .page-columns .content { grid-column: 2; }
        #quarto-margin-sidebar { grid-column: 4; }
        code, pre > code.sourceCode { white-space: pre; }
        div.sourceCode { overflow-y: hidden; }
        .table { width: 100%; }`;
    document.head.prepend(style);
}"""
# what stands beyond the text's edge, or is cut off in a box
CUT = """() => {
    const edge = document.querySelector('main').getBoundingClientRect().right + 1;
    return [...document.querySelectorAll('main :is(th, td, pre, svg, .callout, p)')]
        .filter(one => one.checkVisibility({contentVisibilityAuto: true}))
        .filter(one => one.getBoundingClientRect().right > edge
            || (one.localName === 'pre' && one.scrollWidth > one.clientWidth + 1))
        .map(one => `${one.localName} ${one.textContent.slice(0, 40)}`);
}"""

# words and figures of a chart that reach beyond it or end in dots; the name of a stand-in is long
CUT_WORDS = """[...document.querySelectorAll('.chart svg')].flatMap(svg => {
    const edge = svg.getBoundingClientRect().right + 1;
    return [...svg.querySelectorAll('text')]
        .filter(word => word.getAttribute('opacity') !== '0' && !word.textContent.startsWith('stand-in-'))
        .filter(word => word.getBoundingClientRect().right > edge || word.textContent.includes('\u2026'))
        .map(word => `${svg.closest('.chart').id}: ${word.textContent}`);
})"""
# releases below a chart that are hidden, or lie over the next one
COVERED = r"""[...document.querySelectorAll('[id^=chart-ma] .role-axis-label')].flatMap(axis => {
    const words = [...axis.querySelectorAll('text')].filter(word => /^\d\d\.\d/.test(word.textContent));
    const boxes = words.map(word => word.getBoundingClientRect());
    return words.filter((word, at) => word.getAttribute('opacity') === '0'
        || boxes[at].y === boxes[at + 1]?.y && boxes[at].right > boxes[at + 1].x && !word.getAttribute('transform').includes('rotate'))
        .map(word => `${word.closest('.chart').id}: ${word.textContent}`);
})"""


@pytest.mark.parametrize(("name", "width", "scheme"), VIEWS)
def test_every_page_is_quiet_whole_and_fits(browser, rendered_site, name, width, scheme):
    """No console message, no request to another host, every chart drawn, nothing wider than the page.

    Neither with the longest name that a machine can have.
    """
    site = rendered_site(name)
    viewport = {"width": width, "height": WIDTHS[width]}
    context = browser.new_context(viewport=viewport, color_scheme=scheme)
    # the manual is the same whatever was measured
    pages = site.pages if name == "made_up" else data_pages(site.pages)
    renamed = 0
    with serving(site.folder) as served:
        for file in pages:
            page = context.new_page()
            watched = Watched(page, served)
            page.goto(f"{served}/{file.as_posix()}")
            drawn = _charts(page)
            watched.was_quiet()
            assert page.evaluate("document.body.className") == f"quarto-{scheme}", file
            assert all(marks > 0 for marks in drawn.values()), (file, drawn)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, file
            assert page.evaluate(HIGHER) == [], file
            assert page.evaluate(CUT_WORDS) == [], file
            assert page.evaluate(COVERED) == [], file
            assert page.evaluate(LOW) == [], file
            for box in page.query_selector_all(".chart svg"):
                assert box.bounding_box()["width"] <= width, file
            # by night, where the colours are others, of a page of each kind
            judged = scheme == "light" or file.with_suffix("").as_posix() in KINDS
            if judged and name == "made_up" and has_axe():
                assert serious(page) == [], file
            renamed += page.evaluate(RENAMED, ["linux-box", LONGEST_NAME])
            assert page.evaluate("document.documentElement.scrollWidth") <= width, file
            page.close()
    context.close()
    assert bool(renamed) == (name == "made_up")
    if name == "made_up" and not has_axe():
        pytest.skip("axe-core could not be fetched: all but accessibility was checked")


def test_tables_are_no_wider_than_a_phone(browser, published_site):
    page = browser.new_page(viewport={"width": 390, "height": 844})
    for name, fewest in (
        ("articles/explainer-2026", 4),
        ("articles/repair-2026", 3),
        ("methods", 12),
    ):
        page.goto((published_site.folder / f"{name}.html").as_uri())
        hidden = page.evaluate(
            """() => {
                document.querySelectorAll('details').forEach(fold => { fold.open = true; });
                return [...document.querySelectorAll('.table-box, table:not(.table-box *, .cell-output *)')]
                    .map(part => part.scrollWidth - part.clientWidth);
            }"""
        )
        assert len(hidden) >= fewest, name
        assert set(hidden) == {0}, name
    page.close()


def test_with_forced_colours_a_chart_has_the_colour_of_its_own_page_behind_it(
    browser, published_site
):
    context = browser.new_context(forced_colors="active", color_scheme="dark")
    page = context.new_page()
    page.goto((published_site.folder / "encryption.html").as_uri())
    _charts(page)
    behind = "getComputedStyle(document.querySelector('.chart')).backgroundColor"
    assert page.evaluate(behind) == "rgb(20, 24, 28)"
    page.get_by_role("button", name="Switch between light and dark").press("Enter")
    assert page.evaluate(behind) == "rgb(255, 255, 255)"
    context.close()


@pytest.mark.slow
def test_the_keyboard_reaches_everything(browser, site):
    """Tab comes to every link, button, field and fold that can be seen, and leaves each of them."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    with serving(site.folder) as served:
        for file in KINDS:
            page = context.new_page()
            page.goto(f"{served}/{file}.html")
            _charts(page)
            count = page.evaluate(FOCUSABLE)
            reached = set()
            for _ in range(2 * count + 5):  # a browser stops at more: at what it can scroll
                page.keyboard.press("Tab")
                reached.add(page.evaluate("document.activeElement?.dataset.stop"))
                if len(reached - {None}) == count:
                    break
            missed = [str(stop) for stop in range(count) if str(stop) not in reached]
            assert missed == [], (
                file,
                page.evaluate(f"document.querySelector('[data-stop=\"{missed[0]}\"]').outerHTML"),
            )
            page.close()
    context.close()


def _charts(page) -> dict[str, int]:
    """How many marks each chart has, once all are drawn."""
    page.wait_for_function(DRAWN)
    return page.evaluate(
        """() => Object.fromEntries([...document.querySelectorAll('.chart')].map(chart => [
            chart.id,
            chart.querySelectorAll('.mark-rect path, .mark-symbol path, .mark-line path').length,
        ]))"""
    )


def test_the_choice_of_colours_is_remembered_and_charts_follow(browser, published_site):
    context = browser.new_context(color_scheme="light")
    page = context.new_page()
    with serving(published_site.folder) as served:
        page.goto(f"{served}/articles/encryption-2026.html")
        _charts(page)
        colour = "getComputedStyle(document.querySelector('#chart-cost-write .role-title-text text')).fill"
        light = page.evaluate(colour)
        page.keyboard.press("Tab")  # the link past the navigation
        page.get_by_role("button", name="Switch between light and dark").press("Enter")
        page.wait_for_function(f"{colour} !== '{light}'")
        page.goto(f"{served}/hosts.html")
        assert page.evaluate("document.body.className") == "quarto-dark"
    context.close()


def test_what_is_folded_away_is_there_when_it_is_opened_and_on_paper(browser, site):
    page = browser.new_page()
    page.goto((site.folder / "hosts.html").as_uri())
    hidden = """[...document.querySelectorAll('table')].filter(
        table => !table.checkVisibility({contentVisibilityAuto: true})).length"""
    folded = page.evaluate("document.querySelectorAll('details.fold table').length")
    assert page.evaluate(hidden) == folded > 0
    page.emulate_media(media="print")
    assert page.evaluate(hidden) == 0
    page.emulate_media(media="screen")
    for fold in page.query_selector_all("details.fold > summary"):
        fold.press("Enter")
    assert page.evaluate(hidden) == 0
    page.close()


@pytest.mark.slow
def test_paper_is_light_and_nothing_is_cut_off(browser, site):
    """Printed from a dark page as from a light one, by either renderer."""
    viewport = {"width": PAPER, "height": 1000}
    context = browser.new_context(viewport=viewport, color_scheme="dark")
    with serving(site.folder) as served:
        for file in site.pages:
            page = context.new_page()
            page.goto(f"{served}/{file.as_posix()}")
            page.emulate_media(media="print")
            _is_fit_for_paper(page, file)
            page.evaluate(FRAMED)
            _is_fit_for_paper(page, file)
            page.close()
    context.close()


def _is_fit_for_paper(page, file) -> None:
    """Dark on white, a column as wide as the paper, without what only a screen needs."""
    assert page.evaluate(CUT) == [], file
    text = page.locator("main").bounding_box()
    assert text["width"] >= PAPER - 50, file
    assert text["y"] <= 50, file
    for screen_only in (".bar", "#TOC", "p.sources", "#quarto-header", "#quarto-margin-sidebar"):
        assert page.locator(screen_only).filter(visible=True).count() == 0, screen_only
    colours = page.evaluate(
        "[getComputedStyle(document.body), getComputedStyle(document.querySelector('main'))]"
        ".map((style, at) => at ? style.color : style.backgroundColor)"
    )
    assert colours == ["rgb(255, 255, 255)", "rgb(35, 41, 47)"], file
