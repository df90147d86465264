"""The settings of a study: values of study.yaml; descriptions and limits of its schema."""

import json
from collections.abc import Iterator
from typing import Any

from lib import project, show, study, tables

SCHEMA = "workflow/schemas/study.schema.json"
NAME = "lower-case letters, digits and hyphens"


def table() -> show.Shown:
    """A row per setting; groups have a row for each key."""
    return tables.table(
        settings(),
        [
            tables.text("Setting", 0, tables.keep),
            tables.text("As shipped", 1, lambda value: tables.code(f"`{_written(value)}`")),
            tables.text(
                "Allowed", lambda row: "" if row[1] is None else allowed(described(row[0]))
            ),
            tables.sentence(
                "What it does", 0, lambda key: tables.code(described(key)["description"])
            ),
        ],
        "The settings of study.yaml",
        name="settings",
        classes="wide",
    )


def matrix_keys() -> show.Shown:
    """The keys of a row of a matrix."""
    return tables.table(
        _schema()["$defs"]["row"]["properties"].items(),
        [
            tables.text("Key", 0, tables.keep),
            tables.text("Allowed", 1, allowed),
            tables.sentence("What it does", 1, lambda schema: tables.code(schema["description"])),
        ],
        "The keys of a row of a matrix",
        name="matrix-keys",
        classes="wide",
    )


def settings() -> Iterator[tuple[str, Any]]:
    """Each setting with its shipped value.

    The keys of a group such as `io` follow it as `io.cache`; the group itself has no value.
    """
    for key, value in study.settings().items():
        if key == "studies":
            continue  # these have a table of their own
        if not isinstance(value, dict):
            yield key, value
            continue
        yield key, None
        for inner, one in value.items():
            yield f"{key}.{inner}", one


def allowed(schema: dict[str, Any]) -> str:
    """The allowed values of a schema, in a few words."""
    schema = _resolved(schema)
    if "oneOf" in schema:
        return ", ".join(one["const"] for one in schema["oneOf"])
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


def described(key: str) -> dict[str, Any]:
    """The schema of a setting, with its description."""
    schema = _schema()
    for part in key.split("."):
        schema = _resolved(schema)["properties"][part]
    return schema


def _resolved(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema with its reference resolved."""
    while "$ref" in schema:
        file, _, name = schema["$ref"].partition("#/$defs/")
        schema = _schema(file)["$defs"][name]
    return schema


def _schema(file: str = "") -> dict[str, Any]:
    return json.loads(project.text(f"workflow/schemas/{file or 'study.schema.json'}"))


def _written(value: object) -> str:
    """A value in the notation of --config."""
    return value if isinstance(value, str) else json.dumps(value).replace('"', "")
