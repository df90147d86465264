"""Without a database a page ends with one sentence that says what to do."""

import asyncio
from pathlib import Path

import pytest

from console import StudyError
from publish import plain, project


def test_a_missing_database_is_one_sentence(tmp_path, monkeypatch, copied_reports):
    monkeypatch.setenv("DISKBENCH_DATABASE", str(tmp_path / "none.duckdb"))
    with plain.jupyter_kept_here(), pytest.raises(StudyError) as failure:
        asyncio.run(plain.run_page(project.load(copied_reports), Path("index.qmd")))
    assert failure.value.line.endswith(
        "NoDatabaseError: there is no database at data/none.duckdb yet; run: bash workflow/run.sh"
    )
