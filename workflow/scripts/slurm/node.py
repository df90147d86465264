"""The job of one node: a checkout of its own, `run.sh` in it, and the records brought home."""

import os
import re
import signal
import subprocess
from dataclasses import asdict
from pathlib import Path

from snakemake.cli import parse_config
from snakemake.utils import update_config

from arguments import Parser
from console import ExitCode, StudyError, say
from lock import held
from record import RUNS
from slurm import call as calls
from slurm import delivery, tree
from slurm.call import Call, Outcome
from slurm.settings import Node
from strict_yaml import read_yaml
from study.planning import make_plan
from study.summary import summarise

# Slurm's name for the node that a job step is on.
HERE = "SLURMD_NODENAME"

# What a Snakemake inside a job must not take for its own.
NOT_OURS = re.compile(r"SLURM|SRUN_|SBATCH_|SNAKEMAKE_|DISKBENCH_|PYTHONPATH$")


def main(words: list[str]) -> int:
    """Measure this node for the call; how it ended is left for the call, and is the exit code."""
    parser = Parser(prog="python -m slurm node", description=__doc__)
    parser.add_argument("--call", type=Path, required=True)
    parser.add_argument("--node", required=True)
    parser.add_argument("--log", type=Path, required=True)
    asked = parser.parse_args(words)
    call = calls.read(asked.call)
    try:
        ended = work(call, call.nodes[asked.node])
    except StudyError as error:
        ended = Outcome(error.code, error.line)
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        ended = Outcome(ExitCode.UNEXPECTED, f"{error.strerror}{where}")
    calls.put(call.outcome(asked.node), asdict(ended))
    say(ended.line)
    return ended.code


def work(call: Call, node: Node) -> Outcome:
    """Everything that the node's job does."""
    here = os.environ.get(HERE, "")
    if here != node.name:
        raise StudyError(
            ExitCode.UNEXPECTED, f"Slurm put this job on {here or 'no node'}, not on {node.name}"
        )
    checkout = _checkout(node)
    # two calls of two projects may name one folder
    lock = checkout.with_name(checkout.name + ".lock")
    with held(lock, f"another job is at work in {checkout}: wait for it, then call again"):
        tree.unpack(call.archive, checkout, call.project)
        home, there = call.project / RUNS, checkout / RUNS
        # what a job that was killed could not bring home any more
        earlier = delivery.bring(there, home, node.host)
        delivery.send(home, there, node.host)
        code = _run(call, node, checkout)
        told = _last_line(call.log(node.name))
        if code == ExitCode.DONE and call.target == "records":
            code, told = _count(call, node, checkout)
        brought = delivery.bring(there, home, node.host)
    count = len(earlier.brought) + len(brought.brought)
    for name, reason in brought.kept:
        say(f"{checkout / RUNS / name}: {reason}")
    if brought.kept:
        name, reason = brought.kept[0]
        more = f", and {len(brought.kept) - 1} more" if len(brought.kept) > 1 else ""
        told = (
            f"{told}; not brought home, and left on the node in {there}: {name} ({reason}){more}: "
            "remove the one that is not wanted, then call again"
        )
        code = code or ExitCode.DAMAGED_RECORD
    return Outcome(code, told, count)


def _checkout(node: Node) -> Path:
    """Named by its host, so that nodes do not meet even where their folders are one."""
    folder = Path(node.folder)
    if not (folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)):
        raise StudyError(
            ExitCode.FOLDER_UNUSABLE,
            f"its folder {folder} is not there or cannot be written: make it on that node, or name "
            "another in workflow/config/slurm.yaml",
        )
    return folder / node.host


def _run(call: Call, node: Node, checkout: Path) -> int:
    """`run.sh` as a person on the node would call it; a request to end reaches it."""
    command = ["bash", "workflow/run.sh", call.target, "--config", f"host={node.host}", *call.words]
    log = call.log(node.name)
    log.parent.mkdir(parents=True, exist_ok=True)
    environment = {key: value for key, value in os.environ.items() if not NOT_OURS.match(key)}
    # where the core's lock is: a folder of the login node that all nodes share would have them wait
    # for each other, and the job has the node for itself anyway
    temporary = checkout / ".diskbench" / "tmp"
    temporary.mkdir(parents=True, exist_ok=True)
    environment["TMPDIR"] = str(temporary)
    with log.open("w", encoding="utf-8") as said:
        process = subprocess.Popen(
            command,
            cwd=checkout,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
        )
        # Slurm asks every process of a job to end, this one too, and waits (KillWait): the study
        # puts its files away, and its finished records are brought home
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: process.poll() is None and process.terminate())
        code = process.wait()
    # ended before it could say so itself, while the environment was looked for
    return ExitCode.INTERRUPTED if code in (-signal.SIGTERM, 128 + signal.SIGTERM) else code


def _count(call: Call, node: Node, checkout: Path) -> tuple[int, str]:
    """What became of the node's cells, by the records that its study left."""
    os.chdir(checkout)
    plan = make_plan(config(call.words, node.host))
    result = summarise({cell: plan.record(cell) for cell in plan.cells})
    for line in result.lines()[:-1]:
        say(line)
    code = ExitCode.CELL_FAILED if result.failed else ExitCode.DONE
    if result.damaged:
        code = ExitCode.DAMAGED_RECORD
    counted = next(line for line in result.lines() if "cells measured" in line)
    return code, counted


def config(words: list[str], host: str) -> dict:
    """study.yaml with what stood behind `--config`, as Snakemake puts them together."""
    document = read_yaml(Path("workflow/config/study.yaml"))
    update_config(document, parse_config([f"host={host}", *words]))
    return document


def _last_line(log: Path) -> str:
    """What the study said last, without our name before it."""
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    said = [line.removeprefix("diskbench: ") for line in lines if line.startswith("diskbench: ")]
    return said[-1] if said else "its study said nothing"
