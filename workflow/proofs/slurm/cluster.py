"""A Slurm cluster of a login node and some others on one machine, for the smoke run.

Each node is a network namespace with a host name and a disk of its own; all share the machine's
other files, as nodes share a file system. It lives in namespaces altogether: nothing of the machine
is changed, and everything ends with the process that started it.
"""

import secrets
import subprocess
import time
from pathlib import Path

from console import ExitCode, StudyError

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "ip", "unshare", "mount")

# What a command begins with to be the login node of a cluster. Not `ip netns exec`: it mounts
# another /sys, without the control groups that slurmd looks for.
ALONE = ("unshare", "--mount", "--net", "--uts", "--pid", "--fork", "--kill-child", "--mount-proc")

NETWORK = "10.99.0"
CPUS = 2  # of each node, as its job sees them; the machine may have more or fewer

# Seconds for all nodes to report; two did within 2.1.
PATIENCE = 60

CONF = """\
ClusterName=smoke
SlurmctldHost=login({network}.1)
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

# What a node does before it is one: its own name, its own disk, its own network.
NODE = """\
set -eu
hostname {name}
mount --bind {base}/disk-{name} {disk}
ip link set lo up
until ip link show {name}-b >/dev/null 2>&1; do sleep 0.05; done
ip address add {address}/24 dev {name}-b
ip link set {name}-b up
exec slurmd -D -N {name}
"""


class Cluster:
    """In `base`: state and logs of the daemons, and a folder `disk-<node>` for each node's disk.

    disk: the path under which every node finds its own.
    """

    def __init__(self, base: Path, names: list[str]):
        self.base = base
        self.names = names
        self.disk = base / "disk"
        self.addresses = {name: f"{NETWORK}.{11 + i}" for i, name in enumerate(names)}
        self.daemons: list[subprocess.Popen] = []

    def start(self) -> float:
        """Start everything, inside `ALONE`; the seconds that it took."""
        begun = time.monotonic()
        self._files()
        _run("hostname", "login")
        _run("ip", "link", "set", "lo", "up")
        _run("ip", "link", "add", "bridge", "type", "bridge")
        _run("ip", "address", "add", f"{NETWORK}.1/24", "dev", "bridge")
        _run("ip", "link", "set", "bridge", "up")
        munge = self.base / "munge"
        self._start(
            "munged", "--foreground", "--force", f"--key-file={munge}/key",
            f"--socket={munge}/socket", f"--pid-file={munge}/pid", f"--seed-file={munge}/seed",
            f"--log-file={munge}/log",
        )  # fmt: skip
        self._until((munge / "socket").exists, "munged")
        self._start("slurmctld", "-D")
        for name in self.names:
            self.start_node(name)
        self._until(self._all_idle, "its nodes")
        return time.monotonic() - begun

    def start_node(self, name: str) -> None:
        """Start one node."""
        script = NODE.format(
            name=name, base=self.base, disk=self.disk, address=self.addresses[name]
        )
        daemon = self._start("unshare", "--net", "--mount", "--uts", "bash", "-c", script)
        _run("ip", "link", "add", f"{name}-a", "type", "veth", "peer", "name", f"{name}-b")
        _run("ip", "link", "set", f"{name}-a", "master", "bridge", "up")
        # not before it has a network of its own
        ours = Path("/proc/self/ns/net").readlink()
        self._until(lambda: Path(f"/proc/{daemon.pid}/ns/net").readlink() != ours, name)
        _run("ip", "link", "set", f"{name}-b", "netns", str(daemon.pid))

    def _files(self) -> None:
        for folder in ("etc", "munge", "state", "disk", *(f"disk-{name}" for name in self.names)):
            (self.base / folder).mkdir(exist_ok=True)
        (self.base / "munge").chmod(0o755)
        key = self.base / "munge" / "key"
        key.write_bytes(secrets.token_bytes(128))
        key.chmod(0o400)
        nodes = "\n".join(
            f"NodeName={name} NodeAddr={address} CPUs={CPUS} RealMemory=1000 State=UNKNOWN"
            for name, address in self.addresses.items()
        )
        conf = CONF.format(base=self.base, network=NETWORK, nodes=nodes)
        (self.base / "etc" / "slurm.conf").write_text(conf, encoding="utf-8")
        hosts = "".join(f"{address} {name}\n" for name, address in self.addresses.items())
        hosts = f"127.0.0.1 localhost\n{NETWORK}.1 login\n{hosts}"
        (self.base / "hosts").write_text(hosts, encoding="utf-8")
        (self.base / "resolv.conf").touch()
        # where Slurm looks by itself: the plugin hands no SLURM_CONF on to jobs
        _run("mount", "--bind", str(self.base / "etc"), "/etc/slurm")
        # and no name is asked for elsewhere: each Snakemake would wait minutes for an answer
        _run("mount", "--bind", str(self.base / "hosts"), "/etc/hosts")
        _run("mount", "--bind", str(self.base / "resolv.conf"), "/etc/resolv.conf")

    def _start(self, *command: str) -> subprocess.Popen:
        log = (self.base / f"{command[0]}.out").open("a", encoding="utf-8")
        daemon = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
        )
        self.daemons.append(daemon)
        return daemon

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


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise StudyError(
            ExitCode.UNEXPECTED,
            f"this system does not let a cluster be started ({' '.join(command)}: "
            f"{done.stderr.strip()})",
        )
