"""Differences between the versions of coordinator and host are named, with the next step."""

import pytest

from fleet import version
from proofs.support.repository import commit

FILES = {
    "Snakefile": "rule all:\n",
    "core/diskbench-core/src/run.rs": "fn main() {}\n",
    "workflow/config/study.yaml": "scale: smoke\n",
    "workflow/config/fleet.yaml": "hosts: {}\n",
    "workflow/schemas/record.schema.json": "{}\n",
    "README.md": "words\n",
}


@pytest.fixture
def checkout(tmp_path):
    """Make a checkout by name, with some files otherwise."""

    def make(name, **changed):
        folder = tmp_path / name
        for path, content in (FILES | changed).items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(content, encoding="utf-8")
        return folder

    return make


def compared(coordinator, host):
    """The reported difference of the host."""
    return version.difference(version.of(coordinator), version.of(host))


@pytest.mark.parametrize("path", ["workflow/config/fleet.yaml", "README.md"])
def test_what_has_no_part_in_measuring_may_differ(checkout, path):
    assert compared(checkout("coordinator"), checkout("host", **{path: "other\n"})) is None


@pytest.mark.parametrize(
    "path",
    [
        "Snakefile",
        "core/diskbench-core/src/run.rs",
        "workflow/config/study.yaml",
        # not in the coordinator's checkout: cargo and rustup read them from where they are called
        ".cargo/config.toml",
        "core/diskbench-core/Cargo.toml",
        "environment.yml",
        "data/withdrawn.csv",
        "rust-toolchain",
        "rust-toolchain.toml",
        "workflow/schemas/record.schema.json",
        "workflow/setup.sh",
    ],
)
def test_a_file_that_was_changed_or_added_is_named(checkout, path):
    line = compared(checkout("coordinator"), checkout("host", **{path: "other\n"}))
    assert line.startswith(f"its {path} is not that of the coordinator")


def test_another_commit_is_named_with_the_one_to_check_out(checkout):
    coordinator, host = checkout("coordinator"), checkout("host")
    wanted, had = commit(coordinator)[:10], commit(host)[:10]
    line = compared(coordinator, host)
    assert f"it has commit {had} and the coordinator {wanted}" in line
    assert f"git checkout {wanted}" in line


@pytest.mark.parametrize(("without", "where"), [("host", "it"), ("coordinator", "the coordinator")])
def test_where_git_is_missing_on_one_side_that_is_named(checkout, monkeypatch, without, where):
    versions = {}
    for name in ("coordinator", "host"):
        commit(checkout(name))
        versions[name] = version.of(checkout(name))
    with monkeypatch.context() as patch:
        patch.setenv("PATH", "")
        versions[without] = version.of(checkout(without))
    assert versions[without].commit == ""
    line = version.difference(**versions)
    assert line.startswith(f"git names no commit of {where}: install git there")


def test_two_equal_checkouts_without_git_do_not_differ(checkout, monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert compared(checkout("coordinator"), checkout("host")) is None
