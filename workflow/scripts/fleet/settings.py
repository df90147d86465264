"""Settings of Dask that avoid disturbing measurements."""

import logging
from pathlib import Path

import dask

# seconds between heartbeats of a host; Dask's default of twice a second would disturb measurements
HEARTBEAT_SECONDS = 5
# a host without a heartbeat for this long counts as absent, but continues measuring
AWAY_SECONDS = 60

SETTINGS = {
    # the profiler samples every thread a hundred times a second
    "distributed.worker.profile.enabled": False,
    "distributed.admin.system-monitor.interval": "60s",
    "distributed.admin.system-monitor.gil.enabled": False,
    "distributed.admin.tick.interval": "2s",
    "distributed.scheduler.work-stealing": False,
    "distributed.scheduler.active-memory-manager.start": False,
    "distributed.scheduler.worker-ttl": f"{AWAY_SECONDS}s",
    "distributed.comm.require-encryption": True,
    "distributed.comm.timeouts.connect": "10s",
    "distributed.comm.timeouts.tcp": f"{AWAY_SECONDS // 2}s",
    # no look for GPUs
    "distributed.diagnostics.nvml": False,
}


def apply(log: Path) -> None:
    """Apply the settings to this process, and log Dask's messages to a file."""
    dask.config.set(SETTINGS)
    log.parent.mkdir(parents=True, exist_ok=True)
    handler = logging.FileHandler(log, mode="a", encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    for name in ("distributed", "tornado", "asyncio", "fleet"):
        logger = logging.getLogger(name)
        logger.handlers[:] = [handler]
        logger.propagate = False
        logger.setLevel(logging.INFO if name in ("distributed", "fleet") else logging.ERROR)
