"""Reads `_quarto.yml`, which both renderers use."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import yaml

from console import ExitCode, StudyError


@dataclass(frozen=True)
class Project:
    """The parts of a Quarto website project that the plain renderer needs."""

    folder: Path
    settings: dict

    @property
    def title(self) -> str:
        return self.settings["website"]["title"]

    @property
    def navigation(self) -> list[dict]:
        """The entries of the navbar: `text` and a page (`.qmd`), or a `menu` of these."""
        return self.settings["website"]["navbar"]["left"]

    @property
    def footer(self) -> str:
        return self.settings["website"]["page-footer"]["left"]

    @property
    def favicon(self) -> str:
        return self.settings["website"]["favicon"]

    @property
    def html(self) -> dict:
        """The options of the format `html`."""
        return self.settings["format"]["html"]

    @property
    def site(self) -> Path:
        return self.folder / self.settings["project"]["output-dir"]

    @property
    def prepare(self) -> list[str]:
        """Scripts to run before the first page (`pre-render`), relative to the project."""
        return self.settings["project"]["pre-render"]

    @property
    def resources(self) -> list[Path]:
        """Files that pages load or link to, relative to the project.

        Of Quarto's globs only those that begin with `/`; others would match in any folder.
        """
        patterns = self.settings["project"]["resources"]
        return self._found(pattern.removeprefix("/") for pattern in patterns)

    @property
    def styles(self) -> list[str]:
        return self.html["css"]

    @property
    def headers(self) -> list[Path]:
        """Files to include in the head of every page."""
        return [self.folder / name for name in self.html["include-in-header"]]

    @property
    def echo(self) -> bool:
        """Whether cells show their code by default."""
        return self.settings["execute"]["echo"]

    def pages(self) -> list[Path]:
        """The pages, relative to the project, in order."""
        return self._found(self.settings["project"]["render"])

    def _found(self, patterns: Iterable[str]) -> list[Path]:
        files = [file for pattern in patterns for file in sorted(self.folder.glob(pattern))]
        return [file.relative_to(self.folder) for file in files]


def load(folder: Path) -> Project:
    """Read the project in a folder. Raises StudyError."""
    file = folder / "_quarto.yml"
    try:
        settings = yaml.safe_load(file.read_text(encoding="utf-8"))
        project = Project(folder.resolve(), settings)
        for name, member in vars(Project).items():
            if isinstance(member, property):
                getattr(project, name)  # each setting is required
    except FileNotFoundError:
        line = f"{folder} is not a Quarto project: it has no _quarto.yml"
        raise StudyError(ExitCode.BAD_INPUT, line) from None
    except (yaml.YAMLError, KeyError, TypeError, AttributeError) as error:
        line = f"{file} cannot be read ({type(error).__name__}: {' '.join(str(error).split())})"
        raise StudyError(ExitCode.BAD_INPUT, line) from None
    return project
