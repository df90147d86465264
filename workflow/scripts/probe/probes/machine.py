"""Probes of the Mac: facts, memory, file system, processes that serve images."""

import ctypes
import ctypes.util
import fcntl
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from probe import inventory, lines
from probe.bench import Bench, UnseenError
from probe.memory import drop, resident_share
from probe.programs import Answer

# the facts of a record (core: host/macos.rs)
FACTS = (
    ("sysctl", "-n", "hw.model"),
    ("sysctl", "-n", "machdep.cpu.brand_string"),
    ("sysctl", "-n", "hw.memsize"),
    ("sysctl", "-n", "hw.physicalcpu"),
    ("sysctl", "-n", "hw.nperflevels"),
    ("sysctl", "-n", "kern.osrelease"),
    ("sysctl", "-n", "kern.bootsessionuuid"),
    ("pmset", "-g", "batt"),
    ("pmset", "-g", "therm"),
    ("fdesetup", "status"),
    ("vm_stat",),
)

# those whose output is kept, with the time that it takes, by the names of the answers
KEPT = {
    "fact-load": ("sysctl", "-n", "vm.loadavg"),
    "fact-memory-pressure": ("sysctl", "-n", "kern.memorystatus_vm_pressure_level"),
    "fact-power": ("pmset", "-g"),
}
OF_A_LEVEL = ("name", "physicalcpu")

# fcntl(2) of macOS: sys/fcntl.h of xnu.
UNCACHED = (("F_NOCACHE", 48), ("F_FULLFSYNC", 51), ("F_BARRIERFSYNC", 85))

# sys/resource.h and sys/qos.h of xnu: policies of disk I/O for the process, and a class of threads
DISK, OF_PROCESS = 0, 0
DEFAULT, IMPORTANT = 0, 1
USER_INITIATED = 0x19

# The programs that serve images (core: serving.rs).
SERVERS = ("diskimagesiod", "diskimages-helper", "storagekitd", "diskarbitrationd", "hdiejectd")

# RUSAGE_INFO_V2 of sys/resource.h, and a buffer larger than its struct
RUSAGE_INFO_V2 = 2
ROOM = 1024

# an image of each engine that may leave pages in memory: program, format and encryption
ENGINES = (
    ("hdiutil", "UDRW", "none"),
    ("hdiutil", "UDSP", "none"),
    ("hdiutil", "UDSB", "none"),
    ("diskutil", "ASIF", "none"),
    ("hdiutil", "UDRW", "AES-256"),
)

WRITTEN = 32 << 20
HOLE = 1 << 20


def facts(bench: Bench) -> None:
    """All facts of a Mac in a record."""
    answers = [bench.programs.call(None, *words, limit=30) for words in FACTS]
    answers += [bench.programs.call(name, *words, limit=30) for name, words in KEPT.items()]
    answers += [*_levels(bench), *_disks(bench)]
    silent = [
        " ".join((one.program, *one.arguments))
        for one in answers
        if not (one.is_good and one.stdout.strip())
    ]
    seen = f"no answer: {', '.join(silent)}" if silent else "all answered"
    done = f"{len(answers)} questions"
    bench.saw("facts-of-the-mac", done, seen, not silent)


def _levels(bench: Bench) -> Iterator[Answer]:
    """The kinds of cores."""
    told = bench.programs.call(None, "sysctl", "-n", "hw.nperflevels", limit=30).stdout.strip()
    # a number of one digit, or no answer
    for level in range(int(told) if re.fullmatch(rb"\d", told) else 0):
        for key in OF_A_LEVEL:
            words = ("sysctl", "-n", f"hw.perflevel{level}.{key}")
            yield bench.programs.call(f"fact-level-{level}-{key}", *words, limit=30)


def _disks(bench: Bench) -> Iterator[Answer]:
    """The volume of the probe's folder, and what is below it, as in the core (host/macos.rs)."""
    df = bench.programs.call("fact-mount-point", "df", "-P", bench.folder, limit=30)
    yield df
    # the last column; its name may have blanks
    mount = df.stdout.decode("utf-8", "replace").partition("% ")[2].strip()
    words = ("tmutil", "listlocalsnapshots", mount)
    yield bench.programs.call("fact-snapshots", *words, limit=30)
    below: str | None = mount
    for name in ("fact-volume", "fact-store", "fact-disk"):
        if below is None:
            break
        told = bench.programs.call(name, *lines.call("about a disk", disk=below), limit=30)
        yield told
        below = _below(inventory.read_keys(told.stdout))


def _below(told: dict[str, Any]) -> str | None:
    """The physical store of a volume, or the whole disk of a store."""
    stores = told.get("APFSPhysicalStores")
    if isinstance(stores, list) and stores and isinstance(stores[0], dict):
        return stores[0].get("APFSPhysicalStore")
    whole = told.get("ParentWholeDisk")
    return whole if whole != told.get("DeviceIdentifier") else None


def backup(bench: Bench) -> None:
    """Excluding an image from backups."""
    image = next(iter(bench.images.values()), None)
    if image is None:
        raise UnseenError("no image could be made")
    words = lines.call("keep out of backups", image=image.path)
    answer = bench.programs.call("exclude", *words)
    # its exit code says that it was asked, not that it had an effect
    words = lines.call("is it out of backups", image=image.path)
    told = bench.programs.call("is-excluded", *words)
    known = {b"[Excluded": True, b"[Included": False}
    holds = known.get(told.stdout.partition(b"]")[0]) if told.is_good else None
    seen = {True: "excluded", False: "included"}.get(holds, f"{answer.message}, {told.message}")
    done = "tmutil addexclusion of an image, then isexcluded"
    bench.saw("backups-are-kept-off", done, seen, holds)


def disk(bench: Bench) -> None:
    """APFS's handling of clones, holes and uncached files."""
    sparse = bench.folder / "sparse"
    with sparse.open("wb+", buffering=0) as file:
        file.truncate(4 * HOLE)
        os.pwrite(file.fileno(), b"data", 2 * HOLE)
        data = os.lseek(file.fileno(), 0, os.SEEK_DATA)
        hole = os.lseek(file.fileno(), 0, os.SEEK_HOLE)
    seen = f"data at {data}, a hole at {hole}"
    done = "SEEK_DATA and SEEK_HOLE after a write without fsync"
    holds = HOLE <= data <= 2 * HOLE and hole == 0
    bench.saw("holes-are-seen", done, seen, holds)
    _dense(bench)
    _uncached(bench, bench.folder, "on the disk")
    image = bench.made("hdiutil", "UDRW")
    clone = bench.folder / "clone.dmg"
    library = ctypes.CDLL(ctypes.util.find_library("c"), use_errno=True)
    failed = library.clonefile(os.fsencode(image.path), os.fsencode(clone), 0)
    seen = os.strerror(ctypes.get_errno()) if failed else "cloned"
    holds = not failed and clone.read_bytes() == image.path.read_bytes()
    bench.saw("images-are-cloned", "clonefile of a UDRW", seen, holds)
    with bench.mounted(image) as attached:
        _uncached(bench, attached.at, "on the volume of a UDRW")


def _dense(bench: Bench) -> None:
    with (bench.folder / "dense").open("wb+", buffering=0) as file:
        os.write(file.fileno(), os.urandom(4 * HOLE))
        os.fsync(file.fileno())
        data = os.lseek(file.fileno(), 0, os.SEEK_DATA)
        hole = os.lseek(file.fileno(), 0, os.SEEK_HOLE)
    done = f"SEEK_DATA and SEEK_HOLE in a file of {4 * HOLE} bytes after fsync"
    holds = (data, hole) == (0, 4 * HOLE)
    bench.saw("dense-files-have-no-hole", done, f"data at {data}, a hole at {hole}", holds)


def _uncached(bench: Bench, folder: Path, where: str) -> None:
    path = folder / "uncached"
    with path.open("wb") as file:
        file.write(b"data")
        file.flush()
        for name, number in UNCACHED:
            try:
                fcntl.fcntl(file.fileno(), number, 1)
                seen, holds = "accepted", True
            except OSError as error:
                seen, holds = error.strerror or "error", False
            bench.saw("uncached-is-accepted", f"{name} {where}", seen, holds)
    path.unlink()


def policy(bench: Bench) -> None:
    """What macOS answers about the priority that the core requests (core: policy.rs)."""
    library = ctypes.CDLL(ctypes.util.find_library("c"), use_errno=True)
    before = library.qos_class_self()
    library.pthread_set_qos_class_self_np(USER_INITIATED, 0)
    refused = library.setiopolicy_np(DISK, OF_PROCESS, IMPORTANT)
    answered = library.getiopolicy_np(DISK, OF_PROCESS)
    found = library.qos_class_self()
    # the other probes run as before
    library.setiopolicy_np(DISK, OF_PROCESS, DEFAULT)
    library.pthread_set_qos_class_self_np(before, 0)
    done = f"setiopolicy_np({IMPORTANT}), class {USER_INITIATED:#x}"
    seen = f"{'refused, ' if refused else ''}policy {answered}, class {found:#x}"
    holds = not refused and (answered, found) == (DEFAULT, USER_INITIATED)
    bench.saw("important-is-answered-as-default", done, seen, holds)


def cache(bench: Bench) -> None:
    """What is in memory: of a file that was evicted, and of an image that was detached."""
    path = bench.folder / "evicted"
    path.write_bytes(os.urandom(WRITTEN))
    bench.written_bytes += WRITTEN
    before = resident_share(path)
    drop(path)
    after = resident_share(path)
    done = f"write {WRITTEN} bytes, fsync, msync(MS_INVALIDATE)"
    seen = f"{before:.1%} in memory before, {after:.1%} after"
    bench.saw("eviction-empties-the-cache", done, seen, after < 0.01)
    for image in filter(None, map(bench.images.get, ENGINES)):
        bench.written_bytes += WRITTEN
        with bench.attached(image, image.tool) as (_, attached):
            if attached is None:
                bench.cannot("detaching-empties-the-cache", f"{image.name} could not be attached")
                continue
            (attached.at / "file").write_bytes(os.urandom(WRITTEN))
            (attached.at / "file").read_bytes()
        share = resident_share(image.path)
        done = f"write and read {WRITTEN} bytes on {image.name}, detach it"
        seen = f"{share:.2%} of the image in memory"
        bench.saw("detaching-empties-the-cache", done, seen, share < 0.01)


def helpers(bench: Bench) -> None:
    """The processes that serve an attached image, and their readable resource use."""
    images = [one for one in bench.images.values() if one.encryption == "none"]
    for image in {one.format: one for one in images}.values():
        with bench.attached(image, image.tool) as (_, attached):
            if attached is None:
                continue
            listed = bench.programs.call(None, "ps", "-axo", "pid=,uid=,comm=", limit=30)
            info = inventory.read_keys(inventory.ask_info(bench.programs, None).stdout)
            engine = _engine(info, attached.disk)
            found = list(_servers(listed.stdout.decode("utf-8", "replace")))
            seen = ", ".join(f"{name} as user {_user(uid)}" for _, uid, name in found) or "none"
            done = f"attach a {image.format} ({engine}), list processes"
            bench.saw("diskimagesiod-is-seen", done, seen, bool(found))
            for pid, uid, name in found:
                why = rusage_error(pid)
                done = f"proc_pid_rusage of {name}, user {_user(uid)}"
                seen = why or "read"
                bench.saw("diskimagesiod-is-counted", done, seen, why is None)


def _engine(info: dict[str, Any], disk: str) -> str:
    for image in info.get("images", []):
        if inventory.whole_disk(image) == disk:
            return "DiskImages2" if image.get("diskimages2") else "older engine"
    return "engine unknown"


def _servers(listed: str):
    for line in listed.splitlines():
        words = line.split(None, 2)
        if len(words) == 3 and words[0].isdigit() and Path(words[2]).name in SERVERS:
            yield int(words[0]), int(words[1]), Path(words[2]).name


def _user(uid: int) -> str:
    return "0" if uid == 0 else "of the probe" if uid == os.getuid() else str(uid)


def rusage_error(pid: int) -> str | None:
    """Why the resource use of a process cannot be read; None if it can."""
    library = ctypes.CDLL(ctypes.util.find_library("c"), use_errno=True)
    if library.proc_pid_rusage(pid, RUSAGE_INFO_V2, ctypes.create_string_buffer(ROOM)) == 0:
        return None
    return os.strerror(ctypes.get_errno())
