"""Raw disks with real file systems on them, made by other people's tools."""

import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest

MIB = 1 << 20
SECTOR = 512
PASSPHRASE = "correct horse battery staple"

FORMATS = ("UDRW", "UDSP", "UDSB", "ASIF")
PAYLOADS = ("fat", "exfat", "ext4", "apfs")

# where Debian keeps programs that make file systems
PATH = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/sbin"])


def tool(name: str) -> str:
    """The path of a program; skips the test where it is missing."""
    found = shutil.which(name, path=PATH)
    if found is None:
        pytest.skip(f"{name} is not installed: .ci/run names its package")
    return found


def _files(folder: Path) -> Path:
    """Files to put into a file system: an empty one, a short one, and one that fills some bands."""
    folder.mkdir()
    (folder / "EMPTY").touch()
    (folder / "SHORT.TXT").write_text("a file inside an image\n", encoding="utf-8")
    (folder / "LONG.BIN").write_bytes(random.Random(1).randbytes(5 * MIB + 77))
    return folder


def _blank(path: Path, size: int) -> Path:
    with path.open("wb") as file:
        file.truncate(size)
    return path


def make(name: str, folder: Path) -> Path:
    """A raw disk with a file system on it. No length is a whole number of bands but that of APFS."""
    if name == "fat":
        programs = [tool("mkfs.vfat"), tool("mcopy")]
        disk = _blank(folder / "fat", 33 * MIB + 7 * SECTOR)
        subprocess.run([programs[0], "-i", "12345678", disk], check=True, capture_output=True)
        files = sorted(_files(folder / "files-fat").iterdir())
        subprocess.run([programs[1], "-i", disk, *files, "::"], check=True)
    elif name == "exfat":
        program = tool("mkfs.exfat")
        disk = _blank(folder / "exfat", 40 * MIB + 3 * SECTOR)
        subprocess.run([program, disk], check=True, capture_output=True)
    elif name == "ext4":
        program = tool("mkfs.ext4")
        disk = _blank(folder / "ext4", 48 * MIB + 5 * SECTOR)
        files = _files(folder / "files-ext4")
        subprocess.run([program, "-q", "-F", "-d", files, disk], check=True, capture_output=True)
    else:
        program = tool("mkapfs")
        # mkapfs refuses containers that are much smaller
        disk = _blank(folder / "apfs", 320 * MIB)
        subprocess.run([program, "-L", "inside", disk], check=True, capture_output=True)
    return disk
