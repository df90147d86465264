"""One command measures this machine, fills the database and leaves the site; nothing is measured twice."""

import base64
import json
import os
import re
import subprocess
import sys
from pathlib import Path

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


def contents(project):
    return {path: path.read_bytes() for path in project.records()}


def test_every_cell_leaves_a_measured_record(studied):
    records = [json.loads(path.read_text(encoding="utf-8")) for path in studied.records()]
    assert {(r["cell"]["protocol"], r["cell"]["phase"]) for r in records} == CELLS
    assert {r["status"] for r in records} == {"measured"}
    assert {r["cell"]["driver"] for r in records} == {"native"}


def test_the_database_holds_every_file_that_was_planned(studied):
    assert studied.query("select count(*) from sample") == [(len(CELLS) * 2 * SMOKE_FILES,)]
    by_cell = studied.query(
        "select cell, op, count(*), sum(size_bytes), min(elapsed_ns) > 0 from sample group by all"
    )
    assert len(by_cell) == len(CELLS) * 2
    assert {row[2:] for row in by_cell} == {(SMOKE_FILES, SMOKE_BYTES, True)}


def test_files_are_read_back_in_the_order_in_which_they_were_written(studied):
    for (cell,) in studied.query("select distinct cell from sample"):
        written, read = (
            studied.query(
                f"""select size_bytes from sample where cell = '{cell}' and op = '{op}' order by "order" """
            )
            for op in ("write", "read")
        )
        assert written == read
        assert len({tuple(written[start : start + 16]) for start in range(0, 160, 16)}) > 1


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


def test_the_speeds_are_bytes_over_time(studied):
    rows = studied.query("""
        select m.cell, m.op, m.total_gbps, sum(s.size_bytes) / sum(s.elapsed_ns)
        from measured_speed m join sample s on s.cell = m.cell and s.op = m.op
        group by all""")
    assert len(rows) == len(CELLS) * 2
    for _, _, stated, expected in rows:
        assert stated == pytest.approx(expected, rel=1e-12)


def test_smoke_is_never_comparable(studied):
    assert studied.query("select distinct scale, comparable from measured_speed") == [
        ("smoke", False)
    ]


def test_the_published_figures_stand_beside_the_measured_ones(studied):
    # the first of three of each (March 2026, Results, paragraph 1)
    assert studied.query("""
        select read_gbps, write_gbps from published_speed
        where article = 'encryption-2026' and format = 'UDSB' and encryption = 'none'
        and macos like '26.3.1%' and phase = 'fresh'""") == [(6.13, 7.62)]
    articles = {row[0] for row in studied.query("select distinct article from published_speed")}
    assert {"encryption-2026", "vm-2026"} <= articles


def test_the_article_page_shows_published_figures_alone_and_that_no_mac_was_measured(studied):
    text = re.sub(r"<[^>]+>", " ", studied.page("articles/encryption-2026.html"))
    for figure in ("6.13", "7.62", "10.11", "2.84", "1.58", "1.72"):
        assert figure in text
    assert "No Mac has been measured yet" in text
    ((host,),) = studied.query("select distinct host from host")
    assert host not in text


def test_the_host_page_shows_this_machine_and_its_speeds(studied):
    page = studied.page("hosts.html")
    ((host, chip),) = studied.query("select distinct host, chip from host")
    assert host in page
    assert chip in page
    table = page.partition(f'id="table-cells-{host}"')[2].partition("</table>")[0]
    shown = " ".join(re.sub(r"<[^>]+>", " ", table).split())
    speeds = studied.query("""
        select theil_sen_gbps, theil_sen_gbps_low, theil_sen_gbps_high, theil_sen_reason
        from measured_speed""")
    assert len(speeds) == len(CELLS) * 2
    for speed, low, high, reason in speeds:
        if speed is None:
            assert reason in shown
        elif low is None or high is None:
            # times that hardly grow with size leave an end open: no interval is shown
            assert reason
            assert f"{figure(speed)} {SMOKE_FILES} files" in shown
        else:
            assert f"{figure(speed)} {figure(low)} to {figure(high)}; {SMOKE_FILES} files" in shown


def figure(gbps):
    """As a page writes it: on a slow disk two significant figures."""
    return f"{gbps:.2f}" if gbps >= 0.1 else f"{gbps:#.2g}"


def test_every_page_is_there(studied):
    for page in ("index.html", "notebook.html", "hosts.html", "articles/encryption-2026.html"):
        assert "</html>" in studied.page(page)


def test_nothing_of_the_test_files_is_left(studied):
    work = studied.folder / ".diskbench" / "work"
    assert [path for path in work.rglob("*") if path.is_file()] == []


def test_a_second_call_says_that_nothing_is_to_be_done_and_sums_up_all_the_same(studied):
    before = contents(studied)
    database = studied.folder / "data" / "diskbench.duckdb"
    built = database.stat().st_mtime_ns
    done = studied.run()
    assert done.returncode == 0, done.stderr
    assert contents(studied) == before
    assert database.stat().st_mtime_ns == built
    said = done.stderr.splitlines()
    assert said[0].startswith("diskbench: nothing is to be done: ")
    assert said.count("diskbench: 5 of 5 cells measured, 0 skipped, 0 failed") == 1
    assert said[-1] == "diskbench: site: reports/_site/index.html"


def test_a_second_call_for_a_part_says_that_nothing_is_to_be_done_and_no_more(studied):
    done = studied.run("database")
    assert done.returncode == 0, done.stderr
    (line,) = done.stderr.splitlines()
    assert line.startswith("diskbench: nothing is to be done: ")


def test_snakemakes_own_report_has_the_summary(studied):
    done = studied.run("--report", "tmp/report.html")
    assert done.returncode == 0, done.stderr
    report = (studied.folder / "tmp" / "report.html").read_text(encoding="utf-8")
    assert "What became of every cell of the study." in report
    assert base64.b64encode(b"5 of 5 cells measured, 0 skipped, 0 failed").decode()[:-4] in report


def test_a_dry_run_lists_the_cells_and_writes_nothing(fresh, tmp_path):
    project = fresh.copy(tmp_path / "project")
    for made in ("data/runs", "data/diskbench.duckdb", ".diskbench"):
        path = project.folder / made
        assert not path.exists() or path.rename(tmp_path / made.replace("/", "-"))
    done = project.run("--dry-run")
    assert done.returncode == 0, done.stderr
    for protocol, phase in CELLS:
        assert re.search(rf"{protocol}-smoke/.*/{phase}\b", done.stdout + done.stderr)
    assert project.records() == []


def test_another_renderer_makes_the_site_due(small, tmp_path):
    quarto = tmp_path / "quarto"
    quarto.write_text("#!/bin/sh\necho 99.0.0\n", encoding="utf-8")
    quarto.chmod(0o755)

    def due(*first):
        path = os.pathsep.join([*first, str(Path(sys.executable).parent), os.environ["PATH"]])
        done = subprocess.run(
            [sys.executable, "-m", "snakemake", "--cores", "1", "-n", "site"],
            cwd=small.folder,
            env=small.environment() | {"PATH": path},
            capture_output=True,
            text=True,
            check=True,
        )
        return re.findall(r"^rule (\w+):", done.stdout, re.MULTILINE)

    assert due() == []
    assert due(str(tmp_path)) == ["site"]
