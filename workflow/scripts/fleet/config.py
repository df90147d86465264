"""Reading fleet.yaml: the desk, and every host with what is measured there."""

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from console import ExitCode, StudyError
from fleet.hours import Hours
from study.config import WORKFLOW, bad_input, validate

FILE = Path("workflow/config/fleet.yaml")
SCHEMA = WORKFLOW / "schemas" / "fleet.schema.json"

# An IP address of either kind, or a name.
ADDRESS = re.compile(r"[A-Za-z0-9.:_-]+")

# These are each host's own.
OF_HOSTS = ("host", "storage")


@dataclass(frozen=True)
class Desk:
    """Where the desk listens, and where its dashboard does on loopback."""

    address: str
    port: int
    dashboard_port: int


@dataclass(frozen=True)
class Host:
    """One host of the fleet, as fleet.yaml has it."""

    slug: str
    address: str | None = None
    studies: tuple[str, ...] = ()
    scale: str | None = None
    storage: tuple[dict[str, str], ...] = ()
    hours: Hours | None = None

    def words(self, asked: dict[str, str], known: list[str]) -> list[str]:
        """What stands behind `--config` on this host; empty when nothing is asked of it.

        asked: the words of the call at the desk, by key. known: the slugs of all studies.
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
    """The desk and its hosts, by slug."""

    desk: Desk
    hosts: dict[str, Host] = field(default_factory=dict)


def read(path: Path = FILE) -> Fleet:
    """fleet.yaml, found to be valid. Raises StudyError (bad input) in one line."""
    try:
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise bad_input(f"{path} cannot be read ({error.strerror}): bring it back") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise bad_input(f"{path.name} is not YAML: {' '.join(str(error).split())}") from error
    validate(document, SCHEMA, where=path.name)
    for key, given in (("desk", document["desk"]), *document["hosts"].items()):
        if not ADDRESS.fullmatch((given or {}).get("address", "any")):
            raise bad_input(
                f"{key}.address: '{given['address']}' is no IP address and no name of a machine; "
                f"in {path.name}"
            )
    hosts = {slug: _host(slug, given or {}) for slug, given in document["hosts"].items()}
    return Fleet(Desk(**document["desk"]), hosts)


def asked_words(words: list[str]) -> dict[str, str]:
    """The words behind `--config` at the desk, by key. Raises StudyError (bad input)."""
    asked = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or not key:
            raise bad_input(f"--config {word}: give key=value, as in scale=tenth")
        if key in OF_HOSTS:
            raise bad_input(f"--config {key}: every host has its own; give it in {FILE.name}")
        asked[key] = value
    return asked


def _asked_for(asked: dict[str, str], known: list[str]) -> list[str]:
    value = yaml.safe_load(asked.get("study", "all"))
    if value == "all":
        return known
    return value if isinstance(value, list) else [value]


def _host(slug: str, given: dict[str, Any]) -> Host:
    try:
        hours = Hours.parse(given["hours"]) if "hours" in given else None
    except ValueError as error:
        raise bad_input(f"hosts.{slug}.hours: {error}; in {FILE.name}") from error
    return Host(
        slug,
        given.get("address"),
        tuple(given.get("studies", ())),
        given.get("scale"),
        tuple(given.get("storage", ())),
        hours,
    )


def refuse_no_hosts(fleet: Fleet) -> None:
    """Raise StudyError when the fleet has no host."""
    if not fleet.hosts:
        raise StudyError(
            ExitCode.BAD_INPUT,
            f"{FILE} names no host: add each under `hosts`, as its comment shows, then call again",
        )
