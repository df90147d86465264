"""Dask's scheduler on the coordinator, listening with TLS only on the named address."""

import errno
from typing import Any

from distributed import Scheduler
from distributed.comm import unparse_host_port
from distributed.diagnostics.plugin import SchedulerPlugin

from console import ExitCode, StudyError
from fleet.certificates import CALL, CertificateStore
from fleet.config import Coordinator

# each host's certificate names address and port of the coordinator
CARRIED = f"call `{CALL}`: it makes certificates with the new one, to be copied to the hosts"


class Arrivals(SchedulerPlugin):
    """A plugin that reports workers: `came(name, address)`, `went(address)`."""

    def __init__(self, came: Any, went: Any):
        self.came = came
        self.went = went

    def add_worker(self, scheduler: Scheduler, worker: str) -> None:
        """Dask's name for this hook."""
        self.came(str(scheduler.workers[worker].name), worker)

    def remove_worker(self, scheduler: Scheduler, worker: str, **_: Any) -> None:
        """Dask's name for this hook."""
        self.went(worker)


class CoordinatorScheduler(Scheduler):
    """Dask's scheduler without its web pages, which every local user could read."""

    def start_http_server(self, *_: Any, **__: Any) -> None:
        """Nothing."""


def scheduler(
    coordinator: Coordinator, store: CertificateStore, arrivals: Arrivals
) -> CoordinatorScheduler:
    """A scheduler to await. Raises StudyError without certificates."""
    return CoordinatorScheduler(
        # for the hosts, and for this process
        host=[f"tls://{unparse_host_port(coordinator.address)}", None],
        port=[coordinator.port, 0],
        protocol=["tls", "inproc"],
        security=store.security,
        plugins=[arrivals],
        dashboard=False,
    )


def own_address(scheduler: CoordinatorScheduler) -> str:
    """The address for this process itself: in memory, unreachable for others."""
    return scheduler.listeners[1].contact_address


def not_here(coordinator: Coordinator, error: OSError) -> StudyError:
    """The error for an address that this machine cannot listen on."""
    address = unparse_host_port(coordinator.address, coordinator.port)
    place = f"the coordinator cannot listen at {address} ({error.strerror or error})"
    if error.errno == errno.EADDRINUSE:
        return StudyError(
            ExitCode.BUSY,
            f"{place}: another coordinator uses it; wait for it, or set coordinator.port to "
            f"another number and {CARRIED}",
        )
    return StudyError(
        ExitCode.BAD_INPUT,
        f"{place}: set coordinator.address in workflow/config/fleet.yaml to one of this machine, "
        f"and {CARRIED}",
    )
