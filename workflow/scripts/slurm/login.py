"""What slurm.sh does on the login node: check, hand over a job for each node, watch, tell, and then
make database and site of all records."""

import subprocess
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from arguments import Parser
from console import ExitCode, one_line, say
from lock import held
from slurm import call as calls
from slurm import controller, crates, plugin, settings, tree
from slurm.call import PLACE, Call
from slurm.node import config
from slurm.watch import Watch
from study.config import bad_input, checked_study, read_protocol
from study.studies import chosen

ON_NODES = ("plan", "records")
HERE = ("database", "site")

# No cell is planned: what is made here is made of the records that the nodes brought.
MEASURE_NOTHING = ("--config", "study=none")


def main(words: list[str]) -> int:
    """The whole call; its exit code is that of the first node that has one."""
    parser = Parser(prog="bash workflow/slurm.sh", description=__doc__)
    parser.add_argument("target", nargs="?", choices=(*ON_NODES, *HERE))
    parser.add_argument("--nodes", metavar="a,b", help="only these nodes of slurm.yaml")
    parser.add_argument(
        "--config", nargs="+", action="extend", default=[], metavar="KEY=VALUE", help="as of run.sh"
    )
    asked = parser.parse_args(words)
    if asked.target in HERE:
        return _make(asked.target)
    known = settings.read()
    nodes = settings.chosen(known, asked.nodes)
    _check(asked.config)
    controller.require()
    target = "plan" if asked.target == "plan" else "records"
    with _only_call():
        tools = plugin.installed()
        crates.fetch(Path.cwd())
        call = calls.made(Path.cwd(), known, nodes, target=target, words=asked.config)
        code = _measure(call, tools, asked.target)
    if asked.target is None and code != ExitCode.INTERRUPTED:
        code = _make(None) or code
    return code


def _check(words: list[str]) -> None:
    """Refuse a mistake behind `--config` here, and not on every node after hours of waiting."""
    for word in words:
        key, _, value = word.partition("=")
        if not (key and value):
            raise bad_input(f"--config takes KEY=VALUE, and '{one_line(word)}' is not: mend it")
        if key == "host":
            raise bad_input(
                "--config host= is not for a cluster: the host of each node stands in "
                "workflow/config/slurm.yaml"
            )
    try:
        document = config(words, "any")
    except ValueError as error:
        raise bad_input(f"--config: {error}") from error
    study = checked_study(document)
    for one in chosen(study):
        for name in one.protocols:
            read_protocol(name)


def _measure(call: Call, tools: Path, typed: str | None) -> int:
    """A job for each node that is up; what became of each is told, and the first code returned."""
    states = controller.states(list(call.nodes))
    watch = Watch(call, f"diskbench-{uuid.uuid4().hex[:8]}", tools)
    for name in call.nodes:
        if name not in states:
            raise bad_input(
                f"Slurm knows no node {name}: sinfo -N lists those that there are; "
                "mend workflow/config/slurm.yaml"
            )
        state, reason = states[name]
        if controller.is_down(state):
            watch.give_up(name, f"the node is {state.lower()}{f' ({reason})' if reason else ''}")
    for folder in ("ended", "outcomes", "logs"):
        for old in (call.place / folder).glob("*"):
            old.unlink()
    tree.pack(call.project, call.archive)
    watch.until_all_ended()
    return _tell(call, watch, typed)


def _tell(call: Call, watch: Watch, typed: str | None) -> int:
    """A line for each node, with what to do about one that failed."""
    codes = []
    for name, node in call.nodes.items():
        ended = watch.ended(name)
        again = ""
        if ended.code and not watch.interrupted:
            log = call.log(name)
            has_log = log.exists() and log.stat().st_size
            where = f"its log: {PLACE}/logs/{name}.log; " if has_log else ""
            again = f"; {where}to go on: {_again(call, name, ended.code, typed)}"
        elif call.target == "records":
            again = f"; {ended.brought} new record{'' if ended.brought == 1 else 's'}"
        if call.target == "plan" and not ended.code:
            for line in call.log(name).read_text(encoding="utf-8", errors="replace").splitlines():
                say(f"{name}: {line.removeprefix('diskbench: ')}")
        else:
            say(f"{name} ({node.host}): {ended.line}{again}")
        codes.append(ended.code)
    if watch.interrupted:
        say("interrupted: finished records are kept; call the same command again to go on")
        return ExitCode.INTERRUPTED
    return next((code for code in codes if code), ExitCode.DONE)


def _again(call: Call, name: str, code: int, typed: str | None) -> str:
    """The command that goes on with one node."""
    words = list(call.words)
    if code == ExitCode.CELL_FAILED and not any(word.startswith("retry=") for word in words):
        words.append("retry=[failed]")
    target = f" {typed}" if typed else ""
    quoted = " ".join(f"'{word}'" if set(word) & set("[]{} ") else word for word in words)
    given = f" --config {quoted}" if words else ""
    return f"bash workflow/slurm.sh{target} --nodes {name}{given}"


def _make(target: str | None) -> int:
    """Database and site, of the records that are here; this machine is not measured."""
    command = ["bash", "workflow/run.sh", *([target] if target else []), *MEASURE_NOTHING]
    return subprocess.run(command, check=False).returncode


@contextmanager
def _only_call() -> Iterator[None]:
    """Two calls would take each other's log, and measure the same nodes one after the other."""
    PLACE.mkdir(parents=True, exist_ok=True)
    busy = (
        "another call of slurm.sh is at work in this folder: wait for it or stop it, then "
        "call again"
    )
    with held(PLACE / "lock", busy):
        yield
