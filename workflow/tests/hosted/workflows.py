"""The workflows of hosted runners, as they are written."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

import yaml

PROJECT = Path(__file__).resolve().parents[3]
WORKFLOWS = sorted((PROJECT / ".github" / "workflows").glob("*.yml"))

# undoes what a pull request changes beside records, so no command of ours may do it: it might be changed, too
FROM_THE_BASE = "git restore --source=HEAD^1 --staged --worktree -- . ':!data/runs'"

# the condition of a step that runs whatever failed before
WHATEVER_FAILED = "${{ !cancelled() }}"


@dataclass(frozen=True)
class Job:
    """A job of a workflow, for one combination of its matrix."""

    workflow: str
    name: str
    matrix: dict[str, str]
    steps: list[dict[str, Any]] = field(compare=False)

    def __str__(self) -> str:
        return "-".join([self.workflow, self.name, *self.matrix.values()])


def documents() -> dict[str, dict[str, Any]]:
    """The workflows by name, as YAML."""
    return {path.stem: yaml.safe_load(path.read_text(encoding="utf-8")) for path in WORKFLOWS}


def jobs() -> Iterator[Job]:
    """Every job of every workflow, for each combination of its matrix."""
    for workflow, document in documents().items():
        for name, job in document["jobs"].items():
            matrix = dict(job.get("strategy", {}).get("matrix", {}))
            combinations = matrix.pop("include", None)
            if combinations is None:
                combinations = [
                    dict(zip(matrix, one, strict=True)) for one in product(*matrix.values())
                ]
            for combination in combinations:
                yield Job(workflow, name, combination, job["steps"])


def artifacts(workflow: str, job: str, action: str) -> list[dict[str, Any]]:
    """What each step of a job with this action is given."""
    steps = documents()[workflow]["jobs"][job]["steps"]
    used = (step for step in steps if step.get("uses", "").partition("@")[0] == action)
    return [step.get("with", {}) for step in used]
