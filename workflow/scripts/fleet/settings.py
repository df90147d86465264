"""How Dask behaves here: a host that measures must not notice it."""

import logging
from pathlib import Path

import dask

# How often, in seconds, a host tells that it is there. Dask's own twice a second would take time
# from what is measured.
HEARTBEAT_SECONDS = 5
# A host that was not heard of for so long is away; what it measures goes on there.
AWAY_SECONDS = 60

SETTINGS = {
    # looks at every thread a hundred times a second
    "distributed.worker.profile.enabled": False,
    "distributed.admin.system-monitor.interval": "60s",
    "distributed.admin.system-monitor.gil.enabled": False,
    "distributed.admin.tick.interval": "2s",
    # tasks are few and small; images in the page cache are no memory of the worker
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.terminate": False,
    "distributed.scheduler.work-stealing": False,
    "distributed.scheduler.active-memory-manager.start": False,
    "distributed.scheduler.worker-ttl": f"{AWAY_SECONDS}s",
    "distributed.comm.require-encryption": True,
    "distributed.comm.timeouts.connect": "10s",
    "distributed.comm.timeouts.tcp": f"{AWAY_SECONDS // 2}s",
    "distributed.comm.retry.count": 0,
    # asked for nothing, it asks nobody for newer versions and looks for no GPU
    "distributed.diagnostics.nvml": False,
    "distributed.version-check": False,
}


def apply(log: Path) -> None:
    """Set them for this process, and send what Dask has to say to a file."""
    dask.config.set(SETTINGS)
    log.parent.mkdir(parents=True, exist_ok=True)
    handler = logging.FileHandler(log, mode="a", encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    for name in ("distributed", "tornado", "asyncio", "fleet"):
        logger = logging.getLogger(name)
        logger.handlers[:] = [handler]
        logger.propagate = False
        logger.setLevel(logging.INFO if name in ("distributed", "fleet") else logging.ERROR)
