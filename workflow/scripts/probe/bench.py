"""The tools of a probe: programs, a folder, images, and a list of observations."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from probe import inventory, lines, workplace
from probe.cleaning import Cleaner
from probe.mac import Mac
from probe.programs import Answer, Programs
from probe.statements import Statement, all_of_them

# Length of most images in bytes: APFS needs some megabytes, and a UDRW may take all of it.
LENGTH = 100 << 20

# published with every report, so that its encrypted images can be read
PASSPHRASE = b"diskbench"

SECTOR = 512

# the driver's options for mounting, and for not mounting
MOUNTING = {
    "hdiutil": ("-mountpoint <volume>", "-nomount"),
    "diskutil": ("--mountOptions nobrowse,noowners --mountPoint <volume>", "--noMount"),
}


class UnseenError(Exception):
    """Why nothing can be seen of those statements of a probe that it did not look at yet."""


@dataclass(frozen=True)
class Image:
    """An image: its program, format, encryption and path."""

    path: Path
    tool: str
    format: str
    encryption: str

    @property
    def name(self) -> str:
        """The name of the image in answers."""
        return f"{self.format}-{self.encryption}-by-{self.tool}".lower()

    @property
    def is_encrypted(self) -> bool:
        """Whether the image needs a passphrase."""
        return self.encryption != "none"


@dataclass(frozen=True)
class Observation:
    """One observation of a statement; `holds` is None without a result."""

    done: str
    seen: str
    holds: bool | None


@dataclass(frozen=True)
class Attached:
    """An attached image with its device, and the folder where its volume is, if mounted."""

    image: Image
    disk: str
    at: Path


@dataclass
class Bench:
    """The tools of a probe."""

    mac: Mac
    folder: Path
    programs: Programs
    cleaner: Cleaner
    core: Path | None = None
    images: dict[tuple[str, str, str], Image] = field(default_factory=dict)
    observations: dict[str, list[Observation]] = field(default_factory=dict)
    pieces: dict[str, bytes] = field(default_factory=dict)
    series: list[dict[str, Any]] = field(default_factory=list)
    # upper bound of all bytes written to images and files
    written_bytes: int = 0

    def is_about(self, statement: str) -> bool:
        """Whether a statement applies to this macOS."""
        return self.statement(statement).is_about(self.mac.release)

    def statement(self, name: str) -> Statement:
        """A statement by name; KeyError if there is none."""
        return all_of_them()[name]

    def saw(self, statement: str, done: str, seen: str, holds: bool | None) -> None:
        """Record an observation, if the statement applies to this macOS."""
        if self.is_about(statement):
            clean = [self.cleaner.text(text)[:400] for text in (done, seen)]
            self.observations.setdefault(statement, []).append(Observation(*clean, holds))

    def cannot(self, statement: str, why: str) -> None:
        """Record why there is no observation."""
        self.saw(statement, "nothing", why, None)

    def saw_failure(self, statement: str, answer: Answer, done: str) -> None:
        """Record whether a call failed with the codes or words of the statement."""
        known = self.statement(statement)
        holds = not answer.is_good and (
            answer.code in known.codes or any(words in answer.text for words in known.words)
        )
        self.saw(statement, done, answer.message, holds if finished(answer) else None)

    def saw_end(self, statement: str, answer: Answer, done: str, *, works: bool) -> None:
        """Record whether a call works, or fails with whatever error."""
        holds = answer.is_good == works if finished(answer) else None
        self.saw(statement, done, answer.message, holds)

    def tools(self, statement: str) -> tuple[str, ...]:
        """hdiutil, and diskutil where this statement about it applies."""
        return ("hdiutil", "diskutil") if self.is_about(statement) else ("hdiutil",)

    def keep(self, name: str, piece: bytes) -> None:
        """Keep a piece of an image."""
        self.pieces[name] = self.cleaner.piece(piece)

    def create(
        self,
        tool: str,
        kind: str,
        encryption: str = "none",
        *,
        name: str | None = None,
        length: int = LENGTH,
        band: int | None = None,
        below: Path | None = None,
        keep: bool = True,
    ) -> tuple[Image, Answer]:
        """Create an image with a program, as the driver does."""
        stem = name or f"{kind}-{encryption}-{tool}".lower()
        path = (below or self.folder) / f"{stem}.{lines.extensions()[kind]}"
        image = Image(path, tool, kind, encryption)
        if kind == "UDRW":
            self.written_bytes += length
        words = lines.words(
            lines.line(f"create by {tool}{', with bands' if band else ''}", image.is_encrypted),
            type=lines.types(tool)[kind],
            sectors=length // SECTOR,
            bytes=length,
            band_sectors=(band or 0) // SECTOR,
            encryption=encryption,
            image=path,
        )
        named = f"create-{name or image.name}" if keep else None
        return image, self.programs.call(named, *words, given=self.secret(image, tool))

    def secret(self, image: Image, tool: str) -> bytes:
        """The stdin of a program that opens the image: its passphrase."""
        if not image.is_encrypted:
            return b""
        return PASSPHRASE if tool == "hdiutil" else PASSPHRASE + b"\n"

    def attach_call(
        self,
        image: Image,
        tool: str,
        name: str | None,
        at: Path | None,
        given: bytes | None = None,
        stdin: bool = True,
        limit: float = 60,
    ) -> Answer:
        """Attach an image with a program, as the driver does; without `at` nothing is mounted."""
        line = lines.line(f"attach by {tool}", encrypted=image.is_encrypted and stdin)
        if at is None:
            line = line.replace(*MOUNTING[tool])
        words = lines.words(line, image=image.path, volume=at)
        given = self.secret(image, tool) if given is None else given
        return self.programs.call(name, *words, given=given, limit=limit)

    def mount_point(self) -> Path:
        """An empty folder to mount at."""
        at = self.folder / "mounted"
        at.mkdir(exist_ok=True)
        return at

    @contextmanager
    def attached(
        self, image: Image, tool: str, name: str | None = None, mount: bool = True
    ) -> Iterator[tuple[Answer, Attached | None]]:
        """Attach an image temporarily; yields the answer, and None if it was not attached."""
        at = self.mount_point()
        answer = self.attach_call(image, tool, name, at if mount else None)
        disk = inventory.whole_disk(inventory.read(answer.stdout)) if answer.is_good else None
        try:
            yield answer, Attached(image, disk, at) if disk else None
        finally:
            self.detach_all()

    def made(self, tool: str, kind: str, encryption: str = "none") -> Image:
        """An image that the first probe made. Raises UnseenError."""
        image = self.images.get((tool, kind, encryption))
        if image is None:
            encrypted = "" if encryption == "none" else "encrypted "
            raise UnseenError(f"no {encrypted}{kind} image could be made")
        return image

    @contextmanager
    def mounted(self, image: Image) -> Iterator[Attached]:
        """Attach an image by hdiutil for a while, with its volume. Raises UnseenError."""
        with self.attached(image, "hdiutil") as (_, attached):
            if attached is None:
                raise UnseenError(f"{image.path.name} could not be attached")
            yield attached

    def detach_all(self) -> None:
        """Detach all of our attached images; the rest is removed at the end."""
        workplace.detach_all(self.programs, self.folder)

    def core_says(self, *arguments: str, given: bytes = b"") -> tuple[int | None, str]:
        """Exit code and output of `diskbench image`; None if it is missing or hangs."""
        if self.core is None or not self.core.exists():
            return None, "the core is not built"
        try:
            done = subprocess.run(
                [self.core, "image", *arguments],
                input=given,
                capture_output=True,
                timeout=max(1.0, min(60.0, self.programs.left())),
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return None, type(error).__name__
        said = (done.stdout + done.stderr).decode("utf-8", "replace").strip()
        return done.returncode, said.splitlines()[-1] if said else ""


def finished(answer: Answer) -> bool:
    """Whether a program ended by itself, so that its answer is meaningful."""
    return answer.ended == "exited"


def allocated(path: Path) -> int:
    """The allocated size of a file or a folder in bytes."""
    files = [path, *path.rglob("*")] if path.is_dir() else [path]
    # POSIX leaves the unit open; on macOS and Linux it is 512 bytes
    return sum(one.lstat().st_blocks * 512 for one in files)
