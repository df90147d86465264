"""Snakemake measures into any folder, and reads the project without changing it."""

import json

import pytest
from tree import tree

pytestmark = pytest.mark.slow

CONFIG = ("--config", "study=slow-writes-2022")


@pytest.fixture(scope="module")
def sources(measured, tmp_path_factory):
    """A project whose core is compiled, to read from."""
    project = measured.copy(tmp_path_factory.mktemp("sources") / "the project")
    project.render_only("index.qmd", "hosts.qmd")
    return project


def snakemake(project, folder, *arguments):
    done = project.snakemake(
        "--cores", "1", *arguments, *CONFIG, folder=folder, PYTHONDONTWRITEBYTECODE="1"
    )
    assert done.returncode == 0, done.stderr
    return done


def only_record(folder):
    (path,) = (folder / "data" / "runs").rglob("*.json")
    return json.loads(path.read_text(encoding="utf-8"))


def test_another_working_directory_gets_the_study_and_the_project_stays(sources, tmp_path):
    before = tree(sources.folder)
    results = tmp_path / "the results"
    snakemake(
        sources, tmp_path, "--snakefile", sources.folder / "Snakefile", "--directory", results
    )
    assert only_record(results)["cell"]["protocol"] == "as-created"
    assert (results / "data" / "diskbench.duckdb").is_file()
    assert (
        only_record(results)["cell"]["host"] in (results / "reports/_site/hosts.html").read_text()
    )
    assert tree(sources.folder) == before


def test_another_workflow_uses_it_as_a_module(sources, tmp_path):
    before = tree(sources.folder)
    (tmp_path / "Snakefile").write_text(
        f"""
module diskbench:
    snakefile: "{sources.folder}/Snakefile"

use rule * from diskbench as diskbench_*

rule count:
    default_target: True
    input: rules.diskbench_records.output
    output: "count.txt"
    shell: "find data/runs -name '*.json' | wc -l > {{output}}"
"""
    )
    snakemake(sources, tmp_path)
    assert (tmp_path / "count.txt").read_text().strip() == "1"
    assert only_record(tmp_path)["status"] == "measured"
    assert tree(sources.folder) == before
