"""Finds our attached images in the lists of ioreg or hdiutil, by their folder."""

import plistlib
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes

from probe import lines
from probe.programs import Answer, Programs

# keys of an image's path in the registry, by the engine that serves it
IMAGE = ("DiskImageURL", "image-path")

DISK = re.compile(r"(?:/dev/)?(disk\d+)")


def attached(programs: Programs, folder: Path) -> dict[str, Path]:
    """The attached images inside a folder: device of the whole image, and path."""
    found = dict(of_registry(ask_registry(programs, None)))
    found |= dict(of_info(ask_info(programs, None)))
    inside = known(folder)
    return {disk: path for disk, path in found.items() if inside in path.parents}


def ask_registry(programs: Programs, name: str | None) -> list[Answer]:
    """The kernel's lists, one per engine."""
    return [
        programs.call(name and f"{name}{more}", *lines.call(line), limit=30)
        for more, line in (("", "list by ioreg"), ("-older", "list by ioreg, older engine"))
    ]


def ask_info(programs: Programs, name: str | None) -> Answer:
    """The list of hdiutil."""
    return programs.call(name, *lines.call("list by hdiutil"), limit=30)


def of_registry(answers: list[Answer]) -> Iterator[tuple[str, Path]]:
    """Devices with the paths of their images."""
    for answer in answers:
        for image, key in images_of_registry(read(answer.stdout)):
            path = path_of(image[key])
            disk = next(_whole_disks(image), None)
            if path is not None and disk is not None:
                yield disk, path


def of_info(answer: Answer) -> Iterator[tuple[str, Path]]:
    """The same from `hdiutil info -plist`."""
    images = read_keys(answer.stdout).get("images")
    for image in images if isinstance(images, list) else []:
        path = image.get("image-path") if isinstance(image, dict) else None
        disk = whole_disk(image)
        if isinstance(path, str) and path.startswith("/") and disk:
            yield disk, known(Path(path))


def images_of_registry(value: Any) -> Iterator[tuple[dict[str, Any], str]]:
    """Every device with an image's path, and the key of the path."""
    if isinstance(value, dict) and (key := next((one for one in IMAGE if one in value), None)):
        yield value, key
        return
    for inner in _children(value):
        yield from images_of_registry(inner)


def entities(value: Any) -> list[dict[str, Any]]:
    """The entities of an answer about an attached image."""
    listed = value.get("system-entities") if isinstance(value, dict) else None
    return [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []


def whole_disk(value: Any) -> str | None:
    """The device of the whole image: the whole disk that is not an APFS container."""
    for entity in entities(value):
        hint = str(entity.get("content-hint", ""))
        device = DISK.fullmatch(str(entity.get("dev-entry", "")))
        if device and not hint.startswith(("EF57347C", "Apple_APFS_Container")):
            return device[1]
    return None


def read(answer: bytes) -> Any:
    """A parsed property list; None if it is none."""
    try:
        return plistlib.loads(answer)
    # plistlib passes on exceptions of its parsers
    except Exception:
        return None


def read_keys(answer: bytes) -> dict[str, Any]:
    """The keys of a parsed property list; none if it has none."""
    found = read(answer)
    return found if isinstance(found, dict) else {}


def _children(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []


def _whole_disks(value: Any) -> Iterator[str]:
    if isinstance(value, dict) and value.get("Whole") is True:
        if device := DISK.fullmatch(str(value.get("BSD Name", ""))):
            yield device[1]
        return
    for inner in _children(value):
        yield from _whole_disks(inner)


def path_of(url: Any) -> Path | None:
    """The path in the URL of a file, given as text or bytes; None if there is none."""
    if isinstance(url, bytes):
        url = url.split(b"\0")[0].decode("utf-8", "replace")
    if not isinstance(url, str):
        return None
    if url.startswith("file://"):
        rest = url.removeprefix("file://")
        url = unquote_to_bytes(rest[rest.find("/") :]).decode("utf-8", "surrogateescape")
    return known(Path(url)) if url.startswith("/") else None


def known(path: Path) -> Path:
    """A path to compare others with: absolute, without links, its letters composed.

    macOS may list `ü` as `u` and a mark, whatever was typed.
    """
    return Path(unicodedata.normalize("NFC", str(path.resolve())))
