"""A fleet on one machine: a coordinator and several hosts, each a copy of the project in its own
folder, and in its own network namespace where that can be made.

What is real: run.sh fleet, Dask, TLS, the study, the core. What is not: the hosts share one
disk and one processor, so nothing that they measure says anything about speed.
"""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import yaml

from proofs.support import victims
from proofs.support.project import PROJECT, Project, make_fresh
from proofs.support.waiting import PATIENCE_SECONDS, wait_until

TOOLS = Path(".diskbench/tools/fleet")
PORT = 28786
# Addresses of a network that exists nowhere else (RFC 5737, TEST-NET-2).
NETWORK = "198.51.100"
# What the hosts measure: three phases of one folder, 2 s.
CONFIG = ("study=encryption-2026", "scale=smoke")
CELLS = 3


class Namespaces:
    """A bridge and a network namespace for each machine of the fleet; root only."""

    def __init__(self, name: str):
        self.name = name
        self.made: dict[str, int] = {}

    @staticmethod
    def can_be_made() -> bool:
        """Whether this is root with iproute2, in a place where namespaces are allowed."""
        if os.geteuid() or not shutil.which("ip"):
            return False
        probe = f"dbprobe{os.getpid()}"
        made = subprocess.run(["ip", "netns", "add", probe], capture_output=True, check=False)
        subprocess.run(["ip", "netns", "del", probe], capture_output=True, check=False)
        return made.returncode == 0

    def add(self, machine: str) -> str:
        """One more machine; returns its address."""
        number = len(self.made) + 1
        if not self.made:
            _ip("link", "add", self._bridge, "type", "bridge")
            _ip("link", "set", self._bridge, "up")
        self.made[machine] = number
        space, outside = self.of(machine), f"{self.name}v{number}"
        _ip("netns", "add", space)
        _ip("link", "add", outside, "type", "veth", "peer", "name", "eth0", "netns", space)
        _ip("link", "set", outside, "master", self._bridge, "up")
        _ip("-n", space, "addr", "add", f"{NETWORK}.{number}/24", "dev", "eth0")
        _ip("-n", space, "link", "set", "eth0", "up")
        _ip("-n", space, "link", "set", "lo", "up")
        return f"{NETWORK}.{number}"

    def of(self, machine: str) -> str:
        """The name of a machine's namespace."""
        return f"{self.name}n{self.made[machine]}"

    def cut(self, machine: str, is_cut: bool) -> None:
        """Pull a machine's cable, or put it back."""
        _ip("link", "set", f"{self.name}v{self.made[machine]}", "down" if is_cut else "up")

    def delete(self) -> None:
        """All of it."""
        for machine in self.made:
            subprocess.run(["ip", "netns", "del", self.of(machine)], check=False)
        subprocess.run(["ip", "link", "del", self._bridge], capture_output=True, check=False)

    @property
    def _bridge(self) -> str:
        return f"{self.name}br"


@dataclass
class Machine:
    """One machine of the fleet: its copy of the project, and how a command is run on it."""

    name: str
    project: Project
    before: tuple[str, ...]
    address: str

    def run(self, *words: str) -> subprocess.CompletedProcess:
        """`bash workflow/run.sh fleet WORDS` to its end."""
        return self.project.run("fleet", *words, before=self.before)

    def start(self, *words: str, **environment: str) -> subprocess.Popen:
        """The same, going on, with this in its environment; what it says goes to `said`."""
        with self.said.open("a", encoding="utf-8") as said:
            return self.project.start("fleet", *words, before=self.before, said=said, **environment)

    @property
    def said(self) -> Path:
        """What its commands said so far, on stdout and stderr."""
        return self.project.folder / "tmp" / "said.log"

    def hears(self, words: str) -> bool:
        """Whether one of its commands said this."""
        return self.said.exists() and words in self.said.read_text(encoding="utf-8")

    def records(self) -> dict[str, bytes]:
        """Every record by its path below data/runs."""
        runs = self.project.folder / "data" / "runs"
        return {
            path.relative_to(runs).as_posix(): path.read_bytes() for path in self.project.records()
        }


class FleetHere:
    """The coordinator and its hosts; `hosts` by slug."""

    def __init__(self, folder: Path, slugs: list[str], namespaces: bool | None = None):
        self.folder = folder
        wanted = Namespaces.can_be_made() if namespaces is None else namespaces
        self.spaces = Namespaces(f"db{os.getpid() % 100000}") if wanted else None
        self.running: list[subprocess.Popen] = []
        self.coordinator = self._machine("coordinator")
        self.hosts = {slug: self._machine(slug) for slug in slugs}
        self.write_config(slugs)
        self.coordinator.run("certificate").check_returncode()
        for slug in slugs:
            self.carry_certificate(slug)

    def _machine(self, name: str) -> Machine:
        project = make_of_fleet(self.folder / name, "index.qmd")
        project.environment()  # makes its folder for temporary files
        address, before = "127.0.0.1", ()
        if self.spaces:
            address = self.spaces.add(name)
            before = ("ip", "netns", "exec", self.spaces.of(name))
        return Machine(name, project, before, address)

    def write_config(self, slugs: list[str]) -> None:
        """fleet.yaml on the coordinator, of these hosts and perhaps others than there are."""
        addresses = {slug: {"address": machine.address} for slug, machine in self.hosts.items()}
        hosts = {slug: addresses.get(slug, {}) for slug in slugs}
        write_fleet(self.coordinator.project, self.coordinator.address, hosts)

    def carry_certificate(self, slug: str) -> None:
        """As a person copies it from the coordinator to the host."""
        made = f".diskbench/fleet/certificates/{slug}.certificate"
        there = self.hosts[slug].project.folder / ".diskbench/fleet/host.certificate"
        there.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(self.coordinator.project.folder / made, there)

    def worker(self, slug: str, **environment: str) -> subprocess.Popen:
        """Call a host's worker."""
        return self._keep(self.hosts[slug].start("worker", **environment))

    def offer(self, slug: str) -> subprocess.Popen:
        """Call a host's worker, and wait until it waits for the coordinator."""
        worker = self.worker(slug)
        host = self.hosts[slug]
        wait_until(lambda: host.hears("waiting for the coordinator"), f"worker of {slug}")
        return worker

    def forget(self) -> None:
        """Take away what was measured and said, as if no study had been."""
        for machine in self.machines:
            shutil.rmtree(machine.project.folder / "data" / "runs", ignore_errors=True)
            (machine.project.folder / "data" / "diskbench.duckdb").unlink(missing_ok=True)
            machine.said.write_text("", encoding="utf-8")

    @property
    def machines(self) -> list[Machine]:
        """The coordinator, and the hosts."""
        return [self.coordinator, *self.hosts.values()]

    def call(self, *words: str) -> subprocess.Popen:
        """Call the coordinator."""
        return self._keep(self.coordinator.start(*words))

    def _keep(self, process: subprocess.Popen) -> subprocess.Popen:
        self.running.append(process)
        return process

    def end(self) -> None:
        """Nothing of it is left at work."""
        for machine in self.machines:
            victims.kill(victims.of_project(machine.project))
        for process in self.running:
            with suppress(subprocess.TimeoutExpired):
                process.wait(timeout=PATIENCE_SECONDS)
        if self.spaces:
            self.spaces.delete()


def make_of_fleet(folder: Path, *pages: str) -> Project:
    """A copy of the project that can be a coordinator or a host, with these pages."""
    project = make_fresh(folder)
    project.render_only(*pages)
    tools = project.folder / TOOLS
    tools.parent.mkdir(parents=True)
    tools.symlink_to(PROJECT / TOOLS)
    return project


def write_fleet(project: Project, address: str, hosts: dict[str, dict]) -> None:
    """The coordinator's fleet.yaml."""
    document = {"coordinator": {"address": address, "port": PORT}, "hosts": hosts}
    path = project.folder / "workflow" / "config" / "fleet.yaml"
    path.write_text(yaml.safe_dump(document), encoding="utf-8")


@contextmanager
def fleet_here(
    folder: Path, slugs: list[str], namespaces: bool | None = None
) -> Iterator[FleetHere]:
    """A fleet that is always ended, and its namespaces deleted."""
    fleet = FleetHere(folder, slugs, namespaces)
    # so that the end is reached when this process is asked to end
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield fleet
    finally:
        fleet.end()


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)
