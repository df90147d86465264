"""A Slurm cluster on one machine: each node is a daemon with a folder that stands for its disk.

Nothing of the machine is changed, and everything ends with the process that started it, which is
run by `ALONE`.
"""

import os
import platform
import secrets
import subprocess
import time
from pathlib import Path

from console import ExitCode, StudyError

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "unshare")

# What a command begins with so that no process that it starts is left.
ALONE = ("unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc")

ADDRESS = "127.0.0.1"
PORT = 26817  # of the controller; those of the nodes follow
CPUS = 2  # of each node, as its job sees them; the machine may have more or fewer

# Seconds for all nodes to report; two did within 2.1.
PATIENCE = 60

CONF = """\
ClusterName=smoke
SlurmctldHost={here}({address})
SlurmctldPort={port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={base}/munge/socket
StateSaveLocation={base}/state
SlurmctldPidFile={base}/slurmctld.pid
SlurmctldLogFile={base}/slurmctld.log
SlurmdPidFile={base}/%n.pid
SlurmdLogFile={base}/%n.log
SlurmdSpoolDir={base}/spool-%n
# as on a cluster without accounting and control groups
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
# a node that somebody set down stays so; one that was lost comes back
ReturnToService=1
SlurmdTimeout=30
MinJobAge=300
SchedulerParameters=batch_sched_delay=0
{nodes}
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


class Cluster:
    """In `base`: state and logs of the daemons, and a folder `disk-<node>` for each node's disk."""

    def __init__(self, base: Path, names: list[str]):
        self.base = base
        self.names = names
        self.daemons: list[subprocess.Popen] = []

    def start(self) -> float:
        """Start everything, inside `ALONE`; the seconds that it took."""
        begun = time.monotonic()
        self._files()
        munge = self.base / "munge"
        self._start(
            "munged", "--foreground", "--force", f"--key-file={munge}/key",
            f"--socket={munge}/socket", f"--pid-file={munge}/pid", f"--seed-file={munge}/seed",
            f"--log-file={munge}/log",
        )  # fmt: skip
        self._until((munge / "socket").exists, "munged")
        self._start("slurmctld", "-D")
        for name in self.names:
            self._start("slurmd", "-D", "-N", name)
        self._until(self._all_idle, "its nodes")
        return time.monotonic() - begun

    def _files(self) -> None:
        for folder in ("munge", "state", *(f"disk-{name}" for name in self.names)):
            (self.base / folder).mkdir()
        (self.base / "munge").chmod(0o755)
        key = self.base / "munge" / "key"
        key.write_bytes(secrets.token_bytes(128))
        key.chmod(0o400)
        here = platform.node().partition(".")[0]
        nodes = "\n".join(
            f"NodeName={name} NodeHostname={here} NodeAddr={ADDRESS} Port={PORT + number} "
            f"CPUs={CPUS} RealMemory=1000 State=UNKNOWN"
            for number, name in enumerate(self.names, start=1)
        )
        conf = self.base / "slurm.conf"
        text = CONF.format(here=here, address=ADDRESS, port=PORT, base=self.base, nodes=nodes)
        conf.write_text(text, encoding="utf-8")
        os.environ["SLURM_CONF"] = str(conf)

    def _start(self, *command: str) -> None:
        log = (self.base / f"{command[0]}.out").open("a", encoding="utf-8")
        daemon = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
        )
        self.daemons.append(daemon)

    def _all_idle(self) -> bool:
        command = ["sinfo", "--noheader", "--Node", "--format=%T"]
        told = subprocess.run(command, capture_output=True, text=True, check=False)
        return told.stdout.split() == ["idle"] * len(self.names)

    def _until(self, reached, what: str) -> None:
        last = time.monotonic() + PATIENCE
        while not reached():
            ended = [daemon.args[0] for daemon in self.daemons if daemon.poll() is not None]
            if ended or time.monotonic() > last:
                logs = [path for path in self.base.glob("*.log") if path.stat().st_size]
                lines = [path.read_text(errors="replace").splitlines()[-1] for path in logs]
                raise StudyError(
                    ExitCode.UNEXPECTED,
                    f"Slurm did not start ({what}{'; ended: ' if ended else ''}{' '.join(ended)}; "
                    f"its logs end with: {' / '.join(lines)})",
                )
            time.sleep(0.05)
