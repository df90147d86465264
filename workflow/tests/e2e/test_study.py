"""One command measures this machine, fills the database and leaves the site; nothing is measured twice."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import alone
import pytest

# 16 sizes that sum to 5,330 MB, 10 sets, every size divided by 200
SMOKE_BYTES = 266_500_000
SMOKE_FILES = 160
CELLS = {
    ("as-created", "fresh"),
    ("remounted", "fresh"),
    ("usage-phases", "fresh"),
    ("usage-phases", "partly-filled"),
    ("usage-phases", "emptied"),
}


def test_the_database_holds_every_file_that_was_planned(studied):
    assert studied.query("select count(*) from sample") == [(len(CELLS) * 2 * SMOKE_FILES,)]
    by_cell = studied.query(
        "select cell, op, count(*), sum(size_bytes), min(elapsed_ns) > 0 from sample group by all"
    )
    assert len(by_cell) == len(CELLS) * 2
    assert {row[2:] for row in by_cell} == {(SMOKE_FILES, SMOKE_BYTES, True)}


def test_cells_are_measured_in_the_shuffled_order_of_the_plan(studied):
    plan = json.loads((studied.folder / ".diskbench" / "plan.json").read_text(encoding="utf-8"))
    planned = [Path(cell["record"]) for cell in plan["cells"]]
    measured = sorted(
        planned,
        key=lambda path: json.loads((studied.folder / path).read_text())["position"],
    )
    assert measured == planned
    started = [json.loads((studied.folder / path).read_text())["started_utc"] for path in planned]
    assert started == sorted(started)


def test_every_page_is_there_and_that_of_hosts_names_this_machine(studied):
    for page in ("index.html", "notebook.html", "hosts.html", "articles/encryption-2026.html"):
        assert "</html>" in studied.page(page)
    ((host,),) = studied.query("select distinct host from host")
    assert host in studied.page("hosts.html")


def test_nothing_of_the_test_files_is_left(studied):
    work = studied.folder / ".diskbench" / "work"
    assert [path for path in work.rglob("*") if path.is_file()] == []


@pytest.mark.skipif(
    not alone.prefix(),
    reason="this system allows no network namespace (unshare --net): call as root",
)
def test_it_needs_no_network():
    """Where the studies of these tests were run, only the machine itself is reachable."""
    seen = subprocess.run(
        [*alone.prefix(), "cat", "/proc/net/dev"], capture_output=True, text=True, check=True
    )
    assert [line.split(":")[0].strip() for line in seen.stdout.splitlines()[2:]] == ["lo"]


def test_a_second_call_says_that_nothing_is_to_be_done_and_sums_up_all_the_same(studied):
    before = studied.contents()
    database = studied.folder / "data" / "diskbench.duckdb"
    built = database.stat().st_mtime_ns
    done = studied.run()
    assert done.returncode == 0, done.stderr
    assert studied.contents() == before
    assert database.stat().st_mtime_ns == built
    said = done.stderr.splitlines()
    assert said[0].startswith("diskbench: nothing to do: ")
    assert said.count("diskbench: 5 of 5 cells measured, 0 skipped, 0 failed") == 1
    assert said[-1] == "diskbench: site: reports/_site/index.html"


def test_a_second_call_for_a_part_says_that_nothing_is_to_be_done_and_no_more(studied):
    done = studied.run("database")
    assert done.returncode == 0, done.stderr
    (line,) = done.stderr.splitlines()
    assert line.startswith("diskbench: nothing to do: ")


def test_another_renderer_makes_the_site_due(small, tmp_path):
    quarto = tmp_path / "quarto"
    quarto.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    quarto.chmod(0o755)

    def due(*first):
        path = os.pathsep.join([*first, str(Path(sys.executable).parent), os.environ["PATH"]])
        done = small.snakemake("--cores", "1", "-n", "site", PATH=path)
        assert done.returncode == 0, done.stderr
        return re.findall(r"^rule (\w+):", done.stdout, re.MULTILINE)

    assert due() == []
    assert due(str(tmp_path)) == ["site"]
