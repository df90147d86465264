"""Removes what identifies a Mac or its user from texts, property lists and bytes of images."""

import getpass
import html
import os
import plistlib
import pwd
import re
import socket
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unicodedata import normalize
from urllib.parse import quote, unquote

import personal
from probe import inventory

UUID = re.compile(r"\b[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\b")
UUID_BYTES = re.compile(UUID.pattern.encode())
DATA = re.compile(rb"<data>[^<]*</data>")
# shorter runs of letters occur in ciphertext by chance
TEXT_IN_BYTES = re.compile(rb"[\x20-\x7e]{16,}")

# what users call their disks, but for the volumes of our images
NAMES_OF_VOLUMES = (
    (re.compile(r"(?<!/System)/Volumes/[^<\n]+"), "/{}"),
    (re.compile(r"(<key>VolumeName</key>\s*<string>)(?!diskbench<)[^<]+"), r"\1{}"),
)

# where `diskutil info` names a volume or partition; of a whole disk the other two are its model
NAME = "VolumeName"
NAMES = (NAME, "IORegistryEntryName", "MediaName")
# none, that of our images, and one that was replaced
IMPERSONAL = (None, "", "diskbench", "<volume>")

# type ids of partitions and volumes, equal on every Mac (GPT, Apple's TN2166, hdiutil's output)
KINDS = {
    "C12A7328-F81F-11D2-BA4B-00A0C93EC93B": "EFI",
    "48465300-0000-11AA-AA11-00306543ECAC": "HFS",
    "7C3457EF-0000-11AA-AA11-00306543ECAC": "APFS store",
    "EF57347C-0000-11AA-AA11-00306543ECAC": "APFS container",
    "41504653-0000-11AA-AA11-00306543ECAC": "APFS volume",
    "EBD0A0A2-B9E5-4433-87C0-68B6B72699C7": "basic data",
}

# common names identify nobody
COMMON = {
    *("root", "admin", "user", "runner", "localhost", "local", "unknown", "macos", "apple"),
    *("", "dev", "mac", "me"),
}
# names that messages of programs use as words
WORDS = {
    *("bill", "drew", "frank", "grant", "long", "mark", "page", "rich", "will"),
    *("art", "guy", "max", "may", "pat", "ray", "sue"),
}


@dataclass
class Cleaner:
    """Replaces folders and ids; equal ids get the same replacement in the whole report."""

    folder: Path
    names: tuple[str, ...] = ()
    _ids: dict[str, str] = field(default_factory=dict)

    def text(self, told: str) -> str:
        """A text with replaced folders, ids and type ids of partitions."""
        told = self._cleaned(told)
        return UUID.sub(lambda found: f"<kind {KINDS[found[0].upper()]}>", told)

    def answer(self, program: str, told: bytes) -> bytes:
        """The output of a program, without entries about foreign images.

        A property list stays one, including type ids of partitions: the core's tests read it.
        """
        if b"<plist" not in told[:500]:
            return self._cleaned(told.decode("utf-8", "replace")).encode()
        told = self._ours(program, told)
        return self._cleaned(told.decode("utf-8", "replace"), "&lt;{}&gt;").encode()

    def piece(self, head: bytes) -> bytes:
        """Bytes of an image, with ids in text form masked."""
        return UUID_BYTES.sub(lambda found: re.sub(rb"[0-9A-Fa-f]", b"x", found[0]), head)

    def personal(self, told: bytes, is_text: bool) -> str | None:
        """A text that may identify the Mac or its user; None if there is none."""
        if is_text and any(_named(inventory.read(told))):
            return "the name of a volume"
        text = told.decode("utf-8", "replace")
        texts = (
            # names in URLs and property lists are written otherwise
            [text, html.unescape(unquote(text))]
            if is_text
            else [run.decode() for run in TEXT_IN_BYTES.findall(told)]
        )
        texts = [normalize("NFC", text) for text in texts]
        texts = [UUID.sub(lambda id_: "" if is_kind(id_) else id_[0], text) for text in texts]
        for text in texts:
            if any(_names(normalize("NFC", name), text) for name in self.names):
                return "a name of this Mac or its user"
        return next((what for what, _ in personal.found(texts)), None)

    def _paths(self) -> Iterator[str]:
        written = {str(self.folder.resolve()), str(self.folder), str(self.folder.absolute())}
        # macOS may name it with composed or decomposed letters, whatever was typed
        for path in sorted({normalize(form, one) for one in written for form in ("NFC", "NFD")}):
            if len(path) > 1:
                yield f"/private{path}"
                yield path

    def _cleaned(self, told: str, mark: str = "<{}>") -> str:
        for path in self._paths():
            # stays an absolute path, as the driver expects
            told = _written(path).sub(f"/{mark.format('folder')}", told)
        told = _written(str(Path.home())).sub(mark.format("home"), told)
        for name, replaced in NAMES_OF_VOLUMES:
            told = name.sub(replaced.format(mark.format("volume")), told)
        return UUID.sub(lambda id_: id_[0] if is_kind(id_) else mark.format(self._id(id_[0])), told)

    def _id(self, found: str) -> str:
        return self._ids.setdefault(found.upper(), f"id {len(self._ids) + 1}")

    def _ours(self, program: str, told: bytes) -> bytes:
        value = inventory.read(told)
        inside = str(inventory.known(self.folder))
        if program == "hdiutil" and isinstance(value, dict) and "images" in value:
            value["images"] = [
                one for one in value["images"] if inside in normalize("NFC", str(one))
            ]
        elif program == "ioreg":
            images = inventory.images_of_registry(value)
            paths = [(one, key, str(inventory.path_of(one[key]))) for one, key in images]
            value = [one | {key: f"file://{at}"} for one, key, at in paths if inside in at]
        elif program == "diskutil" and (named := list(_named(value))):
            value |= dict.fromkeys(named, "<volume>")
        else:
            return DATA.sub(b"<data></data>", told)
        return DATA.sub(b"<data></data>", plistlib.dumps(value))


def _named(value: Any) -> Iterator[str]:
    """The keys by which an answer of `diskutil info` names a user's volume or partition."""
    if isinstance(value, dict) and "DeviceIdentifier" in value:
        for key in (NAME,) if value.get("WholeDisk") is True else NAMES:
            if value.get(key) not in IMPERSONAL:
                yield key


def _written(path: str) -> re.Pattern[str]:
    """A path as it is, in a URL, and in XML; each letter may be written in another way."""
    # each spelling once: a text with half of the path would be searched in very many ways
    spellings = (dict.fromkeys((one, quote(one, safe=""), html.escape(one))) for one in path)
    return re.compile("".join(f"(?:{'|'.join(map(re.escape, each))})" for each in spellings))


def names_here() -> tuple[str, ...]:
    """The names of this Mac and its user; short ones only of the account and as a whole name."""
    whole: set[str] = set()
    parts = {socket.gethostname(), socket.gethostname().partition(".")[0]}
    try:
        entry = pwd.getpwuid(os.getuid())
        full = entry.pw_gecos.split(",")[0]
        whole = {getpass.getuser(), entry.pw_name, full.strip()}
        parts |= set(full.split())
    except (KeyError, OSError):
        pass
    found = whole | {name for name in parts if len(name) > 3}
    return tuple(sorted(name for name in found if name.lower() not in COMMON))


def _names(name: str, text: str) -> bool:
    """Whether a text contains a name: as a whole word, and not as the word of a sentence."""
    if name.lower() in WORDS:
        # in small letters between two such words; nothing that names a user looks like that
        text = re.sub(rf"(?<=[a-z] ){name.lower()}(?= [a-z])", "", text)
    # a Mac may be named `Alices MacBook Pro`
    ends = r"(?:(?!\w)|s[\W_]+i?mac)"
    return re.search(rf"(?i)(?<!\w){re.escape(name)}{ends}", text) is not None


def is_kind(found: re.Match[str]) -> bool:
    """Whether an id is a type id of partitions, the same on every Mac."""
    return found[0].upper() in KINDS
