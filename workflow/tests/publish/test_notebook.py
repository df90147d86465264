"""What a query gives, and the notebook's questions, which run unchanged everywhere."""

import subprocess
import sys
from pathlib import Path

import duckdb
import nbformat
import pytest
from nbclient import NotebookClient

from lib import database, examples

REPORTS = Path(__file__).resolve().parents[3] / "reports"
NOTEBOOK = (REPORTS / "notebook.qmd").read_text(encoding="utf-8")


@pytest.mark.parametrize("example", examples.EXAMPLES, ids=lambda example: example.name)
def test_an_example_is_answered_and_its_chart_has_its_columns(example, made_up):
    with duckdb.connect(str(made_up), read_only=True) as connection:
        found = connection.execute(example.sql)
        columns = [column for column, *_ in found.description]
        assert found.fetchall()
    chart = example.chart
    assert {chart.x, chart.y} | ({chart.color} - {None}) <= set(columns)


def test_the_notebook_opens_in_jupyter_from_its_folder(tmp_path, monkeypatch, made_up):
    """Made with the command that the page tells, and run as Jupyter would in reports/."""
    saved = tmp_path / "notebook.ipynb"
    command = [sys.executable, "-m", "jupytext", "--from", "Rmd", "--to", "ipynb"]
    text = NOTEBOOK.encode()
    subprocess.run([*command, "--output", str(saved)], input=text, check=True)
    monkeypatch.setenv("DISKBENCH_DATABASE", str(made_up))
    opened = nbformat.read(saved, as_version=4)
    client = NotebookClient(
        opened, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(REPORTS)}}
    )
    client.execute()
    outputs = [out for cell in opened.cells if cell.cell_type == "code" for out in cell.outputs]
    assert len([out for out in outputs if "text/markdown" in out.get("data", {})]) > 10
    assert any("application/vnd.vegalite.v6+json" in out.get("data", {}) for out in outputs)


def test_sizes_of_two_releases_are_not_taken_together(made_up):
    [example] = [one for one in examples.EXAMPLES if one.name == "sizes"]
    with duckdb.connect(str(made_up), read_only=True) as connection:
        measured = connection.execute(
            f"""
            select "from" from ({example.sql.replace("limit 12", "")}) where basis = 'measured'
            """
        ).fetchall()
        releases = {
            release for (release,) in connection.execute("select release from host").fetchall()
        }
    assert measured
    assert {place.rpartition(", ")[2] for (place,) in measured} <= releases


def test_figures_of_another_tool_are_not_beside_those_of_the_articles_tool(made_up):
    [example] = [one for one in examples.EXAMPLES if one.name == "fastest-encrypted"]
    with duckdb.connect(str(made_up), read_only=True) as connection:
        other = connection.execute(
            "select write_gbps from published_speed where tool = 'Blackmagic'"
        ).fetchall()
        sql = example.sql.replace("limit 12", "").replace("inner join newest using (version)", "")
        shown = connection.execute(f"select write_gbps from ({sql})").fetchall()
    assert other and shown and not set(other) & set(shown)


def test_our_own_layout_is_marked_in_the_table_of_statistics(made_up):
    [example] = [one for one in examples.EXAMPLES if one.name == "statistics"]
    every = example.sql.replace("limit 12", "")
    with duckdb.connect(str(made_up), read_only=True) as connection:
        formats = connection.execute(
            f"select driver, encryption, format from ({every}) where contains(format, 'ASIF')"
        ).fetchall()
    assert {(driver, code) for driver, code, name in formats if "own layout" in name} == {
        ("portable", "AES-256")
    }


@pytest.mark.parametrize(
    ("value", "given"),
    [
        ("{'a': 1}", {"a": 1}),
        ("map {'a': 1}", {"a": 1}),
        ("'x'::blob", b"x"),
        ("['b', 'a']", ("b", "a")),
        ("'a' || chr(7)", "a\ufffd"),
        ("null::varchar", None),
        ("1.5", 1.5),
    ],
)
def test_a_column_of_any_type_can_be_asked_for(asked, published_only, value, given):
    asked(published_only)
    [found] = database.query(f"select {value} as one")["one"]
    assert found == given or (given is None and found != found)
