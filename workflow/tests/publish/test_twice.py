"""The same database gives the same pages, whoever renders them, and however often."""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest
from rendered import Tables

from publish import plain, project


def test_the_same_database_gives_the_same_pages_twice(rendered_site, copied_reports, monkeypatch):
    first = rendered_site("made_up")
    monkeypatch.setenv("DISKBENCH_DATABASE", str(first.database))
    plain.render(project.load(copied_reports))
    for page in first.pages:
        once, twice = (
            (site / page).read_bytes() for site in (first.folder, copied_reports / "_site")
        )
        assert once == twice, page


@pytest.mark.skipif(shutil.which("quarto") is None, reason="no quarto on PATH")
def test_both_renderers_show_the_same_tables_and_charts(rendered_site, copied_reports):
    first = rendered_site("made_up")
    subprocess.run(
        ["quarto", "render", str(copied_reports)],
        env=os.environ
        | {"DISKBENCH_DATABASE": str(first.database), "QUARTO_PYTHON": sys.executable},
        check=True,
    )
    for page in first.pages:
        ours, theirs = (
            shown((site / page).read_text(encoding="utf-8"))
            for site in (first.folder, copied_reports / "_site")
        )
        assert ours == theirs, page


def shown(text: str) -> tuple[dict, dict]:
    """The data of a page: its tables as text, and the specifications of its charts."""
    charts = re.findall(
        r'<div class="chart" id="([^"]+)".*?<script type="application/json">(.*?)</script>',
        text,
        re.DOTALL,
    )
    without = re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL)
    tables = Tables(without).tables
    # tables of Markdown have no name, and the two renderers may number them differently
    named = {name: rows for name, rows in tables.items() if name}
    return named, {name: json.loads(spec) for name, spec in charts}


def test_what_is_compared_is_there(rendered_site):
    tables, charts = shown(
        (rendered_site("made_up").folder / "hosts.html").read_text(encoding="utf-8")
    )
    assert tables
    assert charts
