"""A mistake in a hand-written file is one line with file, line and column."""

import os
import sys
from pathlib import Path

import pytest
from script import called

from console import ExitCode, StudyError
from fleet import config as fleet
from proofs.support.project import as_git_has_it
from strict_yaml import read_yaml

PROJECT = Path(__file__).resolve().parents[3]

# What is written, where the mistake is, and a word of what is said of it.
BROKEN = [
    (b"scale: smoke\nstudy:\n\tall\n", ":3:1:", "'\\t'"),
    (b"", ":1:1:", "not nothing"),
    (b"- scale\n- smoke\n", ":1:1:", "not a list"),
    (b"scale: smoke\nseed: !!python/object/apply:os.getcwd []\n", ":2:7:", "constructor"),
    (b"scale: smoke\nseed: 1\nscale: gold\n", ":3:1:", "'scale' occurs twice, first in line 1"),
    (b"io:\n  block_bytes: 1\n  block_bytes: 2\n", ":3:3:", "'block_bytes' occurs twice"),
    (b"storage: [{slug: a, slug: b}]\n", ":1:21:", "'slug' occurs twice"),
    (b"scale: smoke\nhost: caf\xe9\n", ":2:10:", "not text in UTF-8"),
    (b"scale: smoke\nhost: a\0b\n", ":2:8:", "not YAML"),
    (b"scale: *none\n", ":1:8:", "undefined alias"),
    (b"scale: " + b"[" * 1000, "", "nested too deeply"),
]


@pytest.mark.parametrize(("text", "place", "word"), BROKEN)
def test_a_broken_file_is_named_with_line_and_column(tmp_path, text, place, word):
    path = tmp_path / "study.yaml"
    path.write_bytes(text)
    with pytest.raises(StudyError) as caught:
        read_yaml(path)
    assert caught.value.code == ExitCode.BAD_INPUT
    assert f"{path}{place}" in caught.value.line
    assert word in caught.value.line
    assert "\n" not in caught.value.line


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(StudyError, match=r"study\.yaml cannot be read \(No such file"):
        read_yaml(tmp_path / "study.yaml")


def test_a_fifo_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "study.yaml")
    with pytest.raises(StudyError, match=r"study\.yaml is not a regular file: restore it"):
        read_yaml(tmp_path / "study.yaml")


def test_keys_that_an_anchor_brings_in_may_be_overridden(tmp_path):
    path = tmp_path / "study.yaml"
    path.write_text("all: &all {a: 1, b: 2}\nsome:\n  <<: *all\n  b: 3\n", encoding="utf-8")
    assert read_yaml(path)["some"] == {"a": 1, "b": 3}


def test_the_file_of_a_fleet_is_read_so(tmp_path):
    path = tmp_path / "f.yaml"
    path.write_text("name: p\nname: q\n", encoding="utf-8")
    with pytest.raises(StudyError, match=r"f\.yaml:2:1: .*'name' occurs twice, first in line 1"):
        fleet.read(path)


@pytest.mark.parametrize("command", ["snakemake --cores 1", "study launch"])
def test_no_call_gets_further_than_a_broken_study(tmp_path, command):
    project = as_git_has_it(tmp_path / "project").folder
    (project / "workflow" / "config" / "study.yaml").write_text("scale: gold\n\tseed: 1\n")
    module, *words = command.split()
    done = called(
        *("-m", module, *words),
        cwd=project,
        PATH=str(Path(sys.executable).parent),
        HOME=str(tmp_path),
        PYTHONPATH="workflow/scripts",
    )
    assert done.returncode in ((2,) if module == "study" else (1, 2))
    lines = [line for line in done.stderr.splitlines() if line.startswith("diskbench: ")]
    assert len(lines) == 1
    assert "workflow/config/study.yaml:2:1: not YAML" in lines[0]
