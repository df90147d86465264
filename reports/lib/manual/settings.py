"""The settings of a study: values and comments of study.yaml, and what its schema allows."""

import json
import re
from collections.abc import Iterator
from typing import Any

import yaml

from lib import project, show, tables

STUDY = "workflow/config/study.yaml"
SCHEMA = "workflow/schemas/study.schema.json"
NAME = "lower-case letters, digits and hyphens"


def table() -> show.Shown:
    """One row for each setting; those that are groups have a row for each of their keys."""
    return tables.table(
        [
            {
                "key": tables.keep(key),
                "shipped": "" if value is None else tables.code(f"`{_written(value)}`"),
                "allowed": "" if value is None else allowed(_described(key)),
                "note": tables.code(comment),
            }
            for key, value, comment in settings()
        ],
        {"key": "Setting", "shipped": "As shipped", "allowed": "Allowed", "note": "What it does"},
        "The settings of study.yaml",
        name="settings",
        classes="wide",
    )


def matrix_keys() -> show.Shown:
    """The keys of a row of a matrix."""
    return tables.table(
        [
            {
                "key": tables.keep(key),
                "allowed": allowed(_schema()["$defs"]["row"]["properties"][key]),
                "note": tables.code(comment),
            }
            for key, comment in row_keys().items()
        ],
        {"key": "Key", "allowed": "Allowed", "note": "What it does"},
        "The keys of a row of a matrix",
        name="matrix-keys",
        classes="wide",
    )


def settings() -> Iterator[tuple[str, Any, str]]:
    """Each setting with its shipped value and its comment.

    The keys of a group such as `io` follow it as `io.cache`; the group itself has no value.
    """
    text = project.text(STUDY)
    for key, value in yaml.safe_load(text).items():
        if key == "studies":
            continue  # a table of their own
        if not isinstance(value, dict):
            yield key, value, _comment(text, key)
            continue
        yield key, None, _comment(text, key)
        for inner, one in value.items():
            behind = re.search(rf"^  {inner}: [^#\n]*# (.+)$", text, re.MULTILINE)
            yield f"{key}.{inner}", one, behind[1]


def row_keys() -> dict[str, str]:
    """What the comment of `studies` says of each key of a row."""
    lines = _comment_lines(project.text(STUDY), "studies")
    found: dict[str, str] = {}
    for line in lines:
        if head := re.match(r"  (\w+) +(.+)", line):
            key, found[head[1]] = head[1], head[2]
        elif re.match(r" {6,}\S", line) and found:
            found[key] += f" {line.strip()}"
    return found


def allowed(schema: dict[str, Any]) -> str:
    """What a schema allows, in a few words."""
    schema = _resolved(schema)
    if "enum" in schema:
        return ", ".join(map(str, schema["enum"]))
    if "then" in schema and "enum" in schema["then"]:
        return f"{', '.join(schema['then']['enum'])}, or {_range(schema)}"
    match schema.get("type"):
        case "integer":
            return _range(schema)
        case "string":
            return NAME if "pattern" in schema else "text"
        case "object":
            return f"entries with {', '.join(schema['properties'])}"
        case "array":
            return f"a list: {allowed(schema['items'])}"
        case [_, "array"]:
            return f"a name or a list of names: {NAME}"
    raise LookupError(f"{SCHEMA} has a setting of a kind that the manual does not show: {schema}")


def _range(schema: dict[str, Any]) -> str:
    return f"{schema['minimum']:,} to {schema['maximum']:,}"


def _described(key: str) -> dict[str, Any]:
    """The schema of a setting."""
    schema = _schema()
    for part in key.split("."):
        schema = _resolved(schema["properties"][part])
    return schema


def _resolved(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema itself in the place of a reference to it."""
    while "$ref" in schema:
        schema = _schema()["$defs"][schema["$ref"].rpartition("/")[2]]
    return schema


def _schema() -> dict[str, Any]:
    return json.loads(project.text(SCHEMA))


def _written(value: object) -> str:
    """A value as it is given to --config."""
    return value if isinstance(value, str) else json.dumps(value).replace('"', "")


def _comment(text: str, key: str) -> str:
    """The comment above a key, as one line; examples, which are indented, stay in the file."""
    return " ".join(line for line in _comment_lines(text, key) if not line.startswith(" "))


def _comment_lines(text: str, key: str) -> list[str]:
    above = text[: re.search(rf"^{key}:", text, re.MULTILINE).start()].splitlines()
    block: list[str] = []
    while above and above[-1].startswith("#"):
        block.insert(0, above.pop().removeprefix("#").removeprefix(" "))
    return block
