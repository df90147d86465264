"""The article pages as PDF: made by Quarto's profile `pdf`, linked where they are there, and never in the way."""

import asyncio
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import typst
import yaml

from publish import pdf, plain, project
from publish.assemble import assemble
from publish.subset import split_head
from publish.write import HERE, pandoc

ROOT = Path(__file__).resolve().parents[3]
ARTICLE = Path("articles/encryption-2026.qmd")


@pytest.fixture
def paper(copied_reports, made_up, monkeypatch):
    """The page's Markdown for paper, and its Typst text beside the page: what Quarto does, by pandoc."""
    monkeypatch.setenv("DISKBENCH_DATABASE", str(made_up))
    monkeypatch.setenv("QUARTO_PROFILE", "pdf")
    pages = project.load(copied_reports)
    with plain.jupyter_kept_here():
        notebook = asyncio.run(plain.run_page(pages, ARTICLE))
    head, _ = split_head((copied_reports / ARTICLE).read_text(encoding="utf-8"))
    markdown = assemble(ARTICLE, notebook, {"echo": pages.echo})
    profile = yaml.safe_load((copied_reports / pdf.PROFILE).read_text(encoding="utf-8"))
    header = copied_reports / "header.typ"
    header.write_text(profile["format"]["typst"]["include-in-header"]["text"], encoding="utf-8")
    target = (copied_reports / ARTICLE).with_suffix(".typ")
    command = [
        pandoc(), "--from=markdown", "--to=typst", "--standalone", "--wrap=none",
        f"--lua-filter={HERE / 'callouts.lua'}", f"--include-in-header={header}",
        f"--metadata=title:{head['title']}", f"--output={target}",
    ]  # fmt: skip
    subprocess.run(command, input=markdown, text=True, check=True)
    return markdown, target


def test_an_article_page_becomes_a_pdf_with_its_charts_and_tables(paper, copied_reports):
    markdown, target = paper
    text = target.read_text(encoding="utf-8")
    charts = re.findall(r'image\("(pdf/[^"]+\.svg)"', text)
    assert len(charts) >= 2
    assert all((target.parent / chart).is_file() for chart in charts)
    assert "#table(" in text
    for figure in ("10.11", "1.58", "7.62", "5.23"):
        assert figure in text
    drawn = typst.query(str(target), "image", root=str(copied_reports), field="source")
    assert len(yaml.safe_load(drawn)) == len(charts)
    document = typst.compile(str(target), root=str(copied_reports))
    assert document.startswith(b"%PDF-")
    pages = typst.compile(str(target), root=str(copied_reports), format="png", ppi=20)
    assert 3 <= len(pages) <= 40
    assert "```{=html}" not in markdown
    assert re.search(r"\*\*[A-Z, -]+ DATA\*\*", markdown)  # the watermark


STAND_IN = """#!{python}
import os, pathlib, sys
reports, arguments = pathlib.Path({reports!r}), sys.argv[1:]
if "--profile" in arguments:
    assert arguments == ["render", str(reports / "articles"), "--profile", "pdf", "--to", "typst"]
    if {luck}:
        (reports / "_pdf" / "articles").mkdir(parents=True)
        (reports / "_pdf" / "articles" / "encryption-2026.pdf").write_text("a PDF")
    else:
        print("ERROR: no typst")
        sys.exit(1)
else:
    site = reports / arguments[arguments.index("--output-dir") + 1]
    (site / "index.html").write_text("PDFs: " + os.environ["DISKBENCH_PDFS"])
"""


def publish(reports: Path, folder: Path, luck: bool) -> subprocess.CompletedProcess:
    """Publish with a program that stands in for Quarto."""
    stand_in = folder / "bin" / "quarto"
    stand_in.parent.mkdir()
    stand_in.write_text(STAND_IN.format(python=sys.executable, reports=str(reports), luck=luck))
    stand_in.chmod(0o755)
    path = f"{stand_in.parent}{os.pathsep}{os.environ['PATH']}"
    scripts = ROOT / "workflow" / "scripts"
    return subprocess.run(
        [sys.executable, "-m", "publish", "--reports", str(reports), "--log", str(folder / "log")],
        env=os.environ | {"PATH": path, "PYTHONPATH": str(scripts)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_pdfs_are_made_before_the_site_which_is_told_of_them_and_gets_them(
    copied_reports, tmp_path
):
    done = publish(copied_reports, tmp_path, luck=True)
    assert done.returncode == 0, done.stderr
    site = copied_reports / "_site"
    assert (site / "index.html").read_text() == "PDFs: encryption-2026"
    assert (site / "articles" / "encryption-2026.pdf").read_text() == "a PDF"
    assert not (copied_reports / "_pdf").exists()
    assert "1 of them as PDF" in done.stderr


def test_without_luck_there_is_one_line_of_warning_and_the_site(copied_reports, tmp_path):
    done = publish(copied_reports, tmp_path, luck=False)
    assert done.returncode == 0
    assert (copied_reports / "_site" / "index.html").read_text() == "PDFs: "
    warned = [line for line in done.stderr.splitlines() if "PDF" in line]
    line = "not every article page became a PDF: ERROR: no typst; the site comes without those"
    assert warned == [f"diskbench: {line}"]
    assert line in (tmp_path / "log").read_text()


def test_a_page_links_to_its_pdf_only_where_one_was_made(monkeypatch):
    from lib import show

    monkeypatch.delenv("QUARTO_PROFILE", raising=False)
    monkeypatch.setenv(pdf.TOLD, "vm-2026 encryption-2026")
    shown = show.as_pdf("vm-2026").bundle["text/markdown"]
    assert shown == "[This page as a PDF](vm-2026.pdf)"
    assert show.as_pdf("bands-2024") is None
    monkeypatch.delenv(pdf.TOLD)
    assert show.as_pdf("vm-2026") is None


def test_the_profile_changes_neither_the_pages_nor_the_folder_of_the_site():
    profile = yaml.safe_load((ROOT / "reports" / pdf.PROFILE).read_text(encoding="utf-8"))
    # Quarto joins the lists of both files: another list of pages would be added to the first
    assert profile["project"] == {"output-dir": pdf.OUTPUT}
    assert list(profile["format"]) == ["typst"]
