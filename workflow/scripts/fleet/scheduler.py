"""Dask's scheduler on the coordinator: it listens on the address that was named, with certificates,
and lets its dashboard be seen by who has one."""

import errno
import ssl
from typing import Any

from distributed import Scheduler
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
    """Dask's scheduler, whose pages ask for a certificate too, and on loopback only."""

    ssl_context: ssl.SSLContext | None = None

    def start_http_server(
        self, routes: Any, dashboard_address: Any, default_port: int = 0, ssl_options: Any = None
    ) -> None:
        """Not at all without a browser's certificate."""
        if self.ssl_context is not None:
            super().start_http_server(
                routes, dashboard_address, default_port, ssl_options=self.ssl_context
            )


def scheduler(
    coordinator: Coordinator, store: CertificateStore, arrivals: Arrivals
) -> CoordinatorScheduler:
    """Ready to be awaited. Raises StudyError when there are no certificates."""

    class OfThisFleet(CoordinatorScheduler):
        ssl_context = _for_browsers(store)

    return OfThisFleet(
        # for the hosts, and for this very process
        host=[f"tls://{coordinator.address}", None],
        port=[coordinator.port, 0],
        protocol=["tls", "inproc"],
        security=store.security,
        plugins=[arrivals],
        dashboard=OfThisFleet.ssl_context is not None,
        dashboard_address=f"127.0.0.1:{coordinator.dashboard_port}",
    )


def own_address(scheduler: CoordinatorScheduler) -> str:
    """Where this process speaks to it: through memory, which nobody else can reach."""
    return scheduler.listeners[1].contact_address


def not_here(coordinator: Coordinator, error: OSError) -> StudyError:
    """The error for an address that cannot be listened at."""
    address = f"{coordinator.address}:{coordinator.port}"
    place = f"the coordinator cannot listen at {address} ({error.strerror or error})"
    if error.errno == errno.EADDRINUSE:
        return StudyError(
            ExitCode.BUSY,
            f"{place}: another one runs there; wait for it or give coordinator.port another number",
        )
    return StudyError(
        ExitCode.BAD_INPUT,
        f"{place}: set coordinator.address in workflow/config/fleet.yaml to one of this machine",
    )


def _for_browsers(store: CertificateStore) -> ssl.SSLContext | None:
    if not store.browser_file.exists():
        return None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=str(store.browser_file))
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    context.load_cert_chain(store.coordinator_file)
    context.verify_mode = ssl.CERT_REQUIRED
    return context
