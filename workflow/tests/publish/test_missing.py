"""Without a database a page ends with one sentence that says what to do."""

import asyncio
from pathlib import Path

import pytest

from console import StudyError
from publish import plain, project
from publish.execute import Kernel


async def run(reports: project.Project) -> None:
    kernel = Kernel(reports.folder)
    try:
        await plain.run_page(reports, Path("index.qmd"), kernel)
    finally:
        await kernel.stop()


def test_a_missing_database_is_one_sentence(tmp_path, monkeypatch, copied_reports):
    monkeypatch.setenv("DISKBENCH_DATABASE", str(tmp_path / "none.duckdb"))
    with plain.jupyter_kept_here(), pytest.raises(StudyError) as failure:
        asyncio.run(run(project.load(copied_reports)))
    assert failure.value.line.endswith(
        "NoDatabaseError: there is no database at data/none.duckdb yet; run: bash workflow/run.sh"
    )
