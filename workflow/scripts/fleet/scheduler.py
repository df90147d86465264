"""Dask's scheduler on the coordinator: it listens on the named address alone, with certificates."""

import errno
from typing import Any

from distributed import Scheduler
from distributed.comm import unparse_host_port
from distributed.diagnostics.plugin import SchedulerPlugin

from console import ExitCode, StudyError
from fleet.certificates import CertificateStore
from fleet.config import Coordinator


class Arrivals(SchedulerPlugin):
    """Tells which worker came and went: `came(name, address)`, `went(address)`."""

    def __init__(self, came: Any, went: Any):
        self.came = came
        self.went = went

    def add_worker(self, scheduler: Scheduler, worker: str) -> None:
        """Dask's own name for it."""
        self.came(str(scheduler.workers[worker].name), worker)

    def remove_worker(self, scheduler: Scheduler, worker: str, **_: Any) -> None:
        """Dask's own name for it."""
        self.went(worker)


class CoordinatorScheduler(Scheduler):
    """Dask's scheduler without its pages, which anybody on this machine could see."""

    def start_http_server(self, *_: Any, **__: Any) -> None:
        """Nothing."""


def scheduler(
    coordinator: Coordinator, store: CertificateStore, arrivals: Arrivals
) -> CoordinatorScheduler:
    """Ready to be awaited. Raises StudyError when there are no certificates."""
    return CoordinatorScheduler(
        # for the hosts, and for this very process
        host=[f"tls://{unparse_host_port(coordinator.address)}", None],
        port=[coordinator.port, 0],
        protocol=["tls", "inproc"],
        security=store.security,
        plugins=[arrivals],
        dashboard=False,
    )


def own_address(scheduler: CoordinatorScheduler) -> str:
    """Where this process speaks to it: through memory, which nobody else can reach."""
    return scheduler.listeners[1].contact_address


def not_here(coordinator: Coordinator, error: OSError) -> StudyError:
    """The error for an address that cannot be listened at."""
    address = unparse_host_port(coordinator.address, coordinator.port)
    place = f"the coordinator cannot listen at {address} ({error.strerror or error})"
    if error.errno == errno.EADDRINUSE:
        return StudyError(
            ExitCode.BUSY,
            f"{place}: another coordinator uses it; wait for it or set coordinator.port to "
            "another number",
        )
    return StudyError(
        ExitCode.BAD_INPUT,
        f"{place}: set coordinator.address in workflow/config/fleet.yaml to one of this machine",
    )
