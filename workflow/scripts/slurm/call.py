"""One call of slurm.sh, written down for its jobs, and what each job leaves for it to read."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from slurm.settings import Node, Settings

# Everything of a call, below the project's folder on the login node.
PLACE = Path(".diskbench/slurm")


@dataclass(frozen=True)
class Call:
    """What the jobs of a call need to know.

    project: the login node's checkout. archive: its files as they were. target: of run.sh on the
    nodes. words: what stood behind `--config`.
    """

    project: Path
    archive: Path
    target: str
    words: list[str]
    nodes: dict[str, Node]
    partition: str | None
    account: str | None
    minutes: int

    @property
    def place(self) -> Path:
        """Where the call keeps its things."""
        return self.project / PLACE

    def log(self, node: str) -> Path:
        """What run.sh says on a node; nodes.smk knows this name too."""
        return self.place / "logs" / f"{node}.log"

    def outcome(self, node: str) -> Path:
        """Where a node's job says how it ended."""
        return self.place / "outcomes" / f"{node}.json"


@dataclass(frozen=True)
class Outcome:
    """How a node's study ended: exit code, one line for the user, how many records it brought."""

    code: int
    line: str
    brought: int = 0


def write(call: Call, path: Path) -> None:
    """For Snakemake (`--configfile`) and the jobs."""
    settings = {key: getattr(call, key) for key in ("partition", "account", "minutes")}
    document = {
        "call": str(path),
        "project": str(call.project),
        "archive": str(call.archive),
        "target": call.target,
        "words": call.words,
        "nodes": {name: asdict(node) for name, node in call.nodes.items()},
        "settings": settings,
    }
    put(path, document)


def read(path: Path) -> Call:
    """The call as it was written."""
    document = json.loads(path.read_text(encoding="utf-8"))
    return Call(
        Path(document["project"]),
        Path(document["archive"]),
        document["target"],
        document["words"],
        {name: Node(**node) for name, node in document["nodes"].items()},
        **document["settings"],
    )


def made(project: Path, settings: Settings, nodes: dict[str, Node], **more: Any) -> Call:
    """A call of these nodes, with the limits of slurm.yaml."""
    limits = {key: getattr(settings, key) for key in ("partition", "account", "minutes")}
    archive = project / PLACE / "project.tar"
    return Call(project=project, archive=archive, nodes=nodes, **limits, **more)


def outcome(call: Call, node: str) -> Outcome | None:
    """How a node's job ended, when it came to say so."""
    try:
        return Outcome(**json.loads(call.outcome(node).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def put(path: Path, document: dict[str, Any]) -> None:
    """Whole or not at all: another machine may read it at any time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    partial.write_text(json.dumps(document, indent=1), encoding="utf-8")
    partial.replace(path)
