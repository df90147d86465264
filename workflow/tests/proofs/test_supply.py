"""Every dependency has a hash, comes from its registry, and has an allowed licence."""

import json
import shutil
import subprocess
import tomllib
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from console import StudyError
from proofs import supply
from proofs.supply import checks, licences, locks

PROJECT = Path(__file__).resolve().parents[3]
MARK = "\\\n    --hash=sha256:"


@pytest.fixture
def copy(tmp_path) -> Path:
    """The lock files and what may say where packages come from, to spoil."""
    for name in (*locks.LOCKS, *checks.SETTINGS):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(PROJECT / name, tmp_path / name)
    return tmp_path


def test_every_lock_file_of_the_project_is_looked_at():
    named = {"Cargo.lock", "package-lock.json"}
    found = {
        path.relative_to(PROJECT).as_posix()
        for folder in ("core", "reports/assets", "workflow")
        for path in (PROJECT / folder).rglob("*")
        if not {"target", "node_modules"} & set(path.parts)
        and (path.name in named or path.match("requirements*.txt"))
    }
    assert found == set(locks.LOCKS)


def test_every_dependency_has_a_hash():
    assert checks.without_hash(locks.every(PROJECT)) == []


def test_no_file_names_a_package_index():
    assert list(checks.not_from_the_registry(PROJECT)) == []


def test_every_licence_is_allowed_or_was_checked():
    allowed = licences.allowed(PROJECT)
    assert licences.refused(locks.every(PROJECT), allowed) == []
    for manifest in ("core/Cargo.toml", "core/fuzz/Cargo.toml"):
        command = ["cargo", "metadata", "--locked", "--offline", "--format-version", "1"]
        command += ["--manifest-path", manifest]
        told = subprocess.run(command, cwd=PROJECT, capture_output=True, check=False)
        # nothing is fetched: where crates are missing, cargo cannot tell
        crates = json.loads(told.stdout)["packages"] if told.returncode == 0 else []
        licensed = {(one["name"], one["version"]): one["license"] or "" for one in crates}
        ours = {(name, "0.1.0") for name in ("diskbench-core", "diskimage", "system")}
        ours.add(("diskbench-fuzz", "0.0.0"))
        refused = {
            crate: licence
            for crate, licence in licensed.items()
            if crate not in ours and not licences.holds(licence, allowed)
        }
        assert refused == {}


def test_what_was_checked_by_hand_is_still_a_dependency():
    assert set(licences.CHECKED) <= {one.name for one in locks.every(PROJECT)}


def test_the_dependencies_are_those_that_other_readers_find():
    """Counted by the words that each kind of lock has once for each."""
    read = locks.every(PROJECT)
    for lock in locks.LOCKS:
        text = (PROJECT / lock).read_text(encoding="utf-8")
        mine = [one for one in read if one.lock == lock]
        if lock.endswith("Cargo.lock"):
            assert len(mine) == text.count("\nchecksum = ")
        elif lock.endswith(".json"):
            assert len(mine) == len(json.loads(text)["packages"]) - 1
        else:
            lines = [line for line in text.splitlines() if line[:1].isalnum()]
            assert [f"{one.name}=={one.version}" for one in mine] == [
                line.split()[0] for line in lines
            ]
            assert sum(len(one.hashes) for one in mine) == text.count("--hash=sha256:")


@pytest.mark.parametrize(
    ("lock", "old", "new", "named"),
    [
        ("workflow/requirements.txt", "altair==", "unheld==1.0\naltair==", "unheld 1.0"),
        ("workflow/requirements.txt", "altair==", "./elsewhere.whl\naltair==", "./elsewhere.whl"),
        ("core/Cargo.lock", "checksum = ", "checksums = ", "core/Cargo.lock"),
        ("reports/assets/query/package-lock.json", '"integrity"', '"other"', "package-lock.json"),
    ],
)
def test_a_dependency_that_lost_its_hash_is_named(copy, lock, old, new, named):
    text = (copy / lock).read_text(encoding="utf-8")
    assert old in text
    (copy / lock).write_text(text.replace(old, new, 1), encoding="utf-8")
    (line,) = checks.without_hash(locks.every(copy))
    assert named in line
    assert line.endswith("has no hash")


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("workflow/pyproject.toml", 'index-url = "https://packages.example/simple"'),
        ("workflow/requirements.txt", "x @ https://packages.example/x.whl"),
        ("workflow/setup.sh", 'uv pip sync --default-index "$INDEX"'),
        ("reports/assets/query/.npmrc", "registry=https://packages.example/npm/"),
        ("core/Cargo.lock", 'source = "git+https://packages.example/x#abc"'),
        ("core/Cargo.toml", 'x = { git = "https://packages.example/x" }'),
    ],
)
def test_a_file_that_names_where_packages_come_from_is_named(copy, file, line):
    with (copy / file).open("a", encoding="utf-8") as opened:
        opened.write(f"\n{line}\n")
    (found,) = checks.not_from_the_registry(copy)
    assert found.startswith(f"{file}:")
    assert found.endswith(line)


@pytest.mark.parametrize(
    ("licence", "fits"),
    [
        ("MIT", True),
        ("GPL-3.0-only", False),
        ("MIT OR GPL-3.0-only", True),
        ("MIT AND GPL-3.0-only", False),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", True),
        ("(GPL-2.0-only OR Apache-2.0) AND GPL-3.0-only", False),
        ("Unlicense/MIT", True),
        ("", False),
    ],
)
def test_a_licence_of_several_parts_is_met_as_its_words_say(licence, fits):
    assert licences.holds(licence, licences.allowed(PROJECT)) is fits


def test_the_audit_tool_and_its_settings_are_those_that_are_pinned():
    policy = tomllib.loads((PROJECT / "core" / "deny.toml").read_text(encoding="utf-8"))
    assert policy["sources"] == {"unknown-registry": "deny", "unknown-git": "deny"}
    install = (PROJECT / "workflow/proofs/supply/install.sh").read_text(encoding="utf-8")
    assert "cargo install cargo-deny --locked" in install


def test_what_is_not_known_is_refused_before_anything_is_installed(monkeypatch):
    monkeypatch.setattr("subprocess.run", lambda *_, **__: pytest.fail("it began to install"))
    with pytest.raises(StudyError, match="unrecognized arguments: --nosuch"):
        supply.main(["--nosuch"])


def test_a_tool_that_cannot_be_installed_ends_it_with_the_code_of_that(monkeypatch):
    monkeypatch.setattr("subprocess.run", lambda *_, **__: CompletedProcess([], 4))
    monkeypatch.setattr(locks, "every", lambda _: pytest.fail("it began to look"))
    assert supply.main(["--offline"]) == 4
