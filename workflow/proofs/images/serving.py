"""Compares `image serve` with nbdkit's file plugin on a raw disk, read by fio over a socket."""

import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from console import say
from proofs.support import proof
from proofs.support.contenders import Contender, Rates, called, fio_is_here
from proofs.support.goals import at_least
from proofs.support.proof import Figure
from proofs.support.rounds import interleaved, rates, ratios

FORMATS = ("UDRW", "UDSP", "UDSB", "ASIF")
DISK_BYTES = 1 << 30
THEIRS = "nbdkit"
GOAL = at_least(0.9)
# Blocks and depth of each way to read: as nbdcopy asks, and as a file system does.
WAYS = {"sequential": ("read", "256k", 16), "random": ("randread", "4k", 16)}
SECONDS_TO_START = 10


def figures(release: Path, folder: Path, rounds: int) -> Iterator[Figure]:
    """A ratio of rates for each format and way to read, and the rates of nbdkit."""
    if not (shutil.which("nbdkit") and fio_is_here()):
        say("nbdkit and fio are not both installed: left out")
        return
    disk = folder / "disk"
    with disk.open("wb") as file:
        for _ in range(DISK_BYTES >> 20):
            file.write(os.urandom(1 << 20))
    sockets = {THEIRS: folder / "theirs"}
    servers = [["nbdkit", "-f", "-r", "-U", sockets[THEIRS], "file", disk]]
    diskbench = release / "diskbench"
    for image_format in FORMATS:
        image = folder / f"image-{image_format}"
        sockets[image_format] = folder / f"ours-{image_format}"
        called([diskbench, "image", "convert", disk, image, "--to", image_format,
                "--progress", "none"])  # fmt: skip
        servers.append([diskbench, "image", "serve", "--socket", sockets[image_format], image])
    running = [subprocess.Popen(command, stderr=subprocess.DEVNULL) for command in servers]
    try:
        _wait_for(sockets.values())
        contenders = [_reader(name, socket) for name, socket in sockets.items()]
        results = interleaved(contenders, rounds)
    finally:
        for server in running:
            server.terminate()
            server.wait()
    for way in WAYS:
        what = f"serving, {way} read"
        yield proof.over_rounds(f"{what}: {THEIRS}", rates(results, way, THEIRS), "GB/s")
        for image_format in FORMATS:
            found = ratios(results, way, image_format, THEIRS)
            yield proof.over_rounds(f"{what}: {image_format} / {THEIRS}", found, goal=GOAL)


def _reader(name: str, socket: Path) -> Contender:
    def measure() -> Rates:
        return {way: _rate(socket, *words) for way, words in WAYS.items()}

    return Contender(name, measure)


def _rate(socket: Path, mode: str, block: str, depth: int) -> float:
    """Bytes a second. At random a sixteenth of the disk is read, which takes about as long."""
    size = DISK_BYTES if mode == "read" else DISK_BYTES // 16
    output = called([
        "fio", "--name=serve", "--output-format=json", "--ioengine=nbd",
        f"--uri=nbd+unix:///?socket={socket}", f"--rw={mode}", f"--bs={block}",
        f"--iodepth={depth}", f"--size={DISK_BYTES}", f"--io_size={size}", "--randseed=1",
    ])  # fmt: skip
    [job] = json.loads(output[output.index("{") :])["jobs"]
    return job["read"]["bw_bytes"]


def _wait_for(sockets: Iterator[Path]) -> None:
    until = time.monotonic() + SECONDS_TO_START
    for socket in sockets:
        while not socket.exists():
            if time.monotonic() > until:
                raise RuntimeError(f"no server made {socket.name}")
            time.sleep(0.05)
