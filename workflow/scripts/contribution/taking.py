"""Imports archives of records that somebody sent: checks, labels and files them.

Usage: bash workflow/run.sh take ARCHIVE [ARCHIVE ...] [--hosted-runner] [--same-mac]
  --hosted-runner   they were measured on a hosted runner; else they are labelled: community
  --same-mac        where data/runs has records of their host from another sender: these are of the
                    same machine, and its sender's mark was lost
An archive is imported as a whole or not at all, and importing it twice changes nothing. A record
that failed, was skipped or is of an older epoch is replaced by the same machine's new one, and
kept beside it; no other is overwritten. The label is the file vouched-by beside the records of a
release.
Exit codes: 0 done, 2 no file, 3 disk full, 4 folder unusable, 6 an archive is refused; the others
  are imported.
"""

import shutil
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import voucher
from arguments import Parser, typed_path
from console import ExitCode, StudyError, say, show
from contribution import archive
from contribution.__main__ import lines
from contribution.check import Report, check
from database.losing import refuse_lost_place
from durable import link, sync
from lock import held
from places import DATABASE
from record import RUNS
from study import superseding

# records that are left out of an archive, which is imported without them
HERE, WITHDRAWN = "here already", "withdrawn"
# records are first written here: below data/runs, and so on the same disk
WAITING = ".taking-"
LOCK = Path(".diskbench/take.lock")


@dataclass(frozen=True)
class Taken:
    """The result for an archive: new, existing and withdrawn records, or why it is refused."""

    new: int = 0
    here: int = 0
    withdrawn: int = 0
    refused: Report | None = None


def main(words: list[str] | None = None) -> int:
    """Import the archives; 6 if one was refused."""
    parser = Parser(prog="bash workflow/run.sh take")
    parser.add_argument("archives", metavar="ARCHIVE", type=typed_path, nargs="+")
    parser.add_argument("--hosted-runner", action="store_true")
    parser.add_argument("--same-mac", action="store_true")
    asked = parser.parse_args(words)
    by = voucher.RUNNER if asked.hosted_runner else voucher.COMMUNITY
    refuse_lost_place(RUNS, DATABASE)
    LOCK.parent.mkdir(parents=True, exist_ok=True)
    with held(LOCK, "another call is importing records: run again when it has ended"):
        return _take_all(asked.archives, by, asked.same_mac)


def _take_all(archives: list[Path], by: str, same_mac: bool) -> int:
    code, new = ExitCode.DONE, False
    for path in archives:
        try:
            taken = take(path, by, same_mac=same_mac)
        except StudyError as error:
            say(error.line)
            # a refused archive takes precedence over a missing one
            code = code if code == ExitCode.DAMAGED_RECORD else error.code
            continue
        if taken.refused:
            code = ExitCode.DAMAGED_RECORD
            say(f"{path} is refused: nothing of it was imported")
            show("\n".join(lines(taken.refused)))
        else:
            labelled = f" as {by}" if taken.new else ", no label is changed"
            left_out = f", {taken.withdrawn} withdrawn" if taken.withdrawn else ""
            say(
                f"{path}: {taken.new} records imported{labelled}, {taken.here} here already"
                f"{left_out}"
            )
            new = new or taken.new > 0
    if code == ExitCode.DONE and new:
        say("bash workflow/run.sh site --config study=none puts them on the pages")
    return code


def take(path: Path, by: str, *, same_mac: bool) -> Taken:
    """Check an archive and file its records. Raises StudyError for a harmful one.

    `same_mac`: records of the same host in data/runs are known to be of the same machine.
    """
    files, mark = archive.unpack(path)
    label = voucher.Label(by, voucher.hashed(mark))
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        for name, content in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
        try:
            report = check(folder, RUNS, label, same_mac=same_mac)
        except StudyError as error:
            if error.code != ExitCode.BAD_INPUT:
                raise
            # a folder may contain other files; an archive may not
            raise archive.refused(path, "its content is not a record") from error
    here, left_out = (
        {finding.path for finding in report.findings if finding.kind == kind}
        for kind in (HERE, WITHDRAWN)
    )
    report.findings = [one for one in report.findings if one.kind not in {HERE, WITHDRAWN}]
    if report.bad:
        return Taken(refused=report)
    new = {name: content for name, content in files.items() if name not in here | left_out}
    _file(new, label)
    return Taken(new=len(new), here=len(here), withdrawn=len(left_out))


def _file(new: dict[str, bytes], label: voucher.Label) -> None:
    """File all or nothing; the label first, so that no foreign record lacks it."""
    RUNS.mkdir(parents=True, exist_ok=True)
    for left in RUNS.glob(f"{WAITING}*"):  # left by a killed call
        shutil.rmtree(left)
    with tempfile.TemporaryDirectory(prefix=WAITING, dir=RUNS) as folder, ExitStack() as filed:
        waiting = {name: Path(folder) / str(number) for number, name in enumerate(new)}
        for name, content in new.items():
            waiting[name].write_bytes(content)
            sync(waiting[name])
        parents = {parent for name in new for parent in (RUNS / name).parents}
        parents = sorted(parent for parent in parents if parent.is_relative_to(RUNS))
        for parent in parents:
            if not parent.exists():
                parent.mkdir()
                filed.callback(parent.rmdir)
        for host, release in {tuple(name.split("/")[:2]) for name in new}:
            earlier = voucher.read(RUNS, host, release)
            if earlier != label:
                if earlier.by == voucher.OWN:
                    there = RUNS / host / release / voucher.FILE
                    filed.callback(there.unlink, missing_ok=True)
                else:
                    filed.callback(voucher.write, RUNS, host, release, *earlier)
                voucher.write(RUNS, host, release, *label)
        for name, content in new.items():
            record = RUNS / name
            if record.exists():
                earlier = record.read_bytes()
                filed.callback(_put_back, record, earlier, superseding.replace(record, content))
            else:
                link(waiting[name], record)
                filed.callback(record.unlink)
        for parent in parents:
            sync(parent)
        filed.pop_all()


def _put_back(record: Path, earlier: bytes, aside: Path) -> None:
    """Undo a replacement."""
    if record.read_bytes() == earlier:
        aside.unlink()
    else:
        aside.replace(record)
