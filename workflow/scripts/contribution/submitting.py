"""Makes the records of this machine ready to send, and shows what would be sent.

Usage: bash workflow/run.sh submit [HOST] [--yes]
  HOST    a folder of data/runs; without it the only host that this project measured itself
  --yes   asks nothing

The records are checked as a stranger's (check-contribution). Then one archive a release, protocol
and scale is made in .diskbench/submit, of at most 1 MB, with the address of the form to attach it
to. Nothing is sent by this command. Records of scale smoke are left out: they are no data.
Exit codes: 0 done or declined, 2 no such host or nothing to send, 3 disk full, 6 a record cannot be
  accepted.
"""

import json
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

import voucher
from arguments import Parser
from console import ExitCode, StudyError, run, say
from contribution import archive
from contribution.__main__ import CORE, SCHEMA, lines, plain
from contribution.check import DOUBTS, check
from record import RUNS, parse
from record_files import below, content

FOLDER = Path(".diskbench/submit")
# Of GitHub, in the forms that git knows.
GITHUB = re.compile(r"(?:https://|ssh://git@|git@)github\.com[/:]([\w.-]+/[\w.-]+?)(?:\.git)?/?")
# As the schema of records has it.
SLUG = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
# Where more archives than this would leave the one screen, they are only counted.
MOST_ARCHIVES = 9


def main(words: list[str] | None = None) -> int:
    """Check, show, ask, and leave the archives."""
    parser = Parser(prog="bash workflow/run.sh submit")
    parser.add_argument("host", metavar="HOST", nargs="?")
    parser.add_argument("--yes", action="store_true")
    asked = parser.parse_args(words)
    host = _only_host() if asked.host is None else asked.host
    files = _files(host)
    report = check(RUNS / host, SCHEMA, CORE)
    sent = {name for of in files.values() for name in of}
    if any(one.path in sent and one.kind not in DOUBTS for one in report.findings):
        print("\n".join(lines(report)))
        return ExitCode.DAMAGED_RECORD
    packed = {name: archive.pack(of) for name, of in files.items()}
    for name, made in packed.items():
        if len(made) > archive.MOST_BYTES:
            raise StudyError(
                ExitCode.BAD_INPUT,
                f"{name} would be of {len(made)} bytes, and {archive.MOST_BYTES} are taken: "
                f"send {RUNS}/{host} as a pull request instead",
            )
    print("\n".join(shown(host, files, packed)))
    if not asked.yes and not _agreed():
        say("nothing was made")
        return ExitCode.DONE
    # the form asks for all that is there: nothing of an earlier call may be among it
    for old in FOLDER.glob(f"*{archive.ENDING}"):
        old.unlink()
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, made in packed.items():
        partial = FOLDER / f".{name}.partial"
        partial.write_bytes(made)
        partial.replace(FOLDER / name)
    say(f"made in {FOLDER}: {', '.join(packed)}")
    say(f"open {address(host)} and attach {'it' if len(packed) == 1 else 'them'}")
    return ExitCode.DONE


def shown(host: str, files: dict[str, dict[str, bytes]], packed: dict[str, bytes]) -> list[str]:
    """What would be sent, in at most 20 lines."""
    records = [content for of in files.values() for content in of.values()]
    sample = parse(records[0].decode())
    machine = sample["host"]
    memory = machine["memory_bytes"]
    disk = [machine["storage"][key] for key in ("device_model", "bus", "file_system")]
    facts = [
        machine["model"],
        machine["chip"],
        " + ".join(f"{core['count']} {core['kind']} cores" for core in machine["cores"]),
        f"{memory / 2**30:.0f} GB of memory" if memory else None,
        "virtual machine" if machine["virtual_machine"] else None,
    ]
    told = [
        f"To be sent: {len(records)} records of {host}, {sum(map(len, packed.values()))} bytes",
        f"  machine  {', '.join(filter(None, facts))}",
        f"  disk     {', '.join(filter(None, disk))}",
    ]
    for name in list(packed)[:MOST_ARCHIVES]:
        told.append(f"  archive  {name}: {len(files[name])} records, {len(packed[name])} bytes")
    if len(packed) > MOST_ARCHIVES:
        told.append(f"  and {len(packed) - MOST_ARCHIVES} archives more")
    part = {key: sample[key] for key in ("cell", "started_utc", "conditions")}
    part["samples"] = sample["samples"][:1]
    text = json.dumps(part, separators=(", ", ": "))
    told.append("  a part of the first record:")
    told += [f"    {text[at : at + 100]}" for at in range(0, min(len(text), 400), 100)]
    told.append("No text in them looks like a name, a path, an address or a serial number.")
    return [plain(line) if not line.startswith(" ") else line for line in told]


def address(host: str) -> str:
    """Of the form to attach the archives to, filled in; of git's remote `origin`."""
    asked = subprocess.run(
        ["git", "remote", "get-url", "origin"], capture_output=True, text=True, check=False
    )
    found = GITHUB.fullmatch(asked.stdout.strip())
    if found is None:
        return "the issues of the repository that this project was cloned from"
    title = quote(f"Records of {host}")
    return f"https://github.com/{found[1]}/issues/new?template=records.yml&title={title}&host={quote(host)}"


def _only_host() -> str:
    hosts = {found.name.partition("/")[0] for found in below(RUNS) if _is_data(found.name)}
    own = sorted(host for host in hosts if any(_is_own(host, one) for one in _releases(host)))
    if len(own) != 1:
        if not own:
            raise StudyError(
                ExitCode.BAD_INPUT,
                "there is nothing to send: nothing of this project's own was measured above scale "
                "smoke; `bash workflow/run.sh --config study=encryption-2026 scale=gold` measures",
            )
        raise StudyError(ExitCode.BAD_INPUT, f"name the host to send: there are {', '.join(own)}")
    return own[0]


def _releases(host: str) -> list[str]:
    return [one.name for one in (RUNS / host).iterdir() if one.is_dir()]


def _is_own(host: str, release: str) -> bool:
    return voucher.of(RUNS, host, release) == voucher.OWN


def _is_data(name: str) -> bool:
    parts = name.split("/")
    return len(parts) > 2 and not parts[2].endswith("-smoke")


def _files(host: str) -> dict[str, dict[str, bytes]]:
    """Archive -> path -> content, of the records of a host that are this project's own."""
    # a name and no path: what is checked and what is packed are found by it
    if not SLUG.fullmatch(host) or (RUNS / host).is_symlink() or not (RUNS / host).is_dir():
        raise StudyError(
            ExitCode.BAD_INPUT,
            f"'{host}' is no host here: name a folder of {RUNS} by its name alone, such as "
            "mac-mini-m4-pro",
        )
    found: dict[str, dict[str, bytes]] = {}
    for one in below(RUNS / host):
        name = f"{host}/{one.name}"
        if _is_data(name) and _is_own(*name.split("/")[:2]):
            of = "_".join(name.split("/")[:3]) + archive.ENDING
            found.setdefault(of, {})[name] = content(RUNS / name, RUNS)
    if not found:
        raise StudyError(
            ExitCode.BAD_INPUT, f"{RUNS}/{host} has no record of its own above scale smoke to send"
        )
    return found


def _agreed() -> bool:
    if not sys.stdin.isatty():
        raise StudyError(ExitCode.BAD_INPUT, "nobody can be asked here: add --yes to agree")
    try:
        return input("Make it ready to send? [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        return False


if __name__ == "__main__":
    run(main)
