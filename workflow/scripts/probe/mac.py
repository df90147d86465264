"""Facts of the Mac that a report may contain."""

import re
from dataclasses import dataclass

from console import ExitCode, StudyError
from probe.programs import Programs
from study.machine import stand_in

# the oldest supported macOS (core: image/apple/capabilities.rs)
OLDEST = 13


@dataclass(frozen=True)
class Mac:
    """This Mac; `stand_in` if stand-ins imitate one."""

    version: str
    build: str
    model: str | None
    chip: str | None
    memory_bytes: int | None
    virtual: bool | None
    stand_in: bool

    @property
    def release(self) -> int:
        """The major version of its macOS."""
        return int(self.version.split(".")[0])


def this(programs: Programs) -> Mac:
    """Query this Mac. Raises StudyError (not fit) if its macOS is unknown."""
    version, build = (
        _line(programs, "sw_vers", f"-{what}Version") for what in ("product", "build")
    )
    if not (version and build and re.fullmatch(r"\d{2}(\.\d{1,3}){0,2}", version)):
        raise StudyError(
            ExitCode.NOT_QUIET, "sw_vers does not say which macOS this is: run it on a Mac"
        )
    if int(version.split(".")[0]) < OLDEST:
        raise StudyError(
            ExitCode.NOT_QUIET,
            f"macOS {version} is older than this study: run it on macOS {OLDEST} or later",
        )
    memory = _line(programs, "sysctl", "-n", "hw.memsize")
    virtual = _line(programs, "sysctl", "-n", "kern.hv_vmm_present")
    return Mac(
        version,
        build,
        _line(programs, "sysctl", "-n", "hw.model"),
        _line(programs, "sysctl", "-n", "machdep.cpu.brand_string"),
        int(memory) if memory and memory.isdigit() else None,
        None if virtual is None else virtual == "1",
        stand_in() is not None,
    )


def _line(programs: Programs, program: str, *arguments: str) -> str | None:
    answer = programs.call(None, program, *arguments, limit=30)
    said = answer.stdout.decode("utf-8", "replace").strip()
    return said[:100] if answer.is_good and said and "\n" not in said else None
