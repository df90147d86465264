"""The statements about macOS that the driver relies on: workflow/config/statements.yaml."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import strict_yaml

FILE = Path(__file__).resolve().parents[2] / "config" / "statements.yaml"


@dataclass(frozen=True)
class Statement:
    """A statement; `until` is the last macOS that it applies to, `without` why it has no probe."""

    id: str
    says: str
    since: int
    used: tuple[str, ...]
    source: str
    until: int | None = None
    probe: str | None = None
    without: str | None = None
    row: str | None = None
    codes: tuple[int, ...] = ()
    words: tuple[str, ...] = ()

    def is_about(self, release: int) -> bool:
        """Whether it applies to this major version of macOS."""
        return self.since <= release and (self.until is None or release <= self.until)


@cache
def all_of_them() -> dict[str, Statement]:
    """Every statement by its name, in the order of the file."""
    return {
        name: Statement(id=name, **{key: _frozen(value) for key, value in keys.items()})
        for name, keys in strict_yaml.read_yaml(FILE)["statements"].items()
    }


def _frozen(value):
    return tuple(value) if isinstance(value, list) else value
