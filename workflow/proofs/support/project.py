"""A copy of the project in a temporary folder, to run the real workflow."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import duckdb
import yaml

from proofs.support.proof import PROJECT

# What a copy shares with the project: the environment and the compiled crates.
SHARED = (".venv", ".conda", "core/target")

# No call takes this long on the busiest machine, not even all studies at scale tenth: what does
# hangs.
LONGEST_SECONDS = 3600

Contents = dict[Path, bytes]


@dataclass
class Project:
    """A copy of the project that may be used, and spoilt, as a user would."""

    folder: Path

    def environment(self) -> dict[str, str]:
        """Ours, with an own folder for temporary files, and so an own measuring lock."""
        temporary = self.folder / "tmp"
        temporary.mkdir(exist_ok=True)
        return {k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | {
            "TMPDIR": str(temporary)
        }

    def run(
        self,
        *arguments: str,
        environment: dict[str, str] | None = None,
        before: tuple[str, ...] = (),
    ) -> subprocess.CompletedProcess:
        """`bash workflow/run.sh ARGUMENTS` to its end; `before` are words that stand before it."""
        words = [*before, "bash", "workflow/run.sh", *arguments]
        return self._called(words, environment or self.environment(), self.folder)

    def snakemake(
        self, *arguments: str, folder: Path | None = None, **environment: str
    ) -> subprocess.CompletedProcess:
        """`snakemake ARGUMENTS` as a user types it, in this project's folder or in another one."""
        words = [sys.executable, "-m", "snakemake", *arguments]
        programs = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        own = self.environment() | {"PATH": programs} | environment
        return self._called(words, own, folder or self.folder)

    def _called(
        self, words: list[str], environment: dict[str, str], folder: Path
    ) -> subprocess.CompletedProcess:
        return subprocess.run(
            words,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=LONGEST_SECONDS,
        )

    def start(
        self,
        *arguments: str,
        before: tuple[str, ...] = (),
        said: int | IO = subprocess.PIPE,
        **environment: str,
    ) -> subprocess.Popen:
        """`run.sh` in an own process group, so that it can be interrupted as by a terminal.

        said: where stdout and stderr go.
        """
        return subprocess.Popen(
            [*before, "bash", "workflow/run.sh", *arguments],
            cwd=self.folder,
            env=self.environment() | environment,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
            text=True,
            start_new_session=True,
        )

    def records(self) -> list[Path]:
        """The records, sorted, without those that were set aside."""
        found = (self.folder / "data" / "runs").rglob("*.json")
        return sorted(path for path in found if ".superseded-" not in path.name)

    def contents(self) -> Contents:
        """The records, and the bytes of each."""
        return {path: path.read_bytes() for path in self.records()}

    def query(self, sql: str) -> list[tuple]:
        """What the database answers."""
        database = self.folder / "data" / "diskbench.duckdb"
        with duckdb.connect(str(database), read_only=True) as connection:
            return connection.execute(sql).fetchall()

    def page(self, name: str) -> str:
        """A page of the site, as HTML."""
        return (self.folder / "reports" / "_site" / name).read_text(encoding="utf-8")

    def forget(self) -> None:
        """Take away all that was measured and built."""
        for made in ("data/runs", "data/parquet", ".diskbench", "reports/_site"):
            shutil.rmtree(self.folder / made, ignore_errors=True)
        (self.folder / "data" / "diskbench.duckdb").unlink(missing_ok=True)

    def render_only(self, *pages: str) -> None:
        """Have the site made of these pages, sources below `reports/`."""
        assert all((self.folder / "reports" / page).is_file() for page in pages)
        with edited(self.folder / "reports/_quarto.yml") as site:
            site["project"]["render"] = list(pages)

    def copy(self, folder: Path) -> "Project":
        """A copy to spoil, with everything that was measured and built."""
        shutil.copytree(self.folder, folder, symlinks=True, ignore=shutil.ignore_patterns("tmp"))
        return Project(folder)


@contextmanager
def edited(file: Path) -> Iterator[dict[str, Any]]:
    """The document in a YAML file, which is written with its changes."""
    document = yaml.safe_load(file.read_text(encoding="utf-8"))
    yield document
    file.write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")


def as_git_has_it(folder: Path) -> Project:
    """The project as git has it, or would have it; it shares environment and compiled crates."""
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
    for made in SHARED:
        if (PROJECT / made).exists():
            (folder / made).symlink_to(PROJECT / made)
    return Project(folder)


def make_fresh(folder: Path) -> Project:
    """The same, with the native cells of its studies only, 5 and not 32, and few pages, without
    the SQL engine, which the page of queries alone needs: every call makes them."""
    project = as_git_has_it(folder)
    shutil.rmtree(folder / "data" / "runs", ignore_errors=True)
    with edited(folder / "workflow/config/study.yaml") as config:
        for study in config["studies"].values():
            study["matrix"] = [row for row in study["matrix"] if row["formats"] == ["native"]]
        studies = config["studies"].items()
        config["studies"] = {slug: study for slug, study in studies if study["matrix"]}
    with edited(folder / "reports/_quarto.yml") as site:
        site["project"]["pre-render"].remove("lib/engine.py")
    project.render_only("index.qmd", "articles/encryption-2026.qmd", "hosts.qmd", "notebook.qmd")
    return project
