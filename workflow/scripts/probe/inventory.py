"""Which of our images are attached: what ioreg or hdiutil lists below a folder of ours."""

import plistlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes

from probe import lines
from probe.programs import Answer, Programs

# What the registry calls an image's path, by the engine that serves it.
IMAGE = ("DiskImageURL", "image-path")

DISK = re.compile(r"(?:/dev/)?(disk\d+)")


def attached(programs: Programs, folder: Path) -> dict[str, Path]:
    """The images inside a folder that are attached: device of the whole image, and path."""
    found = dict(of_registry(ask_registry(programs, None)))
    found |= dict(of_info(ask_info(programs, None)))
    inside = folder.resolve()
    return {disk: path for disk, path in found.items() if inside in path.parents}


def ask_registry(programs: Programs, name: str | None) -> list[Answer]:
    """The kernel's lists, one of each engine."""
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
    root = read(answer.stdout)
    images = root.get("images", []) if isinstance(root, dict) else []
    for image in images if isinstance(images, list) else []:
        path = image.get("image-path") if isinstance(image, dict) else None
        disk = whole_disk(image)
        if isinstance(path, str) and path.startswith("/") and disk:
            yield disk, Path(path).resolve()


def images_of_registry(value: Any) -> Iterator[tuple[dict[str, Any], str]]:
    """Every device that has an image's path, and what it calls that."""
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
    """The device of the whole image: the whole disk that is no container of APFS."""
    for entity in entities(value):
        hint = str(entity.get("content-hint", ""))
        device = DISK.fullmatch(str(entity.get("dev-entry", "")))
        if device and not hint.startswith(("EF57347C", "Apple_APFS_Container")):
            return device[1]
    return None


def read(answer: bytes) -> Any:
    """A property list; None where it is none."""
    try:
        return plistlib.loads(answer)
    # plistlib lets through what its parsers raise
    except Exception:
        return None


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
    """The path in the URL of a file, which is a text or its bytes; None where there is none."""
    if isinstance(url, bytes):
        url = url.split(b"\0")[0].decode("utf-8", "replace")
    if not isinstance(url, str):
        return None
    if url.startswith("file://"):
        rest = url.removeprefix("file://")
        url = unquote_to_bytes(rest[rest.find("/") :]).decode("utf-8", "surrogateescape")
    return Path(url).resolve() if url.startswith("/") else None
