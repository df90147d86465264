"""Reads hand-written YAML; a mistake is reported in one line with file, line and column."""

from pathlib import Path
from typing import Any

import yaml

from console import ExitCode, StudyError


def read_yaml(path: Path) -> dict[str, Any]:
    """Read a file with a mapping. Raises StudyError (bad input)."""
    name = path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
    text = ""
    if path.exists() and not path.is_file():
        raise _wrong(f"{name} is not a regular file: restore it")
    try:
        text = path.read_bytes().decode("utf-8-sig")
        document = yaml.load(text, _Strict)
    except OSError as error:
        raise _wrong(f"{name} cannot be read ({error.strerror}): restore it") from error
    except UnicodeDecodeError as error:
        before = error.object[: error.start].decode("utf-8", "replace")
        raise _wrong(f"{name}:{_end_of(before)}: not text in UTF-8; correct it") from error
    except yaml.reader.ReaderError as error:
        place = _end_of(text[: error.position])
        raise _wrong(f"{name}:{place}: not YAML: {error.reason}; correct it") from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"{mark.line + 1}:{mark.column + 1}"
        raise _wrong(f"{name}:{place}: not YAML: {error.problem}; correct it") from error
    except RecursionError as error:
        raise _wrong(f"{name} is nested too deeply; correct it") from error
    if not isinstance(document, dict):
        kinds = {type(None): "nothing", list: "a list"}
        found = kinds.get(type(document), "one value")
        raise _wrong(f"{name}:1:1: keys with values belong there, not {found}; correct it")
    return document


class _Strict(yaml.SafeLoader):
    """PyYAML's safe loader that refuses duplicate keys, of which PyYAML would take the last."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """A mapping. Raises ConstructorError at a duplicate key."""
        first_lines: dict[str, int] = {}
        for key, _ in node.value:
            name = str(key.value)
            if name in first_lines:
                problem = f"the key '{name}' occurs twice, first in line {first_lines[name]}"
                raise yaml.constructor.ConstructorError(None, None, problem, key.start_mark)
            first_lines[name] = key.start_mark.line + 1
        return super().construct_mapping(node, deep)


def _end_of(text: str) -> str:
    """Line and column after a text, from 1."""
    return f"{text.count(chr(10)) + 1}:{len(text) - text.rfind(chr(10))}"


def _wrong(line: str) -> StudyError:
    return StudyError(ExitCode.BAD_INPUT, line)
