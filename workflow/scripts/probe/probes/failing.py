"""Probes of failures: exit codes, messages and effects."""

import fcntl
import os
from contextlib import suppress
from pathlib import Path

from probe import inventory, lines
from probe.bench import LENGTH, PASSPHRASE, Bench, Image, UnseenError, finished

# a program that shows a dialog would wait forever
DIALOG_SECONDS = 20

# a disk number that no Mac has
NO_DISK = "disk9999"

PIECE = bytes(1 << 20)


def refusals(bench: Bench) -> None:
    """Calls with one fault each."""
    _exists_and_missing(bench)
    _no_image(bench)
    _wrong_words(bench)
    _no_disk(bench)
    _no_permission(bench)


def _exists_and_missing(bench: Bench) -> None:
    for tool in bench.tools("diskutil-creates"):
        (bench.folder / f"exists-{tool}.dmg").write_bytes(b"here already")
        _, answer = bench.create(tool, "UDRW", name=f"exists-{tool}")
        bench.saw_failure("image-exists", answer, f"{tool}: create where a file is")
        image = Image(bench.folder / "missing.dmg", tool, "UDRW", "none")
        answer = bench.attach_call(image, tool, f"attach-missing-{tool}", bench.mount_point())
        bench.saw_failure("image-missing", answer, f"{tool}: attach a file that is not there")


def _no_image(bench: Bench) -> None:
    text = bench.folder / "text.sparseimage"
    text.write_bytes(b"this is no image\n" * 4096)
    blank = bench.folder / "blank.dmg"
    with blank.open("wb") as file:
        file.truncate(LENGTH)
    for path, statement, what in (
        (text, "image-not-recognized", "a text"),
        (blank, "nothing-to-mount", "zeros"),
    ):
        for tool in bench.tools("diskutil-creates"):
            image = Image(path, tool, "UDRW", "none")
            name = f"attach-{path.stem}-{tool}"
            answer = bench.attach_call(image, tool, name, bench.mount_point())
            attached = inventory.attached(bench.programs, bench.folder)
            bench.detach_all()
            seen = f"{answer.message}; {len(attached)} attached"
            holds = not answer.is_good and not attached if finished(answer) else None
            bench.saw(statement, f"{tool}: attach {what}", seen, holds)


def _wrong_words(bench: Bench) -> None:
    there = str(bench.folder / "never")
    call = bench.programs.call
    answer = call("type-unknown", "hdiutil", "create", "-size", "10m", "-type", "UDXX", there)
    bench.saw_failure("type-unknown", answer, "hdiutil create -type UDXX")
    answer = call("option-unknown-hdiutil", "hdiutil", "attach", "-nosuchoption", there)
    bench.saw_failure("option-unknown", answer, "hdiutil attach -nosuchoption")
    answer = call("verb-unknown", "diskutil", "nosuchverb")
    bench.saw_failure("verb-unknown", answer, "diskutil nosuchverb")
    if bench.is_about("diskutil-creates"):
        words = ("image", "create", "blank", "--size", "10M")
        answer = call("format-unknown", "diskutil", *words, "--format", "UDXX", there)
        bench.saw_failure("format-unknown", answer, "diskutil image create blank --format UDXX")
        answer = call("option-unknown-diskutil", "diskutil", *words, "--nosuchoption", there)
        bench.saw_failure("option-unknown", answer, "diskutil image create blank --nosuchoption")
        for words in (("image", "create", "blank"), ("image", "attach")):
            call(f"help-{words[-1]}", "diskutil", *words, "--help")


def _no_disk(bench: Bench) -> None:
    call = bench.programs.call
    for name, line in (
        ("detach-missing", "detach by hdiutil"),
        ("eject-missing", "detach by diskutil"),
    ):
        words = lines.call(line, disk=NO_DISK)
        bench.saw_failure("disk-missing", call(name, *words), " ".join(words))
    answer = call("info-missing", *lines.call("about a disk", disk=NO_DISK))
    said = inventory.read_keys(answer.stdout)
    holds = answer.code in (0, 1) and said.get("Error") is True
    seen = f"{answer.message}; {said or 'no property list'}"
    done = f"diskutil info -plist {NO_DISK}"
    bench.saw("diskutil-info-tells-its-failure", done, seen, holds)


def _no_permission(bench: Bench) -> None:
    if os.geteuid() == 0:
        bench.cannot("no-permission", "an administrator may write everywhere")
        return
    locked = bench.folder / "locked"
    locked.mkdir()
    locked.chmod(0o500)
    try:
        for tool in bench.tools("diskutil-creates"):
            name = f"locked-{tool}"
            _, answer = bench.create(tool, "UDSB", name=name, below=locked)
            bench.saw_failure("no-permission", answer, f"{tool}: create in a folder of mode 500")
    finally:
        # else what was made there all the same could not be removed
        locked.chmod(0o700)


def passphrases(bench: Bench) -> None:
    """Wrong ones, none, and line ends."""
    image = bench.made("hdiutil", "UDSB", "AES-256")
    for tool in bench.tools("diskutil-attaches"):
        answer = _attach(bench, image, tool, f"wrong-passphrase-{tool}", b"not this one\n")
        bench.saw_failure("wrong-passphrase", answer, f"{tool}: attach with a wrong passphrase")
        answer = _attach(bench, image, tool, f"no-passphrase-{tool}", b"", stdin=False)
        holds = answer.code not in (None, 0)
        done = f"{tool}: attach an encrypted UDSB without a passphrase"
        bench.saw("no-passphrase", done, answer.message, holds)
    for tool, statement, works in (
        ("hdiutil", "hdiutil-passphrase-is-all-of-stdin", False),
        ("diskutil", "diskutil-passphrase-is-a-line", True),
    ):
        if not bench.is_about(statement):
            continue
        answer = _attach(bench, image, tool, f"passphrase-with-line-end-{tool}", PASSPHRASE + b"\n")
        done = f"{tool}: attach with the passphrase and a line feed"
        bench.saw_end(statement, answer, done, works=works)


def _attach(bench: Bench, image: Image, tool: str, name: str, given: bytes, stdin: bool = True):
    try:
        return bench.attach_call(
            image, tool, name, bench.mount_point(), given, stdin, limit=DIALOG_SECONDS
        )
    finally:
        bench.detach_all()


def locked(bench: Bench) -> None:
    """An image that this very process holds locked."""
    image = bench.made("hdiutil", "UDRW")
    for tool in bench.tools("diskutil-attaches"):
        with image.path.open("rb+") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            answer = bench.attach_call(image, tool, f"attach-locked-{tool}", bench.mount_point())
        bench.detach_all()
        bench.saw_failure("image-is-locked", answer, f"{tool}: attach a UDRW that is locked")


def busy(bench: Bench) -> None:
    """A volume on which this very process holds a file open."""
    image = bench.made("hdiutil", "UDSB")
    for statement, line in (
        ("detach-is-busy", "detach by hdiutil"),
        ("eject-is-busy", "detach by diskutil"),
        ("force-detaches", "detach by force"),
    ):
        # each attaches anew: one that fails says nothing of the others
        try:
            _detach_held(bench, image, statement, line)
        except UnseenError as unseen:
            bench.cannot(statement, str(unseen))


def _detach_held(bench: Bench, image: Image, statement: str, line: str) -> None:
    with bench.mounted(image) as attached:
        with (attached.at / "held").open("wb") as held:
            held.write(b"held open")
            held.flush()
            words = lines.call(line, disk=attached.disk)
            answer = bench.programs.call(f"{statement}-while-held", *words)
            gone = not inventory.attached(bench.programs, bench.folder)
            # writing to a removed volume fails
            with suppress(OSError):
                held.close()
        done = f"{' '.join(words)} with a file held open"
        if statement == "force-detaches":
            seen = f"{answer.message}; {'gone' if gone else 'still attached'}"
            bench.saw(statement, done, seen, gone)
        else:
            bench.saw_failure(statement, answer, done)


def no_space(bench: Bench) -> None:
    """An image on the full volume of another image, which is unusable afterwards."""
    image, answer = bench.create("hdiutil", "UDSB", name="full")
    if not answer.is_good:
        raise UnseenError(f"no UDSB image could be made: {answer.message}")
    with bench.mounted(image) as attached:
        bench.written_bytes += LENGTH
        _fill(attached.at / "filler")
        _, answer = bench.create("hdiutil", "UDRW", name="no-space", below=attached.at)
        bench.saw_failure("no-space", answer, "hdiutil: create a UDRW on a full disk")


def _fill(path: Path) -> None:
    with suppress(OSError), path.open("wb", buffering=0) as file:
        for _ in range(LENGTH // len(PIECE)):
            file.write(PIECE)


def language(bench: Bench) -> None:
    """The same error in English and in this Mac's language."""
    words = ("attach", str(bench.folder / "missing.dmg"))
    plain = bench.programs.call("english", "hdiutil", *words)
    own = bench.programs.call("own-language", "hdiutil", *words, environment={})
    is_english = [bench.statement("image-missing").words[0] in one.text for one in (plain, own)]
    done = "hdiutil: the same error with LC_ALL=C and without"
    if is_english[0] and is_english[1]:
        bench.cannot("other-languages", "the language of this Mac is English")
    else:
        seen = f"{plain.message}; {own.message}"
        bench.saw("other-languages", done, seen, is_english[0])
