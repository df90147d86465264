"""Reads fleet.yaml: the coordinator, and each host with its studies and settings."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from arguments import did_you_mean
from console import ExitCode, StudyError
from strict_yaml import read_yaml
from study.config import WORKFLOW, bad_input, validate
from study.options import by_key
from study.studies import ALL

FILE = Path("workflow/config/fleet.yaml")
SCHEMA = WORKFLOW / "schemas" / "fleet.schema.json"
STUDY = WORKFLOW / "config" / "study.yaml"

# minutes that a host may be absent when all others are done: enough for a macOS update
WAIT_MINUTES = 30.0

# An IP address of either kind, or a name.
ADDRESS = re.compile(r"[A-Za-z0-9.:_-]+")

# settings of each host, not of the call
OF_HOSTS = ("host", "storage")


@dataclass(frozen=True)
class Coordinator:
    """The coordinator's address and port."""

    address: str
    port: int


@dataclass(frozen=True)
class Host:
    """One host in fleet.yaml."""

    slug: str
    address: str | None = None
    studies: Sequence[str] = ()
    scale: str | None = None
    storage: Sequence[dict[str, str]] = ()

    def words(self, asked: dict[str, str], known: list[str]) -> list[str]:
        """The arguments of `--config` on this host; empty if it measures nothing.

        asked: the coordinator's arguments by key. known: the slugs of all studies.
        """
        words = {"host": self.slug}
        if self.scale:
            words["scale"] = self.scale
        if self.storage:
            words["storage"] = json.dumps(self.storage)
        words |= asked
        if self.studies:
            wanted = [one for one in self.studies if one in _asked_for(asked, known)]
            if not wanted:
                return []
            words["study"] = json.dumps(wanted)
        return [f"{key}={value}" for key, value in words.items()]


@dataclass(frozen=True)
class Fleet:
    """The coordinator and its hosts, by slug."""

    coordinator: Coordinator
    hosts: dict[str, Host]


def read(path: Path = FILE) -> Fleet:
    """The validated fleet.yaml. Raises StudyError (bad input)."""
    document = read_yaml(path)
    validate(document, SCHEMA, where=path.name)
    for key, given in (("coordinator", document["coordinator"]), *document["hosts"].items()):
        if not ADDRESS.fullmatch((given or {}).get("address", "any")):
            raise bad_input(
                f"{key}.address: '{given['address']}' is neither an IP address nor the name of a "
                f"machine; in {path.name}"
            )
    hosts = {slug: Host(slug, **(given or {})) for slug, given in document["hosts"].items()}
    return Fleet(Coordinator(**document["coordinator"]), hosts)


def asked_words(words: list[str]) -> dict[str, str]:
    """The coordinator's arguments of `--config` by key. Raises StudyError (bad input)."""
    asked = by_key(words)
    for key in OF_HOSTS:
        if key in asked:
            raise bad_input(f"--config {key}: every host has its own; give it in {FILE.name}")
    return asked


def values(asked: dict[str, str]) -> dict[str, Any]:
    """The same with parsed values. Raises StudyError (bad input) for invalid YAML."""
    meant = {}
    for key, value in asked.items():
        try:
            meant[key] = yaml.safe_load(value)
        except yaml.YAMLError as error:
            raise bad_input(
                f"--config {key}: '{value}' is not YAML: close each bracket and quote, and quote "
                "the whole for the shell"
            ) from error
    return meant


def study_with(asked: dict[str, str]) -> dict[str, Any]:
    """study.yaml with these arguments, combined as Snakemake does it. Raises StudyError."""
    return _merged(read_yaml(STUDY), values(asked))


def _merged(config: Any, changes: dict[str, Any]) -> dict[str, Any]:
    """A mapping changes only those keys of another that it has."""
    before = config if isinstance(config, dict) else {}
    return before | {
        key: _merged(before.get(key), value) if isinstance(value, dict) else value
        for key, value in changes.items()
    }


def refuse_unknown_studies(fleet: Fleet, known: list[str]) -> None:
    """Raise StudyError (bad input) if a host's study does not exist."""
    for host in fleet.hosts.values():
        for one in host.studies:
            if one not in known:
                raise bad_input(
                    f"hosts.{host.slug}.studies: unknown study '{one}'{did_you_mean(one, known)}: "
                    f"use some of {', '.join(known)}, or leave studies out for all; in {FILE.name}"
                )


def _asked_for(asked: dict[str, str], known: list[str]) -> list[str]:
    value = yaml.safe_load(asked.get("study", "all"))
    asked_for = value if isinstance(value, list) else [value]
    return known if ALL in asked_for else asked_for


def refuse_no_hosts(fleet: Fleet) -> None:
    """Raise StudyError if the fleet has no host."""
    if not fleet.hosts:
        raise StudyError(
            ExitCode.BAD_INPUT,
            f"{FILE} names no host: add each under `hosts`, as its comment shows, then run again",
        )
