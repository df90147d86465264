"""A copy of the project in a temporary folder, and the real workflow run in it from end to end."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pytest
import yaml

PROJECT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(Path(__file__).parent))

import alone  # noqa: E402  (found through the line above)


@dataclass
class Project:
    """A copy of the project that a test may use as a user would."""

    folder: Path

    def environment(self) -> dict[str, str]:
        # a folder of its own for temporary files, and so a measuring lock of its own
        temporary = self.folder / "tmp"
        temporary.mkdir(exist_ok=True)
        return {k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | {
            "TMPDIR": str(temporary)
        }

    def somebodys(self) -> dict[str, str]:
        """The same for a person whose name and home cannot be missed; cargo is where it was."""
        home = self.folder / "tmp" / alone.PERSON
        home.mkdir(parents=True, exist_ok=True)
        real = Path.home()
        tools = {"CARGO_HOME": ".cargo", "RUSTUP_HOME": ".rustup"}
        return (
            {name: str(real / folder) for name, folder in tools.items()}
            | self.environment()
            | {"HOME": str(home), "USER": alone.PERSON, "LOGNAME": alone.PERSON}
        )

    def run(
        self,
        *arguments: str,
        environment: dict[str, str] | None = None,
        before: tuple[str, ...] = (),
    ) -> subprocess.CompletedProcess:
        """`bash workflow/run.sh ARGUMENTS`; `before` are words that stand before it."""
        return subprocess.run(
            [*before, "bash", "workflow/run.sh", *arguments],
            cwd=self.folder,
            env=environment or self.environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=600,
        )

    def start(self, *arguments: str) -> subprocess.Popen:
        """The same in a process group of its own, so that it can be interrupted as a terminal does."""
        return subprocess.Popen(
            ["bash", "workflow/run.sh", *arguments],
            cwd=self.folder,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def records(self) -> list[Path]:
        found = (self.folder / "data" / "runs").rglob("*.json")
        return sorted(path for path in found if ".superseded-" not in path.name)

    def query(self, sql: str) -> list[tuple]:
        database = self.folder / "data" / "diskbench.duckdb"
        with duckdb.connect(str(database), read_only=True) as connection:
            return connection.execute(sql).fetchall()

    def page(self, name: str) -> str:
        return (self.folder / "reports" / "_site" / name).read_text(encoding="utf-8")

    def render_only(self, *pages: str) -> None:
        """Have the site made of these pages, sources below `reports/`."""
        config = self.folder / "reports" / "_quarto.yml"
        document = yaml.safe_load(config.read_text(encoding="utf-8"))
        assert all((self.folder / "reports" / page).is_file() for page in pages)
        document["project"]["render"] = list(pages)
        config.write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")

    def copy(self, folder: Path) -> "Project":
        """A copy to spoil, with everything that was measured and built."""
        shutil.copytree(self.folder, folder, symlinks=True, ignore=shutil.ignore_patterns("tmp"))
        return Project(folder)


@pytest.fixture(scope="session")
def fresh(tmp_path_factory) -> Project:
    """The project as git has it, or would have it, with the native cells of its study only.

    The environment and the compiled crates are shared.
    """
    folder = tmp_path_factory.mktemp("e2e") / "project"
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        source = PROJECT / name
        if source.is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, folder / name)
    for made in (".venv", ".conda", "core/target"):
        if (PROJECT / made).exists():
            (folder / made).symlink_to(PROJECT / made)
    shutil.rmtree(folder / "data" / "runs", ignore_errors=True)
    _measure_native_only(folder / "workflow" / "config" / "study.yaml")
    _fetch_no_engine(folder / "reports" / "_quarto.yml")
    project = Project(folder)
    # every call makes the site: a few pages here, all of them in tests/publish
    project.render_only("index.qmd", "articles/encryption-2026.qmd", "hosts.qmd", "notebook.qmd")
    return project


def _fetch_no_engine(config: Path) -> None:
    """Leave the SQL engine out, which the page of queries alone needs."""
    document = yaml.safe_load(config.read_text(encoding="utf-8"))
    document["project"]["pre-render"].remove("lib/engine.py")
    config.write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")


def _measure_native_only(config: Path) -> None:
    """Take images and guests out of the copy's studies: 5 cells, not 32; test_portable.py has some."""
    document = yaml.safe_load(config.read_text(encoding="utf-8"))
    studies = document["studies"]
    for study in studies.values():
        study["matrix"] = [row for row in study["matrix"] if row["formats"] == ["native"]]
    document["studies"] = {slug: study for slug, study in studies.items() if study["matrix"]}
    assert len(document["studies"]) == 4  # bands-2024 has images only
    config.write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")


@pytest.fixture(scope="session")
def studied(fresh) -> Project:
    """The project after `bash workflow/run.sh`: without a network, where the system allows that."""
    done = fresh.run(environment=fresh.somebodys(), before=alone.prefix())
    assert done.returncode == 0, done.stderr
    return fresh


@pytest.fixture(scope="session")
def portable(fresh, tmp_path_factory):
    """A project in which only usage-phases was measured, on three images and without one."""
    project = fresh.copy(tmp_path_factory.mktemp("portable") / "project")
    for made in ("data/runs", "data/parquet", ".diskbench", "reports/_site"):
        shutil.rmtree(project.folder / made, ignore_errors=True)
    (project.folder / "data" / "diskbench.duckdb").unlink(missing_ok=True)
    pages = ["index.qmd", "hosts.qmd", "space.qmd", "data.qmd"]
    if alone.prefix():
        # where npm reaches nobody
        pages.append("query.qmd")
        _fetch_engine(project.folder / "reports" / "_quarto.yml")
    project.render_only(*pages)
    done = project.run(
        *("--config", "protocols=[usage-phases]"),
        "matrix=[{driver: native, formats: [native], encryptions: [host]},"
        " {driver: portable, formats: [UDSB, UDSP], encryptions: [AES-256]},"
        " {driver: portable, formats: [ASIF], encryptions: [none]}]",
        environment=project.somebodys(),
        before=alone.prefix(),
    )
    assert done.returncode == 0, done.stderr
    assert "12 of 12 cells measured, 0 skipped, 0 failed" in done.stderr
    return project


def _fetch_engine(config: Path) -> None:
    """Have the SQL engine fetched after all."""
    document = yaml.safe_load(config.read_text(encoding="utf-8"))
    document["project"]["pre-render"].append("lib/engine.py")
    config.write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")


@pytest.fixture
def spoilable(studied, tmp_path) -> Project:
    """A studied project that a test may spoil."""
    return studied.copy(tmp_path / "project")
