"""The page `query`, used as a person would: typed, run, read back, downloaded, linked, cancelled."""

import csv
import gzip
import io
import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, urlsplit

import duckdb
import pytest
from chromium import has_axe, serious
from query_page import Used, new_page
from rendered import shapes

from lib import engine, examples, links
from proofs.support.web import serving

SPEEDS = """select host, format, encryption, op, theil_sen_gbps
from measured_speed where status = 'measured' and repeat = 1
order by cell, op"""
VALUES = """select
    9007199254740993::bigint as big, 170141183460469231731687303715884105727::hugeint as huge,
    1.50::decimal(5, 2) as exact, 0.1::double as near, 'a "b", c' as words, '' as empty, null as nothing,
    [1, null, 3] as listed, {'a': 1, 'b': 'x'} as named, date '2026-03-29' as day,
    timestamp '2026-03-29 02:30:00.123456' as moment,
    timestamptz '2026-03-29 02:30:00+02' as zoned, true as yes, 'two' || chr(10) || 'lines' as lines"""


@pytest.fixture(scope="module")
def folder(site) -> Path:
    """The folder of the site with a few records of every kind."""
    if not engine.made():
        pytest.skip("npm reached no registry, so there is no SQL engine: connect it, run again")
    return site.folder


@pytest.fixture(scope="module")
def served(folder) -> Iterator[str]:
    """The site below a path of its own, as on pages of a project."""
    with serving(folder.parent) as address:
        yield f"{address}/{folder.name}/query.html"


@pytest.fixture
def use(browser) -> Iterator:
    """Opens pages; in the end none has said a word or asked another host for anything."""
    pages = []

    def opened(address: str, **options) -> Used:
        pages.append(new_page(browser, address, **options))
        return pages[-1]

    yield opened
    for used in pages:
        used.page.context.close()
        used.was_quiet()


@pytest.fixture(scope="module")
def one_page(browser, served) -> Used:
    return new_page(browser, served)


@pytest.fixture
def used(one_page) -> Iterator[Used]:
    """The page with an engine that runs already; what earlier tests asked is gone."""
    yield one_page
    one_page.was_quiet()


def as_text(database: Path, sql: str) -> list[tuple]:
    """The rows of a query, each value as DuckDB writes it."""
    with duckdb.connect(str(database), read_only=True) as connection:
        connection.execute("set timezone = 'UTC'")
        connection.execute(f"create temp table result as {sql}")
        return connection.execute("select columns(*)::varchar from result").fetchall()


def test_a_new_page_has_the_first_example_and_nothing_of_the_engine(use, served):
    used = use(served)
    assert used.page.locator("#query-sql").input_value() == examples.EXAMPLES[0].sql
    used.page.wait_for_load_state("networkidle")
    assert [url for url in used.asked if "duckdb" in url or "engine-" in url] == []


def test_a_typed_query_shows_the_rows_of_the_database(used, made_up):
    used.run(SPEEDS)
    expected = as_text(made_up, SPEEDS)
    assert used.columns == ["host", "format", "encryption", "op", "theil_sen_gbps"]
    assert used.rows == expected
    assert used.status.startswith(f"{len(expected)} rows, 5 columns, in ")
    # values of every kind read as in DuckDB
    used.run(VALUES)
    assert used.rows == as_text(made_up, VALUES)
    right = used.page.locator("#query-result tbody td.number").all_inner_texts()
    assert right == ["9007199254740993", str(2**127 - 1), "1.50", "0.1", "null"]


@pytest.mark.parametrize("sql", [VALUES, "from sample"])
def test_the_csv_file_has_all_rows_as_duckdb_writes_them(used, made_up, tmp_path, sql):
    used.run(sql)
    with duckdb.connect(str(made_up), read_only=True) as connection:
        connection.execute("set timezone = 'UTC'")
        connection.execute(f"copy ({sql}) to '{tmp_path}/expected.csv' (header)")
        [(count,)] = connection.execute(f"select count(*) from ({sql})").fetchall()
    text = used.csv()
    expected = (tmp_path / "expected.csv").read_text(encoding="utf-8")
    assert list(csv.reader(io.StringIO(text))) == list(csv.reader(io.StringIO(expected)))
    assert len(used.rows) == min(count, 1000)
    assert ("the first 1,000 are shown" in used.status) == (count > 1000)


def test_a_link_carries_the_query_and_its_chart(used, use):
    used.run(SPEEDS)
    used.page.select_option("#query-chart-mark", "point")
    used.page.select_option("#query-chart-color", label="op")
    used.page.get_by_role("button", name="Copy a link to this query").click()
    used.page.wait_for_function(
        "document.querySelector('#query-status').textContent.includes('copied')"
    )
    link = used.page.evaluate("navigator.clipboard.readText()")
    assert "#s=" in link
    again = use(link).done()
    assert again.rows == used.rows
    assert (
        again.page.evaluate("document.querySelector('#query-chart-color').selectedOptions[0].text")
        == "op"
    )
    assert again.marks() == len([row for row in used.rows if row[-1]])


def test_a_link_from_another_page_opens_and_runs(use, served, made_up):
    sql = (
        "select format, 100 % 7 as \"rest & more\", '#+é😀' as s\nfrom published_speed order by all"
    )
    used = use(served.replace("query.html", links.rows(sql))).done()
    assert used.rows == as_text(made_up, sql)
    assert used.page.locator(".cm-content").inner_text() == sql
    # and so does another link while the page is open, as one writes it by hand
    sql = "select '#+é😀 &' as answer"
    used.page.evaluate("link => { location.hash = link }", f"q={quote(sql)}")
    used.page.wait_for_function(
        "document.querySelector('#query-result thead')?.innerText.trim() === 'answer'"
    )
    assert used.rows == [("#+é😀 &",)]


def test_an_error_is_shown_with_its_line(used):
    used.run("select 1,\n  nowhere\nfrom measured_speed")
    assert 'Referenced column "nowhere" not found' in used.error
    assert "LINE 2:   nowhere" in used.error
    assert used.rows == []
    assert used.run("select 1 as one").error == ""


@pytest.mark.parametrize(
    ("sql", "word"),
    [
        ("attach 'other.duckdb'", "ATTACH does not work on this page"),
        ("copy measured_speed to 'x.csv'", "COPY does not work on this page"),
        ("/* a */ install icu -- b", "INSTALL does not work on this page"),
        ("select 1; load json", "LOAD does not work on this page"),
        ("from read_csv('https://example.org/x.csv')", "disabled by configuration"),
        ("create table mine as select 1", "read-only"),
        ("delete from measured_speed", "read-only"),
        ("set autoload_known_extensions = true", "locked"),
        ("select '{}'::json ->> 'a'", "This page loads no extensions"),
        ("  -- nothing", "There is nothing to run"),
    ],
)
def test_unsupported_functions_have_a_notice(used, sql, word):
    assert word in used.run(sql).error


def test_statements_that_are_no_plain_query_have_rows_too(used):
    assert ("measured_speed") in {row[2] for row in used.run("show all tables;").rows}
    assert used.run("describe sample").columns[0] == "column_name"
    assert len(used.run("summarize article").rows) == 8
    assert "PROJECTION" in str(used.run("explain select 1 + length(title) from article").rows)
    assert used.run("set variable x = 3; select getvariable('x') as x; -- done").rows == [("3",)]
    assert used.run("select ';' as a, $$b;c$$ as b").rows == [(";", "b;c")]


def test_the_table_is_sorted_by_a_heading(used):
    used.run("select * from (values (2, 'b'), (10, 'a'), (null, 'c')) as t(n, s)")
    used.page.locator("#query-result th button").first.click()
    used.page.wait_for_selector("th[aria-sort=ascending]")
    assert [row[0] for row in used.rows] == ["2", "10", None]
    used.page.locator("#query-result th button").first.click()
    used.page.wait_for_selector("th[aria-sort=descending]")
    assert [row[0] for row in used.rows] == ["10", "2", None]


def test_a_running_query_can_be_cancelled(used):
    used.run("select 1 as one")
    used.write("select sum(hash(a.range + b.range)) from range(1000000) as a, range(1000000) as b")
    used.page.keyboard.press("Control+Enter")
    used.page.get_by_role("button", name="Cancel").click()
    assert used.status == "Cancelled."
    # the rows before went with their engine: nothing offers to sort or to download them
    assert not used.page.locator("#query-result").is_visible()
    assert used.run("select 2 as two").rows == [("2",)]


def test_an_unreadable_link_gives_a_notice_and_the_page_works(use, served):
    used = use(f"{served}#s=a")  # cut short
    for packed in ("%25", "_w"):  # no base64url, no UTF-8
        assert "This link is not whole" in used.error
        assert used.run("select 1 as one").rows == [("1",)]
        used.page.evaluate("packed => { location.hash = `s=${packed}`; }", packed)
        used.page.wait_for_selector("#query-error:not([hidden])")
    assert "This link is not whole" in used.error
    # where only its chart is cut short, it runs without
    used.page.evaluate("location.hash = 'q=select%206%20as%20six&chart=%25,a,b'")
    used.page.wait_for_selector("#query-result tbody tr")
    assert used.rows == [("6",)]


def test_a_run_leaves_nothing_that_disturbs_the_next(used):
    used.run("set schema = 'memory.main'")
    assert used.run("select count(*) from host").rows
    assert "boom" in used.run("begin; select error('boom')").error
    assert used.run("select 1 as one").rows == [("1",)]
    assert ("_result",) not in used.run("show tables").rows
    assert used.run("select e'\\';' as quote").rows == [("';",)]


def test_the_chart_has_a_mark_for_each_row_and_follows_the_choice(used):
    sql = """select format, op, max(theil_sen_gbps) as fastest from measured_speed
        where status = 'measured' group by all order by all"""
    used.run(sql)
    assert used.marks() == len(used.rows)
    assert (
        used.page.evaluate("document.querySelectorAll('#chart-result .mark-rect path').length") > 0
    )
    used.page.select_option("#query-chart-mark", "point")
    used.page.wait_for_selector("#chart-result.drawn .mark-symbol")
    assert used.marks() >= len(used.rows)
    assert "fastest by format" in used.page.locator("#chart-result").get_attribute("aria-label")
    used.run("select 'a' as s, 'b' as t")
    assert not used.page.locator("#query-chart").is_visible()


def test_a_result_without_rows_or_values_has_no_chart(used):
    used.run("select 'a' as s, 1 as n where false")
    assert used.page.locator("#query-result tbody").inner_text() == "no rows"
    assert not used.page.locator("#query-chart").is_visible()
    used.run("select * from (values ('a', null::double), ('b', null)) as t(s, n)")
    assert "Nothing to draw" in used.page.locator("#query-chart figure").inner_text()


def test_a_chosen_example_runs_with_its_chart(used, made_up):
    [example] = [one for one in examples.EXAMPLES if one.name == "rounds"]
    used.page.select_option("#query-example", label=example.title)
    used.done()
    assert used.rows == as_text(made_up, example.sql) != []
    assert used.marks() > 0


def test_every_view_example_and_link_to_rows_works_in_this_engine(used, made_up, site):
    # it is older than the DuckDB that wrote the database, and has not all of its functions
    asked = [*shapes(site), *(example.sql for example in examples.EXAMPLES)]
    assert len(asked) > 20
    with duckdb.connect(str(made_up), read_only=True) as connection:
        views = connection.execute("select view_name from duckdb_views() where not internal")
        asked += [f"from {name}" for (name,) in views.fetchall()]
        answers = connection.execute("select sql from conclusion where sql is not null")
        asked += [sql for (sql,) in answers.fetchall()]
    used.run(" union all ".join(f"select 1 as one from ({sql}\n) where false" for sql in asked))
    assert used.error == ""


def test_tables_and_columns_are_those_of_the_database(used, made_up):
    with duckdb.connect(str(made_up), read_only=True) as connection:
        expected = connection.execute(
            """select table_name, list(column_name order by column_index)
            from duckdb_columns() where not internal group by all order by all"""
        ).fetchall()
    shown = used.page.evaluate(
        """() => [...document.querySelectorAll('[data-table]')].map(table => [table.dataset.table,
            [...table.querySelectorAll(':scope li > button')].map(column => column.textContent)])"""
    )
    assert [tuple(one) for one in shown] == expected
    # what each has is on the page of the data
    links = used.page.locator("[data-table] a").evaluate_all(
        "all => all.map(one => one.getAttribute('href'))"
    )
    assert links == [f"data.html#table-{table}" for table, _ in expected]
    used.write("from ")
    used.page.get_by_role("button", name="sample", exact=True).click()
    assert used.page.locator(".cm-content").inner_text() == "from sample"
    used.write("")
    used.page.get_by_text("columns of sample").click()
    used.page.locator("[data-table=sample]").get_by_role("button", name="order", exact=True).click()
    assert used.page.locator(".cm-content").inner_text() == '"order"'


@pytest.mark.slow
def test_without_the_editor_the_textarea_does_as_well(browser, served):
    page = browser.new_page()
    page.route("**/editor.js*", lambda route: route.abort())
    page.goto(served)
    page.fill("#query-sql", "select 6 * 7 as answer")
    page.press("#query-sql", "Control+Enter")
    page.wait_for_selector("#query-result td")
    assert page.locator("#query-result td").inner_text() == "42"
    page.close()


def test_the_database_is_loaded_whole_and_compressed(used, served, folder):
    used.run("from published_speed")
    assert any("packed/diskbench.bin" in url for url in used.asked)
    assert not any("diskbench.duckdb" in url for url in used.asked)
    # 12 MB at most, of which the database of five Macs takes 2.5; publishers of sites compress text
    asked = {urlsplit(url).path for url in used.asked if url.startswith("http")}
    home = urlsplit(served).path.rpartition("/")[0]
    files = [folder / path.removeprefix(f"{home}/") for path in asked]
    moved = {}
    for file in files:
        content = file.read_bytes()
        moved[file.name] = len(content if file.suffix == ".bin" else gzip.compress(content))
    assert sum(moved.values()) - moved["diskbench.bin"] <= 9_500_000, moved


@pytest.mark.slow
def test_an_engine_that_cannot_be_loaded_is_reported_and_loaded_again(browser, folder, tmp_path):
    shutil.copytree(folder, tmp_path / "site")
    engine_file = tmp_path / "site" / "engine" / "engine.bin"
    engine_file.rename(tmp_path / "aside")
    with serving(tmp_path / "site") as address:
        used = new_page(browser, f"{address}/query.html").run("select 42 as answer")
        assert used.error == "engine/engine.bin could not be loaded"
        (tmp_path / "aside").rename(engine_file)
        assert used.run().rows == [("42",)]
        used.page.context.close()
        whole = engine_file.read_bytes()
        engine_file.write_bytes(whole[: len(whole) // 2])
        used = new_page(browser, f"{address}/query.html").run("select 42 as answer")
        assert used.error.startswith("engine/engine broke off or is damaged: ")
        used.page.context.close()


def test_it_works_from_a_disk_without_any_server(use, folder, made_up):
    used = use(f"file://{folder}/{links.rows(SPEEDS)}").done()
    assert used.rows == as_text(made_up, SPEEDS)
    assert used.marks() > 0
    assert len(used.csv().splitlines()) == len(used.rows) + 1


@pytest.mark.slow
@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (1440, "dark")])
def test_nothing_keeps_people_out_and_all_of_it_fits(use, served, width, scheme):
    viewport = {"width": width, "height": 900}
    used = use(served, viewport=viewport, color_scheme=scheme).run("from article_table limit 50")
    used.marks()
    used.page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
    assert has_axe()
    assert serious(used.page, "'main'") == []
    main = used.page.evaluate("document.querySelector('main').getBoundingClientRect().right")
    assert main <= width
    assert used.page.evaluate("document.querySelector('main').scrollWidth") <= width
