"""Reads study.yaml with the changes of the command line, and the protocols.

Everything is checked against its JSON Schema before use; a mistake is reported in one line with the
key.
"""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, best_match
from referencing import Registry

import personal
from arguments import did_you_mean
from console import ExitCode, StudyError
from strict_yaml import read_yaml
from study.studies import ALL, EXTERNAL, INTERNAL, NONE
from vocabulary import ENCRYPTIONS, FORMATS, STATES

WORKFLOW = Path(__file__).resolve().parents[2]
STUDY_SCHEMA = WORKFLOW / "schemas" / "study.schema.json"
PROTOCOL_SCHEMA = WORKFLOW / "schemas" / "protocol.schema.json"
CELL_SCHEMA = WORKFLOW / "schemas" / "cell.schema.json"
PROTOCOLS = WORKFLOW / "config" / "protocols"

# formats without an image: a folder on this machine's disk, or on a guest's, measured inside it
NATIVE_FORMATS = ("native", "VM")

# formats of images, and encryptions, of driver portable
IMAGE_FORMATS = tuple(name for name in FORMATS if name not in NATIVE_FORMATS)
PORTABLE_ENCRYPTIONS = tuple(name for name, known in ENCRYPTIONS.items() if "portable" in known)

# folders of the project that storages may be in: nothing else writes there
OWN_FOLDER = ".diskbench"

# formats with a configurable size of bands or blocks
WITH = {
    what: tuple(name for name, known in FORMATS.items() if what in known)
    for what in ("bands", "blocks")
}


def checked_study(config: dict[str, Any]) -> dict[str, Any]:
    """The validated config of the study.

    `config` is Snakemake's combination of study.yaml and `--config`. Raises StudyError (bad input).
    """
    config = _with_numbers(config)
    validate(config, STUDY_SCHEMA, where="study.yaml or --config")
    slugs = [storage["slug"] for storage in config["storage"]]
    for slug in slugs:
        if slugs.count(slug) > 1:
            raise bad_input(
                f"storage slug '{slug}' occurs twice in the study's config: give each its own"
            )
    _check_folders(config["storage"])
    _check_descriptions(config["storage"])
    for word, meaning in ((ALL, "all of them"), (NONE, "none of them")):
        if word in config["studies"]:
            raise bad_input(f"a study cannot be called '{word}', which means {meaning}: rename it")
    rows = [row for study in config["studies"].values() for row in study["matrix"]]
    for row in rows + config.get("matrix", []):
        _check_combinations(row)
        _check_sizes(row)
        _check_storages(row, slugs)
    return config


def _check_folders(storages: list[dict[str, str]]) -> None:
    """Refuse storages among the project's own files, and two storages in one folder."""
    project = Path.cwd().resolve()
    places: dict[Path, str] = {}
    for storage in storages:
        slug, folder = storage["slug"], storage["folder"]
        if not folder.isprintable():
            raise bad_input(
                f"storage {slug}: its folder has a character that cannot be printed: name another"
            )
        place = Path(folder).resolve()
        if place.is_relative_to(project) and project / OWN_FOLDER not in place.parents:
            raise bad_input(
                f"storage {slug}: {folder} is part of the project: name a folder elsewhere, or "
                f"below {OWN_FOLDER}"
            )
        if place in places:
            raise bad_input(
                f"storages {places[place]} and {slug} are one folder, {place}: "
                "name another, or leave one out"
            )
        places[place] = slug


def _check_descriptions(storages: list[dict[str, str]]) -> None:
    """Refuse a description with which no record could be sent."""
    for storage in storages:
        for what, text in personal.found(storage.get("description", "")):
            raise bad_input(
                f"storage {storage['slug']}: its description has {what} ({text}), and records with "
                "such a text are not accepted: describe it without"
            )


def _with_numbers(config: dict[str, Any]) -> dict[str, Any]:
    """A copy with texts converted to integers: Snakemake passes numbers inside lists and mappings
    of `--config` as text. So are numbers such as 3.0 and 1e3, which JSON Schema calls integers."""
    config = _with_whole(config)
    schema = json.loads(STUDY_SCHEMA.read_text(encoding="utf-8"))
    for error in list(Draft202012Validator(schema, registry=_schemas()).iter_errors(config)):
        if error.validator_value == "integer" and re.fullmatch(r"\d{1,18}", str(error.instance)):
            *above, key = error.absolute_path
            place = config
            for part in above:
                place = place[part]
            place[key] = int(error.instance)
    return config


def _with_whole(value: Any) -> Any:
    """A copy with integers for whole numbers."""
    if isinstance(value, dict):
        return {key: _with_whole(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_with_whole(one) for one in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _check_sizes(row: dict[str, Any]) -> None:
    for key, what in (("band_bytes", "bands"), ("block_bytes", "blocks")):
        for fmt in row["formats"] if key in row else ():
            if fmt not in WITH[what]:
                raise bad_input(
                    f"{key} does not go with format '{fmt}', which has no {what} to choose: "
                    f"give it in a row of {' and '.join(WITH[what])} only"
                )
    size = row.get("band_bytes", 0)
    if size & (size - 1):
        raise bad_input(f"band_bytes: {size} is not a power of two: use one, such as 8388608")


def _check_storages(row: dict[str, Any], there: list[str]) -> None:
    known = list(dict.fromkeys([INTERNAL, EXTERNAL, *there]))
    for slug in row.get("storages", []):
        if slug not in known:
            raise bad_input(
                f"storages: '{slug}' is not in the study's storage{did_you_mean(slug, known)}: "
                f"add it there, or use one of {', '.join(known)}"
            )


def _check_combinations(row: dict[str, Any]) -> None:
    """Refuse what a row's driver does not support; `auto` may be ours, so it has our limits."""
    driver = row["driver"]
    for fmt in row["formats"]:
        if (fmt in NATIVE_FORMATS) != (driver == "native"):
            raise bad_input(
                f"format '{fmt}' does not go with driver '{driver}': "
                "driver native measures formats native and VM, and nothing else does"
            )
    for encryption in row["encryptions"]:
        if driver in ("auto", "portable") and encryption not in PORTABLE_ENCRYPTIONS:
            raise bad_input(
                f"encryption '{encryption}' does not go with driver '{driver}': "
                f"use one of {', '.join(PORTABLE_ENCRYPTIONS)}"
            )


@cache
def read_protocol(name: str) -> dict[str, Any]:
    """A protocol by name. Raises StudyError (bad input) if it is missing or invalid."""
    path = PROTOCOLS / f"{name}.yaml"
    if not path.is_file():
        known = sorted(file.stem for file in PROTOCOLS.glob("*.yaml"))
        raise bad_input(
            f"unknown protocol '{name}'{did_you_mean(name, known)}: use one of {', '.join(known)}"
        )
    protocol = read_yaml(path)
    validate(protocol, PROTOCOL_SCHEMA, where=f"protocol {path.name}")
    for step in (step for phase in protocol["phases"] for step in phase["steps"]):
        if step["step"] == "measure" and step["state"] not in STATES:
            hint = did_you_mean(step["state"], STATES)
            raise bad_input(
                f"state '{step['state']}' in protocol {path.name} is not known{hint}: use another, "
                "or add it to states in workflow/config/vocabulary.yaml"
            )
    return {"name": name} | protocol


def validate(document: Any, schema_path: Path, where: str) -> None:
    """Check a document against a schema; the most relevant mistake becomes a StudyError."""
    schema = json.loads(schema_path.read_text(encoding="utf-8"))
    error = best_match(Draft202012Validator(schema, registry=_schemas()).iter_errors(document))
    if error is not None:
        raise bad_input(f"{_mistake(error)} in {where}")


def _schemas() -> Registry:
    """What one schema takes from another, by the name of its file."""
    return Registry().with_contents(
        (file.name, json.loads(file.read_text(encoding="utf-8")))
        for file in (STUDY_SCHEMA, CELL_SCHEMA)
    )


def bad_input(line: str) -> StudyError:
    """A StudyError about the user's input."""
    return StudyError(ExitCode.BAD_INPUT, line)


def _mistake(error: ValidationError) -> str:
    key = ".".join(str(part) for part in error.absolute_path) or "the document"
    match error.validator:
        case "additionalProperties":
            known = list(error.schema.get("properties", {}))
            unknown = next((name for name in error.instance if name not in known), "?")
            meant = did_you_mean(unknown, known)
            return f"unknown key '{unknown}'{meant}: known are {', '.join(known)};"
        case "required":
            missing = next(
                (name for name in error.validator_value if name not in error.instance), "?"
            )
            place = f" from {key}" if error.absolute_path else ""
            return f"the key '{missing}' is missing{place}"
        case "enum":
            return _not_known(key, error.instance, error.validator_value)
        case "oneOf" if all("const" in one for one in error.validator_value):
            return _not_known(key, error.instance, [one["const"] for one in error.validator_value])
        case "oneOf" if isinstance(error.instance, dict) and "step" in error.instance:
            return _of_step(key, error)
        case "minimum" | "exclusiveMinimum":
            return f"{key}: {error.instance} is too small: use {error.validator_value} or more;"
        case "maximum":
            return f"{key}: {error.instance} is too large: use {error.validator_value} or less;"
        case "multipleOf":
            return f"{key}: {error.instance} is not a multiple of {error.validator_value};"
        case "type" if error.instance in (None, ""):
            return f"{key}: nothing is given;"
        case "type":
            types = error.validator_value
            known = " or ".join([types] if isinstance(types, str) else types)
            return f"{key}: '{error.instance}' is not of type {known};"
        case "pattern":
            return (
                f"{key}: '{error.instance}' must be lower-case letters, digits and single hyphens;"
            )
        case _:
            return f"{key}: {error.message};"


def _of_step(key: str, error: ValidationError) -> str:
    step = error.instance["step"]
    kinds = [one["properties"]["step"] for one in error.validator_value]
    known = [name for kind in kinds for name in kind.get("enum", [kind.get("const")])]
    if step not in known:
        return _not_known(f"{key}.step", step, list(dict.fromkeys(known)))
    return f"{key}: {error.instance} are not the keys of step '{step}'"


def _not_known(key: str, value: Any, known: list[Any]) -> str:
    words = [str(one) for one in known]
    hint = did_you_mean(str(value), words)
    return f"{key}: '{value}' is not known{hint}: use one of {', '.join(words)};"
