"""Makes the records of this machine ready to send, and shows what would be sent.

Usage: bash workflow/run.sh submit [HOST] [--yes]
  HOST    a folder of data/runs; without it the only host with records to send
  --yes   asks nothing

The records are checked like anyone else's (check-contribution), shown, and made ready to send: one
archive for each release, protocol and scale in .diskbench/submit, in parts of at most 1 MB, with
the address of the form to attach them to. Nothing is sent. Records in git's last commit are left
out, and those of others. So are those of scale smoke, which only test the software, and those of
cells whose measured record git's last commit has: the project keeps that.

Each archive has a random mark, so that more records of this machine are taken for its own. The
first call makes it, in .diskbench/sender.
Exit codes: 0 done or declined, 2 no such host or nothing to send, 3 disk full, 4 folder unusable,
  6 a record cannot be accepted.
"""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import durable
import voucher
import withdrawn
from arguments import Parser
from console import ExitCode, StudyError, say, show
from contribution import archive, github
from contribution.__main__ import lines, plain
from contribution.check import check, is_correction
from database.losing import refuse_lost_place
from places import DATABASE, git
from record import RUNS, is_smoke, parse, shorten
from record_files import DamageError, below, content, is_record
from study.machine import is_mac

FOLDER = Path(".diskbench/submit")
# as in the schema of records
SLUG = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
# more archives are only counted, to stay within one screen
MOST_ARCHIVES = 8


def main(words: list[str] | None = None) -> int:
    """Check, show, ask, and leave the archives."""
    parser = Parser(prog="bash workflow/run.sh submit")
    parser.add_argument("host", metavar="HOST", nargs="?")
    parser.add_argument("--yes", action="store_true")
    asked = parser.parse_args(words)
    refuse_lost_place(RUNS, DATABASE)
    if staying := sorted(_staying()):
        say(
            f"left out: {len(staying)} records of cells whose measured record git's last commit "
            f"has, such as {RUNS}/{staying[0]}: the project keeps that"
        )
    host = _only_host() if asked.host is None else asked.host
    files = _files(host)
    # of the whole host, since no two cells were measured at once; shown is what would be sent
    report = check(RUNS / host)
    report.records = len(files)
    report.findings = [one for one in report.findings if one.path in files]
    if report.bad:
        show("\n".join(lines(report)))
        return ExitCode.DAMAGED_RECORD
    mark = voucher.own_mark() or voucher.new_mark()
    packed = dict(_archives(files, mark.encode()))
    show("\n".join(shown(host, files, packed)))
    if not asked.yes and not _agreed():
        say("nothing was made")
        return ExitCode.DONE
    durable.write(voucher.OWN_MARK, mark, synced=True)
    _write(packed)
    say(f"made in {FOLDER}: {', '.join(packed)}")
    say(f"open {address(host)} and attach {'it' if len(packed) == 1 else 'them'}")
    if is_mac():
        say(f"`open {FOLDER}` shows the folder in the Finder, which hides it otherwise")
    return ExitCode.DONE


def shown(host: str, files: dict[str, bytes], packed: dict[str, bytes]) -> list[str]:
    """What would be sent, in at most 20 lines."""
    sample = parse(next(iter(files.values())).decode())
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
        f"To be sent: {len(files)} records of {host}, {sum(map(len, packed.values()))} bytes",
        f"  machine  {', '.join(filter(None, facts))}",
        f"  disk     {', '.join(filter(None, disk))}",
        "  sender   a random mark, the same in all archives of this clone",
    ]
    archives = [f"  archive  {name}: {len(made)} bytes" for name, made in packed.items()]
    told += archives[:MOST_ARCHIVES]
    if len(packed) > MOST_ARCHIVES:
        told.append(f"  and {len(packed) - MOST_ARCHIVES} archives more")
    part = {key: sample[key] for key in ("cell", "started_utc", "conditions")}
    part["samples"] = sample["samples"][:1]
    told.append("  a part of the first record, long lines cut (…):")
    told += [f"    {shorten(f'{key}: {json.dumps(part[key])}', 100)}" for key in part]
    told.append("No text in them looks like a name, a path, an address or a serial number.")
    return [plain(line) if not line.startswith(" ") else line for line in told]


def address(host: str) -> str:
    """Of the form to attach the archives to, filled in."""
    kept = github.repository()
    if kept is None:
        return "the issues of the repository that this project was cloned from"
    title = quote(f"Records of {host}")
    form = f"https://github.com/{kept}/issues/new?template=records.yml"
    return f"{form}&title={title}&host={quote(host)}"


def _only_host() -> str:
    hosts = {name.partition("/")[0] for name in _to_send()}
    if len(hosts) != 1:
        if not hosts:
            raise StudyError(
                ExitCode.BAD_INPUT,
                "nothing to send: no record of your own is above scale smoke and not in git's "
                "last commit; `bash workflow/run.sh --config study=encryption-2026 scale=gold` "
                "measures, and what you committed can be a pull request "
                "(reports/manual/records.qmd)",
            )
        raise StudyError(
            ExitCode.BAD_INPUT, f"name the host to send: there are {', '.join(sorted(hosts))}"
        )
    return hosts.pop()


def _to_send() -> list[str]:
    """The paths of one's own records that git's last commit does not have as they are.

    Without those that the project would not replace its own by, and refuse with all others.
    """
    left_out = withdrawn.below(RUNS) | (_committed() - _changed()) | _staying()
    return [
        found.name
        for found in below(RUNS)
        if _is_own_data(found.name) and found.name not in left_out
    ]


def _committed() -> set[str]:
    """The paths of everything that git's last commit has in the runs folder."""
    return _named("ls-tree", "-r")


def _changed() -> set[str]:
    """The paths of what differs from it."""
    return _named("diff", "--relative")


def _named(*words: str) -> set[str]:
    told = git(*words, "-z", "--name-only", "HEAD", "--", str(RUNS)).split("\0")
    return {name.removeprefix(f"{RUNS}/") for name in told}


def _staying() -> set[str]:
    """The paths of records whose cells the project has measured, and does not replace."""
    lines = {name for name, _ in withdrawn.reasons()}
    return {
        name
        for name in _committed() & _changed()
        if is_record(Path(name).name) and _is_own_data(name) and _stays(name, name in lines)
    }


def _stays(name: str, is_withdrawn: bool) -> bool:
    try:
        here = parse(_content(name).decode())
        return not is_correction(here, parse(git("show", f"HEAD:./{RUNS}/{name}")), is_withdrawn)
    except (DamageError, StudyError, UnicodeDecodeError, KeyError, TypeError):
        return False  # the check of all records names it


def _is_own_data(name: str) -> bool:
    return _is_data(name) and voucher.is_own(RUNS, *name.split("/")[:2])


def _is_data(name: str) -> bool:
    _, *folders = name.split("/")
    if len(folders) == 1:
        return (RUNS / name).is_dir()  # a release that cannot be searched
    return bool(folders) and not is_smoke(name)


def _files(host: str) -> dict[str, bytes]:
    """Path -> content of a host's records to send."""
    # a name, not a path: checking and packing both use it
    if not SLUG.fullmatch(host) or (RUNS / host).is_symlink() or not (RUNS / host).is_dir():
        raise StudyError(
            ExitCode.BAD_INPUT,
            f"'{host}' is no host here: name a folder of {RUNS} by its name alone, such as "
            "mac-mini-m4-pro",
        )
    found = {name: _content(name) for name in _to_send() if name.startswith(f"{host}/")}
    if not found:
        raise StudyError(
            ExitCode.BAD_INPUT,
            f"{RUNS}/{host} has no record of its own to send that is above scale smoke and not in "
            "git's last commit",
        )
    return found


def _content(name: str) -> bytes:
    try:
        return content(RUNS / name, RUNS)
    except DamageError as damage:
        raise StudyError(
            ExitCode.DAMAGED_RECORD, f"{RUNS}/{name}: {damage}; {damage.advice}"
        ) from damage


def _archives(files: dict[str, bytes], mark: bytes) -> Iterator[tuple[str, bytes]]:
    """Name and content of archives: one per release, protocol and scale, in parts if too large."""
    of: dict[str, list[str]] = {}
    for name in files:
        of.setdefault("_".join(name.split("/")[:3]), []).append(name)
    for word, names in of.items():
        parts = list(_parts(names, files, mark))
        for number, made in enumerate(parts, start=1):
            yield f"{word}{f'_{number}' if len(parts) > 1 else ''}{archive.ENDING}", made


def _parts(names: list[str], files: dict[str, bytes], mark: bytes) -> Iterator[bytes]:
    made = archive.pack({name: files[name] for name in names} | {archive.SENDER: mark})
    if len(made) <= archive.MOST_BYTES:
        yield made
        return
    if len(names) == 1:
        raise StudyError(
            ExitCode.BAD_INPUT,
            f"{RUNS}/{names[0]} takes {len(made)} bytes packed, and at most {archive.MOST_BYTES} "
            "are accepted",
        )
    middle = len(names) // 2
    yield from _parts(names[:middle], files, mark)
    yield from _parts(names[middle:], files, mark)


def _write(packed: dict[str, bytes]) -> None:
    # the form asks for all files in the folder: remove those of earlier calls
    for old in FOLDER.glob(f"*{archive.ENDING}*"):
        old.unlink(missing_ok=True)
    for name, made in packed.items():
        durable.write(FOLDER / name, made)


def _agreed() -> bool:
    if not sys.stdin.isatty():
        raise StudyError(ExitCode.BAD_INPUT, "this is not a terminal: add --yes to agree")
    try:
        return input("Make it ready to send? [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        return False
