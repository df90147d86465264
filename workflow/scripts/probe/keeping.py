"""Makes and keeps small images of each format and encryption, as test data for readers."""

import shutil
import tarfile
from pathlib import Path

from probe.bench import PASSPHRASE, Bench, Image
from probe.probes.images import kinds
from probe.programs import OutOfTimeError

# APFS needs some megabytes; a test limits the artifacts of hosted runners to 100 MB; all images lie
# in the probe's folder until it ends
LENGTH = 32 << 20
# the file on each volume
FILE = Path("LICENSE")
LIST = "images.txt"
# seconds in addition to the probes
SECONDS = 180

# Apple's layout is not public
UNREAD = ("ASIF", "AES-256")


def keep(bench: Bench, into: Path) -> list[str]:
    """Make, check and pack each image that this macOS supports; returns the failures.

    The folder `into` gets FORMAT-ENCRYPTION.tar.gz for each, and a list of results.
    """
    bench.programs.more_time(SECONDS)
    lines, failed = [], []
    for statement, tool, kind, encryption in kinds(bench):
        if statement == "diskutil-creates":
            continue  # hdiutil makes them, too
        name = f"{kind}-{encryption}"
        good = False
        try:
            good, said = _one(bench, tool, kind, encryption, into / f"{name}.tar.gz")
        # an error with one image must not lose the others
        except OutOfTimeError:
            said = "the time limit was reached"
        except OSError as error:
            said = f"{type(error).__name__}: {error.strerror}"
        lines.append(f"{name}: {said}")
        if not good:
            failed.append(lines[-1])
    (into / LIST).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return failed


def _one(bench: Bench, tool: str, kind: str, encryption: str, archive: Path) -> tuple[bool, str]:
    """Make, check and pack an image; returns whether that succeeded, and the result in words."""
    name = f"{kind}-{encryption}"
    image, answer = bench.create(tool, kind, encryption, name=name, length=LENGTH, keep=False)
    if not answer.is_good:
        return False, f"not made ({answer.message})"
    if wrong := _filled(bench, image):
        return False, wrong
    is_read, said = _read(bench, image)
    # tarfile leaves out Apple's metadata files and the names of users
    with tarfile.open(archive, "w:gz") as packed:
        packed.add(image.path, image.path.name, filter=_nobodys)
    return is_read or (kind, encryption) == UNREAD, said


def _filled(bench: Bench, image: Image) -> str | None:
    """Copy the file to the volume; returns the error, if any."""
    with bench.attached(image, image.tool) as (answer, attached):
        if attached is None:
            return f"made, but not attached ({answer.message})"
        shutil.copy(FILE, attached.at)
    return None


def _read(bench: Bench, image: Image) -> tuple[bool, str]:
    """Whether our core reads the image, and a raw copy contains the file's text."""
    given = PASSPHRASE + b"\n" if image.is_encrypted else b""
    options = ("--passphrase-stdin",) if image.is_encrypted else ()
    plain = bench.folder / "plain.dmg"
    words = FILE.read_bytes().splitlines()[0]
    try:
        for command in (("check",), ("convert", str(plain), "--to", "UDRW")):
            asked = (command[0], *options, str(image.path), *command[1:])
            code, said = bench.core_says(*asked, given=given)
            if code != 0:
                return False, f"made, but not read ({said})"
        # no failure: APFS may store a file in any form
        found = "is on it" if words in plain.read_bytes() else "was not seen on it"
        return True, f"made and read, {FILE} {found}"
    finally:
        plain.unlink(missing_ok=True)


def _nobodys(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return entry
