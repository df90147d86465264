"""What the Snakemake workflow catalog shows of this workflow."""

import shlex
from pathlib import Path

import yaml
from snakemake.cli import parse_args

PROJECT = Path(__file__).resolve().parents[3]


def test_the_flags_that_the_catalog_shows_bring_the_workflow_s_own_profile(monkeypatch):
    monkeypatch.chdir(PROJECT)
    text = (PROJECT / ".snakemake-workflow-catalog.yml").read_text(encoding="utf-8")
    flags = yaml.safe_load(text)["usage"]["mandatory-flags"]["flags"]
    _, found = parse_args(shlex.split(flags))
    # without it Snakemake has no number of cores and starts nothing
    assert (found.cores, found.scheduler) == (1, "greedy")
