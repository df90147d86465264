"""Programs by others: unpacked from a clone at the tested commit, and compiled."""

import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

from console import ExitCode, StudyError
from proofs.others.disks import difference

REPOSITORIES = json.loads(Path(__file__).with_name("repositories.json").read_text(encoding="utf-8"))
OUR_WRITER = Path(__file__).with_name("write_sparse.cpp").resolve()
FUSE = Path("/dev/fuse")
# sparsebundlefs is written for version 2 of libfuse (FUSE_USE_VERSION=26 in its Makefile).
HEADERS = "libfuse 2"
INSTALL = "sudo apt-get install g++ make pkg-config libfuse-dev fuse3"


def unpack(checkout: Path, name: str, folder: Path) -> Path:
    """Unpack a commit of a repository, independent of the clone's checkout."""
    repository, commit = (REPOSITORIES[name][key] for key in ("repository", "commit"))
    done = subprocess.run(
        ["git", "-C", checkout, "archive", "--format=tar", commit], capture_output=True, check=False
    )
    if done.returncode:
        why = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise StudyError(
            ExitCode.BAD_INPUT,
            f"cannot unpack {commit} from {checkout}: {why};"
            f" clone https://github.com/{repository} whole and name the clone",
        )
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return folder


def require() -> None:
    """Refuse a machine that cannot compile both programs or mount with FUSE."""
    if sys.platform != "linux":
        line = "fsdump is written for Linux, and this is another system: run again on Linux"
        raise StudyError(ExitCode.BAD_INPUT, line)
    missing = [name for name in ("g++", "make", "pkg-config", "fusermount") if not _is_here(name)]
    if "pkg-config" not in missing and _lacks("fuse"):
        missing.append(HEADERS)
    if missing:
        line = f"not installed: {', '.join(missing)}; on Debian `{INSTALL}`, then run again"
        raise StudyError(ExitCode.BAD_INPUT, line)
    try:
        os.close(os.open(FUSE, os.O_RDWR))
    except OSError as error:
        line = f"cannot open {FUSE}: {error.strerror}; load FUSE with `sudo modprobe fuse`"
        raise StudyError(ExitCode.BAD_INPUT, line) from error


def _is_here(name: str) -> bool:
    return shutil.which(name) is not None


def _lacks(library: str) -> bool:
    """Whether there are no headers of a library."""
    return subprocess.run(["pkg-config", "--exists", library], check=False).returncode != 0


def sparsebundlefs(source: Path) -> Path:
    """Compile the file system with its own Makefile."""
    _compile("sparsebundlefs", "make", "-C", source)
    return source / "sparsebundlefs"


def fsdump(source: Path) -> Path:
    """Compile our program around fsdump's class."""
    program = source / "write_sparse"
    # The class calls std::fill without naming its header; not every g++ brings it by chance.
    words = ["g++", "-O1", "-include", "algorithm", "-I", source]
    _compile("fsdump", *words, OUR_WRITER, source / "AppleSparseimage.cpp", "-o", program)
    return program


def failure(*command: str | Path, given: str = "") -> str | None:
    """Call a program with this on its standard input; the first line it prints if it fails."""
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=False)
    if not done.returncode:
        return None
    printed = (done.stdout + done.stderr).strip().partition("\n")[0]
    return f"exit code {done.returncode}: {printed}"


def ours(diskbench: Path, model: Path, image: Path) -> str | None:
    """What an image, converted by our core, has otherwise than the disk that was written."""
    raw = model.with_name("raw.img")
    words = ("image", "convert", image, raw, "--to", "UDRW", "--progress", "none")
    return failure(diskbench, *words) or difference(model, raw)


def _compile(name: str, *command: str | Path) -> None:
    if subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode:
        line = f"{name} does not compile: the lines above, of its compiler, say why"
        raise StudyError(ExitCode.UNEXPECTED, line)
