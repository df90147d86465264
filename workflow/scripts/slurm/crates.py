"""The crates of the core, fetched on the login node: nodes build it, and often have no network."""

import logging
import subprocess
from pathlib import Path

log = logging.getLogger(__name__)


def fetch(project: Path) -> bool:
    """Have cargo fetch what this system needs into the home folder, which nodes share.

    Where that fails nothing is said: nodes may have all of it, or a network, and say so if not.
    """
    told = _run("rustc", "--version", "--verbose").stdout
    system = next((line[6:] for line in told.splitlines() if line.startswith("host: ")), None)
    # for every system there is, cargo would fetch crates that no node needs
    only = ["--target", system] if system else []
    manifest = project / "core" / "Cargo.toml"
    done = _run("cargo", "fetch", "--locked", "--quiet", "--manifest-path", str(manifest), *only)
    log.info("cargo fetch: %d %s", done.returncode, done.stderr)
    return done.returncode == 0


def _run(*command: str) -> subprocess.CompletedProcess:
    try:
        return subprocess.run(
            command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
        )
    except OSError as error:
        return subprocess.CompletedProcess(command, 1, "", str(error))
