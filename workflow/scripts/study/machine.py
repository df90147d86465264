"""Which machine and which OS release this is, as the slugs that stand in the records' paths.

Never a serial number, a user name or a host name: model and chip only. The core checks the release
again before it measures.
"""

import json
import os
import platform
import re
import subprocess
from pathlib import Path

from console import ExitCode, StudyError

OS_RELEASE = Path("/etc/os-release")
CPUINFO = Path("/proc/cpuinfo")

# Names a folder of programs that stand in for those of macOS: with it, the study believes to run on
# the Mac that they describe, on any machine (core/diskbench-core/src/program/tools.rs). For tests.
STAND_IN = "DISKBENCH_STAND_IN"

# How every host begins that is none.
STAND_IN_PREFIX = "stand-in-"

# In the config: the name is made from model and chip.
AUTO = "auto"

# system_profiler takes some seconds, everything else a moment.
SECONDS = 60

# By their whole paths: an environment like conda's may have other programs of the same names.
PROGRAMS = {
    "fdesetup": Path("/usr/bin/fdesetup"),
    "sw_vers": Path("/usr/bin/sw_vers"),
    "sysctl": Path("/usr/sbin/sysctl"),
    "system_profiler": Path("/usr/sbin/system_profiler"),
}


def is_mac() -> bool:
    """Whether macOS's programs are at hand: on a Mac, or where something stands in for them."""
    return platform.system() == "Darwin" or stand_in() is not None


def stand_in() -> Path | None:
    """The folder of programs that stand in for those of macOS, if there is one."""
    folder = os.environ.get(STAND_IN)
    return Path(folder) if folder else None


def is_guest() -> bool:
    """Whether this is a virtual machine of macOS, in which the disk of a guest can be measured."""
    return is_mac() and _said_by("sysctl", "-n", "kern.hv_vmm_present") == "1"


def host_slug(named: str = AUTO) -> str:
    """This machine as the user named it, or by model and chip: `mac-mini-m4-pro`, or
    `linux-intel-xeon-2-cores`."""
    name = _model_and_chip() if named == AUTO else named
    if stand_in() is None or name.startswith(STAND_IN_PREFIX):
        return name
    # what nothing but tests measured must never pass for a Mac, whatever it is called
    return STAND_IN_PREFIX + name


def _model_and_chip() -> str:
    if not is_mac():
        return linux_slug(CPUINFO.read_text(encoding="utf-8", errors="replace"))
    if is_guest():
        model = _output("sysctl", "-n", "hw.model")
        return guest_slug(model, _output("sysctl", "-n", "machdep.cpu.brand_string"))
    return mac_slug(_output("system_profiler", "-json", "SPHardwareDataType"))


def release_slug() -> str:
    """This OS release and build, `<os>-<build>`: `macos-26.3.1-25D125`, `debian-12-6.1.147`."""
    if is_mac():
        version = _output("sw_vers", "-productVersion")
        build = _output("sw_vers", "-buildVersion")
        return f"macos-{version}-{build}"
    return linux_release(OS_RELEASE.read_text(encoding="utf-8"), platform.release())


def image_driver() -> str:
    """Who serves disk images where the study says `auto`: macOS on a Mac, else our own code."""
    return "apple" if is_mac() else "portable"


def native_encryption() -> str:
    """What encrypts files on this machine's own disk: `FileVault` where that is on, else `none`."""
    if is_mac() and "FileVault is On" in _said_by("fdesetup", "status"):
        return "FileVault"
    return "none"


def mac_slug(system_profiler_json: str) -> str:
    """From `system_profiler -json SPHardwareDataType`: the machine's name and Apple chip."""
    facts = json.loads(system_profiler_json)["SPHardwareDataType"][0]
    chip = facts.get("chip_type", "").removeprefix("Apple ")
    return slug(f"{facts['machine_name']} {chip}")


def guest_slug(model: str, chip: str) -> str:
    """From hw.model and machdep.cpu.brand_string: `VirtualMac2,1` and `Apple M4 Pro (Virtual)`.

    What a guest's own profiler calls it tells less: neither its kind nor the chip beneath it.
    """
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", model)
    return slug(f"{words} {chip.removeprefix('Apple ').removesuffix('(Virtual)')}")


def linux_slug(cpuinfo: str) -> str:
    """From /proc/cpuinfo: the processor's model name and how many of them there are."""
    fields = [line.split(":", 1) for line in cpuinfo.splitlines() if ":" in line]
    names = [value.strip() for key, value in fields if key.strip() == "model name"]
    cores = sum(1 for key, _ in fields if key.strip() == "processor")
    name = names[0] if names else platform.machine()
    # trade marks, clock rates and filler words tell machines apart no better
    name = re.sub(r"\((R|TM)\)|@.*|\b(CPU|Processor)\b", " ", name, flags=re.IGNORECASE)
    return slug(f"linux {name} {cores} core{'' if cores == 1 else 's'}")


def linux_release(os_release: str, kernel_release: str) -> str:
    """From /etc/os-release and `uname -r`, of which only the leading digits and dots count."""
    fields = dict(line.split("=", 1) for line in os_release.splitlines() if "=" in line)
    name = fields.get("ID", "linux").strip('"')
    version = fields.get("VERSION_ID", "rolling").strip('"')
    kernel = re.match(r"[0-9.]*", kernel_release).group().strip(".")
    return f"{name}-{version}-{kernel}"


def slug(text: str) -> str:
    """Lower-case words of letters and digits, joined by hyphens."""
    return "-".join(re.findall(r"[a-z0-9]+", text.lower()))


def _output(program: str, *arguments: str) -> str:
    """What a program of macOS prints. Raises StudyError when it cannot say it."""
    done = _asked(program, *arguments)
    if done.returncode != 0:
        raise StudyError(
            ExitCode.UNEXPECTED,
            f"{program} {' '.join(arguments)} failed with {done.returncode}, so this machine is "
            "not identified: run it in a terminal to see why",
        )
    return done.stdout.strip()


def _said_by(program: str, *arguments: str) -> str:
    """The same, or nothing where it fails: an older release may not know what it is asked for."""
    done = _asked(program, *arguments)
    return done.stdout.strip() if done.returncode == 0 else ""


def _asked(program: str, *arguments: str) -> subprocess.CompletedProcess:
    path = PROGRAMS[program]
    if (folder := stand_in()) and (folder / program).exists():
        path = folder / program
    try:
        return subprocess.run(
            [path, *arguments],
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
