"""What measures nothing again."""

import os

import pytest

pytestmark = pytest.mark.slow


def test_edited_comments_touched_files_and_a_rebuilt_core_measure_nothing(spoilable):
    before = spoilable.contents()
    snakefile = spoilable.folder / "Snakefile"
    snakefile.write_text(snakefile.read_text() + "\n# another comment\n")
    rules = spoilable.folder / "workflow" / "rules" / "measure.smk"
    rules.write_text(
        "# another comment\n" + rules.read_text().replace("measuring", "now measuring")
    )
    config = spoilable.folder / "workflow" / "config" / "study.yaml"
    config.write_text("# another comment\n" + config.read_text())
    (spoilable.folder / "core" / "target").unlink()
    (spoilable.folder / "core" / "target" / "release").mkdir(parents=True)
    (spoilable.folder / "core" / "target" / "release" / "diskbench").write_text("another binary")
    for path in spoilable.records():
        os.utime(path)
    (spoilable.folder / "core" / "diskbench-core" / "src" / "main.rs").touch()
    done = spoilable.run()
    assert done.returncode == 0, done.stderr
    assert spoilable.contents() == before


def test_plain_snakemake_measures_nothing_again_either(spoilable):
    before = spoilable.contents()
    rules = spoilable.folder / "workflow" / "rules" / "measure.smk"
    rules.write_text(rules.read_text().replace("--core-log", "  --core-log"))
    done = spoilable.snakemake("--cores", "1")
    assert done.returncode == 0, done.stderr
    assert "Nothing to be done" in done.stderr
    assert spoilable.contents() == before


def test_a_change_of_what_reads_records_makes_the_database_anew_and_measures_nothing(project):
    before = project.contents()
    reading = project.folder / "workflow" / "scripts" / "record_files.py"
    reading.write_text(reading.read_text() + "\n# another comment\n")
    done = project.run("database")
    assert done.returncode == 0, done.stderr
    assert f"data/diskbench.duckdb: {len(before)} records in" in done.stderr
    assert project.contents() == before
