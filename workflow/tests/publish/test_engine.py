"""The engine of the page `query`: pinned, made once, and optional."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from rendered import text

from lib import downloads, engine, show, workbench
from publish import elsewhere


@pytest.fixture
def reports(tmp_path) -> Path:
    """The reports without the engine."""
    return copied(tmp_path)


@pytest.fixture(scope="module")
def home(tmp_path_factory) -> Path:
    """A home folder without anything."""
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def made(tmp_path_factory, home) -> tuple[Path, str]:
    """The reports with the engine, made with that home, and what was said of it."""
    reports = copied(tmp_path_factory.mktemp("made"))
    config = Path.home() / ".npmrc"  # where the registry may be named
    return reports, make(reports, HOME=str(home), npm_config_userconfig=str(config)).stderr


def copied(folder: Path) -> Path:
    return elsewhere.copy(engine.REPORTS.parent, folder, Path("none.duckdb"))


def make(reports: Path, **environment: str) -> subprocess.CompletedProcess:
    """As both renderers do: in the project's folder."""
    return subprocess.run(
        [sys.executable, "lib/engine.py"],
        cwd=reports,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=True,
    )


def test_the_lock_names_every_package_and_no_host():
    package = json.loads((engine.SOURCES / "package.json").read_text(encoding="utf-8"))
    text = (engine.SOURCES / engine.LOCK).read_text(encoding="utf-8")
    locked = json.loads(text)["packages"]
    # after a change: npm install --package-lock-only, then take out what it says of funding
    assert "http" not in text
    wanted = package["dependencies"] | package["devDependencies"]
    assert wanted["@duckdb/duckdb-wasm"] == "1.32.0"
    assert {name: locked[f"node_modules/{name}"]["version"] for name in wanted} == wanted
    assert all("integrity" in one for name, one in locked.items() if name)


def test_without_a_network_there_is_one_line(reports):
    [line] = make(reports, npm_config_registry="http://127.0.0.1:9/").stderr.splitlines()
    assert line.startswith("diskbench: the page query has no SQL engine, since npm could not fetch")
    assert line.endswith("the rest of the site is complete, and the next render tries again")


def test_without_an_engine_the_page_has_a_notice_and_its_queries(site, asked, monkeypatch):
    asked(site.database)
    monkeypatch.setattr(downloads, "TARGET", site.folder.parent / "downloads")
    monkeypatch.setattr(engine, "made", lambda: None)
    page = text(show.together(workbench.missing(), workbench.workbench()))
    assert "No SQL engine: this page cannot run queries" in page
    assert re.search(r'"engine":\s*null', page)
    assert re.search(r'<textarea id="query-sql"[^>]*>[^<]*select', page)
    assert 'data-table="published_speed"' in page


@pytest.fixture
def here(reports, monkeypatch):
    """The module `engine` in the reports without an engine."""
    project = engine.REPORTS.parent
    for name in ("TARGET", "WORK", "LOG", "REPORTS"):
        path = getattr(engine, name).relative_to(project)
        monkeypatch.setattr(engine, name, reports.parent / path)


@pytest.mark.usefixtures("here")
def test_without_npm_it_says_what_is_missing(monkeypatch, capsys):
    monkeypatch.setattr(engine.shutil, "which", lambda *_, **__: None)
    engine.make()
    assert "since node is missing" in capsys.readouterr().err
    assert engine.made() is None


@pytest.mark.usefixtures("here")
def test_an_engine_whose_files_are_not_all_there_is_made_again(monkeypatch):
    def killed(*_):
        engine.TARGET.mkdir()
        shutil.copy(engine.WORK / "new" / "engine.json", engine.TARGET)
        raise KeyboardInterrupt

    monkeypatch.setattr(engine, "_build", lambda new: (new / "engine.json").write_text("{}"))
    monkeypatch.setattr(engine.shutil, "move", killed)
    with pytest.raises(KeyboardInterrupt):
        engine.make()
    assert engine.made() is None


def test_it_is_made_once_and_again_when_its_sources_change(made, home):
    reports, said = made
    state = reports / "engine" / "engine.json"
    if said:
        pytest.skip("npm reached no registry, so there is no SQL engine: connect it, run again")
    files = {file.name for file in state.parent.iterdir()}
    assert {"duckdb.js", "editor.js", "engine-00.js", "worker-00.js", "licences.txt"} < files
    # what only tests need is not fetched
    assert not any(reports.parent.glob(".diskbench/engine/node_modules/axe-core"))
    first = state.stat().st_mtime_ns
    make(reports)
    assert state.stat().st_mtime_ns == first
    with (reports / "assets" / "query" / "source" / "table.js").open(
        "a", encoding="utf-8"
    ) as source:
        source.write("// changed\n")
    # bundled anew from packages that are here already
    assert make(reports, npm_config_registry="http://127.0.0.1:9/").stderr == ""
    assert state.stat().st_mtime_ns > first
    # nothing goes to the home folder
    assert list(home.iterdir()) == []
