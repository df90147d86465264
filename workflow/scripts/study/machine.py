"""The slugs of machine and OS release, as in the paths of records.

From model and chip only, never from a serial number, user name or host name. The core checks the
release again before it measures.
"""

import contextlib
import errno
import json
import os
import platform
import plistlib
import re
import shutil
import subprocess
from pathlib import Path
from xml.parsers.expat import ExpatError

from console import ExitCode, StudyError

OS_RELEASE = Path("/etc/os-release")
CPUINFO = Path("/proc/cpuinfo")

# a folder of stand-ins for macOS's programs: with it, the study runs on any machine as if on the
# Mac that they imitate (core/diskbench-core/src/program/tools.rs); for tests
STAND_IN = "DISKBENCH_STAND_IN"

# prefix of the slugs of stand-in hosts
STAND_IN_PREFIX = "stand-in-"

# what distinguishes machines of one slug, in a record's `host`
FACTS = ("model", "chip", "memory_bytes")

# what macOS runs from
OWN_VOLUMES = ("/", "/System/Volumes/Data")

# in the config: use the slug of model and chip
AUTO = "auto"

# seconds; system_profiler takes several, everything else less
SECONDS = 60

# of macOS's programs; environments such as conda's may have others of the same names
PLACES = "/usr/bin:/usr/sbin:/bin:/sbin"


def is_mac() -> bool:
    """Whether macOS's programs are available: on a Mac, or as stand-ins."""
    return platform.system() == "Darwin" or stand_in() is not None


def stand_in() -> Path | None:
    """The folder of stand-ins for macOS's programs, if any."""
    folder = os.environ.get(STAND_IN)
    return Path(folder) if folder else None


def is_guest() -> bool:
    """Whether this is a macOS guest, whose disk can be measured."""
    return is_mac() and _said_by("sysctl", "-n", "kern.hv_vmm_present") == "1"


def host_slug(named: str = AUTO) -> str:
    """The slug of this machine: the user's, or from model and chip: `mac-mini-m4-pro`,
    `linux-intel-xeon-2-cores`."""
    name = _model_and_chip() if named == AUTO else named
    if stand_in() is None or name.startswith(STAND_IN_PREFIX):
        return name
    # a stand-in must never pass for a Mac, whatever its slug
    return STAND_IN_PREFIX + name


def _model_and_chip() -> str:
    if not is_mac():
        return linux_slug(CPUINFO.read_text(encoding="utf-8", errors="replace"))
    if is_guest():
        model = _output("sysctl", "-n", "hw.model")
        return guest_slug(model, _output("sysctl", "-n", "machdep.cpu.brand_string"))
    return mac_slug(_output("system_profiler", "-json", "SPHardwareDataType"))


def release_slug() -> str:
    """The slug of OS release and build: `macos-26.3.1-25D125`, `debian-12-6.1.147`."""
    if is_mac():
        version = _output("sw_vers", "-productVersion")
        build = _output("sw_vers", "-buildVersion")
        return f"macos-{version}-{build}"
    return linux_release(OS_RELEASE.read_text(encoding="utf-8"), platform.release())


def facts() -> dict[str, str | int]:
    """The `FACTS` of this Mac.

    Empty elsewhere: the slug of another machine has its processor. Without what a release does not
    report, and without a guest's memory, which is a setting.
    """
    if not is_mac():
        return {}
    model = _said_by("sysctl", "-n", "hw.model")
    chip = _said_by("sysctl", "-n", "machdep.cpu.brand_string")
    memory = "" if is_guest() else _said_by("sysctl", "-n", "hw.memsize")
    found = (model, chip, int(memory) if memory.isdecimal() else 0)
    return {name: fact for name, fact in zip(FACTS, found, strict=True) if fact}


def image_driver() -> str:
    """The driver that `auto` means: macOS on a Mac, else our own code."""
    return "apple" if is_mac() else "portable"


def native_encryption(folder: Path) -> str:
    """The encryption of the volume of a folder: `FileVault` if on, else `none`."""
    return "FileVault" if is_mac() and _has_file_vault(_mount_point(folder)) else "none"


def _has_file_vault(mount_point: str) -> bool:
    # each volume has its own, such as a case-sensitive one for code
    said = _said_by("diskutil", "info", "-plist", mount_point)
    with contextlib.suppress(plistlib.InvalidFileException, ExpatError):
        if (on := plistlib.loads(said.encode()).get("FileVault")) is not None:
            return on
    return mount_point in OWN_VOLUMES and "FileVault is On" in _said_by("fdesetup", "status")


def _mount_point(folder: Path) -> str:
    # of the first folder that is there: the study makes the others
    for place in (folder.absolute(), *folder.absolute().parents):
        lines = _said_by("df", "-P", str(place)).splitlines()
        if len(lines) > 1:
            # the last column; its name may have blanks
            return lines[1].partition("% ")[2].strip()
    return OWN_VOLUMES[0]


def mac_slug(system_profiler_json: str) -> str:
    """The slug from `system_profiler -json SPHardwareDataType`: machine name and Apple chip."""
    facts = json.loads(system_profiler_json)["SPHardwareDataType"][0]
    chip = facts.get("chip_type", "").removeprefix("Apple ")
    return slug(f"{facts['machine_name']} {chip}")


def guest_slug(model: str, chip: str) -> str:
    """The slug from hw.model and machdep.cpu.brand_string: `VirtualMac2,1`, `Apple M4 (Virtual)`.

    A guest's system_profiler reports neither the kind of guest nor the host's chip.
    """
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", model)
    return slug(f"{words} {chip.removeprefix('Apple ').removesuffix('(Virtual)')}")


def linux_slug(cpuinfo: str) -> str:
    """The slug from /proc/cpuinfo: model name and number of processors."""
    fields = [line.split(":", 1) for line in cpuinfo.splitlines() if ":" in line]
    names = [value.strip() for key, value in fields if key.strip() == "model name"]
    cores = sum(1 for key, _ in fields if key.strip() == "processor")
    name = names[0] if names else platform.machine()
    # without trade marks, clock rates and filler words, which do not distinguish machines
    name = re.sub(r"\((R|TM)\)|@.*|\b(CPU|Processor)\b", " ", name, flags=re.IGNORECASE)
    return slug(f"linux {name} {cores} core{'' if cores == 1 else 's'}")


def linux_release(os_release: str, kernel_release: str) -> str:
    """The slug from /etc/os-release and the leading digits and dots of `uname -r`."""
    fields = dict(line.split("=", 1) for line in os_release.splitlines() if "=" in line)
    name = fields.get("ID", "linux").strip('"')
    version = fields.get("VERSION_ID", "rolling").strip('"')
    kernel = re.match(r"[0-9.]*", kernel_release).group().strip(".")
    return f"{name}-{version}-{kernel}"


def slug(text: str) -> str:
    """Lower-case words of letters and digits, joined by hyphens."""
    return "-".join(re.findall(r"[a-z0-9]+", text.lower()))


def _output(program: str, *arguments: str) -> str:
    """The output of a macOS program. Raises StudyError if it fails."""
    done = _asked(program, *arguments)
    if done.returncode != 0:
        raise StudyError(
            ExitCode.UNEXPECTED,
            f"{program} {' '.join(arguments)} failed with {done.returncode}, so this machine is "
            "not identified: run it in a terminal to see why",
        )
    return done.stdout.strip()


def _said_by(program: str, *arguments: str) -> str:
    """The same, or empty if it fails: an older release may not support the query."""
    done = _asked(program, *arguments)
    return done.stdout.strip() if done.returncode == 0 else ""


def place(program: str) -> str:
    """The path of a macOS program, or of its stand-in. Raises FileNotFoundError."""
    # a broken link stands for a program that the Mac lacks
    if (folder := stand_in()) and os.path.lexists(folder / program):
        return str(folder / program)
    if found := shutil.which(program, path=PLACES):
        return found
    raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), program)


def _asked(program: str, *arguments: str) -> subprocess.CompletedProcess:
    try:
        return subprocess.run(
            [place(program), *arguments],
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
            stdin=subprocess.DEVNULL,
            env=os.environ | {"LC_ALL": "C"},
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        why = getattr(error, "strerror", None) or f"no answer within {SECONDS} s"
        raise StudyError(
            ExitCode.UNEXPECTED,
            f"{program} cannot identify this machine ({why}): check that it works in a terminal",
        ) from error
