"""Reading slurm.yaml: which nodes there are, what each is called in records, where it measures."""

import difflib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from strict_yaml import read_yaml
from study.config import WORKFLOW, bad_input, validate
from study.machine import AUTO

# What Slurm's names are made of; they become words of commands and parts of paths.
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")

FILE = WORKFLOW / "config" / "slurm.yaml"
SCHEMA = WORKFLOW / "schemas" / "slurm.schema.json"


@dataclass(frozen=True)
class Node:
    """One node: its name in Slurm, the slug of its host in records, a folder on its own disk."""

    name: str
    host: str
    folder: str


@dataclass(frozen=True)
class Settings:
    """slurm.yaml; partition and account are None where Slurm chooses."""

    nodes: dict[str, Node]
    partition: str | None
    account: str | None
    minutes: int


def read(path: Path = FILE) -> Settings:
    """The settings. Raises StudyError (bad input) in one line."""
    document = read_yaml(path)
    validate(document, SCHEMA, where=f"workflow/config/{path.name}")
    _check(document, path.name)
    nodes = [Node(one["node"], one["host"], one["folder"]) for one in document["nodes"]]
    for key, values in (("node", [n.name for n in nodes]), ("host", [n.host for n in nodes])):
        for value in values:
            if values.count(value) > 1:
                raise bad_input(
                    f"{key} '{value}' stands twice in workflow/config/{path.name}: "
                    "give each node its own"
                )
    more: dict[str, Any] = {key: document[key] for key in ("partition", "account", "minutes")}
    return Settings({node.name: node for node in nodes}, **more)


def _check(document: dict[str, Any], file: str) -> None:
    names = [("node", one["node"]) for one in document["nodes"]]
    names += [(key, document[key]) for key in ("partition", "account") if document[key] is not None]
    for key, name in names:
        if not NAME.fullmatch(name):
            raise bad_input(
                f"{key}: '{name}' is no name that Slurm gives (letters, digits, '.', '_' and '-'; "
                f"of a list such as n[1-4] each is an entry of its own) in workflow/config/{file}"
            )
    for one in document["nodes"]:
        if one["host"] == AUTO:
            raise bad_input(
                f"host: nodes of a cluster are often alike, so '{AUTO}' names none of them: give "
                f"{one['node']} a name of its own in workflow/config/{file}"
            )
        if not one["folder"].startswith("/"):
            raise bad_input(
                f"folder: '{one['folder']}' does not begin with /: give the whole path of a folder "
                f"on the own disk of {one['node']} in workflow/config/{file}"
            )


def chosen(settings: Settings, names: str | None) -> dict[str, Node]:
    """The nodes that `--nodes a,b` asks for, or all. Raises StudyError for one that is unknown."""
    if not settings.nodes:
        raise bad_input(
            "workflow/config/slurm.yaml names no node: add an entry for each that is to be measured"
        )
    if names is None:
        return settings.nodes
    asked = dict.fromkeys(name for name in names.split(",") if name)
    if not asked:
        raise bad_input("--nodes names no node: give some, as in --nodes n1,n2")
    for name in asked:
        if name not in settings.nodes:
            close = difflib.get_close_matches(name, settings.nodes, n=1)
            meant = f" (did you mean '{close[0]}'?)" if close else ""
            raise bad_input(
                f"unknown node '{name}'{meant}: workflow/config/slurm.yaml has "
                f"{', '.join(settings.nodes)}"
            )
    return {name: settings.nodes[name] for name in asked}
