"""Which machine and which OS release this is, as the slugs that stand in the records' paths.

Never a serial number, a user name or a host name: model and chip only. The core checks the release
again before it measures.
"""

import json
import platform
import re
import subprocess
from pathlib import Path

OS_RELEASE = Path("/etc/os-release")
CPUINFO = Path("/proc/cpuinfo")


def host_slug() -> str:
    """This machine by model and chip: `mac-mini-m4-pro`, or `linux-intel-xeon-2-cores`."""
    if platform.system() == "Darwin":
        return mac_slug(_output("system_profiler", "-json", "SPHardwareDataType"))
    return linux_slug(CPUINFO.read_text(encoding="utf-8", errors="replace"))


def release_slug() -> str:
    """This OS release and build, `<os>-<build>`: `macos-26.3.1-25D125`, `debian-12-6.1.147`."""
    if platform.system() == "Darwin":
        version = _output("sw_vers", "-productVersion").strip()
        build = _output("sw_vers", "-buildVersion").strip()
        return f"macos-{version}-{build}"
    return linux_release(OS_RELEASE.read_text(encoding="utf-8"), platform.release())


def image_driver() -> str:
    """Who serves disk images where the study says `auto`: macOS on a Mac, else our own code."""
    return "apple" if platform.system() == "Darwin" else "portable"


def native_encryption() -> str:
    """What encrypts files on this machine's own disk: `FileVault` where that is on, else `none`."""
    if platform.system() == "Darwin" and "FileVault is On" in _output("fdesetup", "status"):
        return "FileVault"
    return "none"


def mac_slug(system_profiler_json: str) -> str:
    """From `system_profiler -json SPHardwareDataType`: the machine's name and Apple chip."""
    facts = json.loads(system_profiler_json)["SPHardwareDataType"][0]
    chip = facts.get("chip_type", "").removeprefix("Apple ")
    return slug(f"{facts['machine_name']} {chip}")


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


def _output(*command: str) -> str:
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=60, check=True, stdin=subprocess.DEVNULL
    )
    return done.stdout
