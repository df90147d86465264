"""A probe on each simulated release of macOS: its findings, and its cleanup."""

import ctypes
import ctypes.util
import errno
import json
import os
import plistlib
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import jsonschema
import pytest
from script import called
from stand_in import RELEASES

from console import ExitCode, StudyError
from probe import cleaning, inventory, lines, looking, report, screen
from probe.bench import Bench
from probe.cleaning import Cleaner
from probe.mac import Mac
from probe.probes import PROBES, Probe, failing, files, machine, taking
from probe.programs import Programs
from probe.statements import all_of_them
from probe.workplace import NEEDED_BYTES

PROJECT = Path(__file__).resolve().parents[3]
SCHEMA = json.loads((PROJECT / "workflow/schemas/probe.schema.json").read_text(encoding="utf-8"))

# Of 540 seconds 160 are for the series (200 tries of 0.8 s); half a second for each other call is
# what diskutil takes on an idle Mac (smoothbricks/codebase, specs/cowshed: 0.2 to 0.45 s).
MOST_CALLS = (540 - 160) * 2

# What stand-ins for a Mac cannot show, or what only shows on another Mac than this.
UNSEEN = {
    "compact-on-battery",
    "detach-times-out",
    "deleted-space-is-free",
    "deleted-space-is-reused",
    "dense-files-have-no-hole",
    "detaching-empties-the-cache",
    "device-not-configured",
    "diskimagesiod-is-counted",
    "diskimagesiod-is-seen",
    "encrypted-beyond-2-tib",
    "eviction-empties-the-cache",
    "helper-does-not-answer",
    "holes-are-seen",
    "images-are-cloned",
    "important-is-answered-as-default",
    "no-log-keeps-the-log-empty",
    "not-permitted",
    "other-languages",
    "udrw-takes-all-before-26",
    "udsp-second-node",
    "uncached-is-accepted",
    "unsupported",
}
# An administrator may write everywhere.
UNSEEN_BY_ROOT = {"no-permission"} if os.geteuid() == 0 else set()


# Calls that no driver makes: mistakes on purpose, questions, and attaching without a mount point.
OF_THE_PROBE = {
    *("type-unknown", "option-unknown-hdiutil", "verb-unknown", "format-unknown"),
    *("option-unknown-diskutil", "help-blank", "help-attach", "help-create-asif"),
    *("english", "own-language", "attach-asif-by-hdiutil"),
    *("fact-load", "fact-memory-pressure", "fact-power", "fact-mount-point", "fact-snapshots"),
    *(f"fact-level-{level}-{key}" for level in (0, 1) for key in ("name", "physicalcpu")),
    *(f"attach-ours-{kind}" for kind in map(str.lower, lines.extensions())),
}


def is_of_driver(answer: dict) -> bool:
    """Whether a call is one of the driver's lines, with any values in it."""
    given = [answer["program"], *answer["arguments"]]
    known = json.loads(lines.FILE.read_text(encoding="utf-8"))["lines"].values()
    return any(
        len(given) == len(line.split())
        and all(
            re.fullmatch(re.sub(r"<\w+>", ".+", word), one)
            for word, one in zip(line.split(), given, strict=True)
        )
        for line in known
    )


@pytest.mark.parametrize("release", RELEASES[2:])
def test_a_release_that_is_as_described_contradicts_nothing_and_nothing_personal_is_reported(
    look, verdicts, monkeypatch, release
):
    monkeypatch.setattr(cleaning, "names_here", lambda: ("jdoe", "janes-mac"))
    mac, found = look(release, prepare=lambda mac: mac.foreign_image(diary_on(mac)))
    of_release = {one.id for one in all_of_them().values() if one.is_about(int(release))}
    seen = verdicts(found)
    assert set(seen) == of_release
    assert {name for name, verdict in seen.items() if verdict == "contradicted"} == set()
    unseen = {name for name, verdict in seen.items() if verdict == "unknown"}
    assert unseen == (UNSEEN | UNSEEN_BY_ROOT) & of_release
    # within its bounds, and nothing is left
    document = found.document
    lists = [told for told in found.captures.values() if b"<plist" in told[:500]]
    assert len(lists) > 20
    for told in lists:
        plistlib.loads(told)
    assert document["written_bytes"] < NEEDED_BYTES == 5_000_000_000
    assert sum(map(len, found.captures.values())) < report.MOST_KEPT_IN_ALL == 20_000_000
    assert mac.calls() < MOST_CALLS
    assert mac.attached() == [diary_on(mac)]
    assert list(mac.work.iterdir()) == []
    told = json.dumps(document).encode() + b"".join(found.captures.values())
    home = str(Path.home()).encode() + b"/"
    for secret in (b"jdoe", b"diary", b"Macintosh HD", str(mac.work).encode(), home):
        assert secret not in told
    kept = document["answers"]
    not_of_driver = {one["name"] for one in kept if not is_of_driver(one)}
    assert not_of_driver == OF_THE_PROBE & {one["name"] for one in kept}
    jsonschema.validate(document, SCHEMA)


def diary_on(mac):
    return mac.folder / "jdoe" / "private diary.sparsebundle"


def test_every_probe_is_of_a_statement_and_the_other_way_round():
    assert {one.name for one in PROBES} == {
        one.probe for one in all_of_them().values() if one.probe
    }


@pytest.mark.parametrize(
    ("release", "options", "orders", "only", "wrong"),
    [
        ("26", ["--without-udsp"], {}, [], {"hdiutil-creates"}),
        (
            "26",
            ["--language", "de"],
            {},
            ["refusals", "language"],
            {"image-missing", "image-exists"},
        ),
        ("26", [], {"registry-empty": 1}, ["inventory"], {"registry-lists-images"}),
        ("26", [], {"makes-other-bands": 20}, ["layouts"], {"udsb-band-of-8-mib"}),
        ("26", [], {"makes-other-length": 99}, ["identifying"], {"hdiutil-identifies"}),
        ("26", [], {"tells-large-sectors": 1}, ["attaching"], {"sectors-of-512"}),
        ("27", [], {"always-busy-hdiutil-detach": 1}, ["detaching"], {"hdiutil-detaches"}),
        ("27", ["--without-hdiutil"], {}, ["detaching"], {"hdiutil-creates"}),
        ("26", [], {"ask-password": 1}, ["passphrases"], {"no-passphrase"}),
        ("26", [], {"locked-attach": 3}, ["series"], {"retries-suffice"}),
        ("26", ["--on-battery"], {}, ["compacting", "battery"], set()),
    ],
)
def test_what_contradicts_a_statement_is_reported(
    look, verdicts, monkeypatch, release, options, orders, only, wrong
):
    monkeypatch.setattr(failing, "DIALOG_SECONDS", 1)

    def prepare(mac):
        for name, times in orders.items():
            mac.order(name, times)

    _, found = look(release, *options, only=(*only, "none"), prepare=prepare)
    seen = verdicts(found)
    assert wrong <= {name for name, verdict in seen.items() if verdict == "contradicted"}
    if not wrong:
        assert seen["compact-on-battery"] == "confirmed"
    told = "\n".join(screen.lines(found.document, "there"))
    for name in wrong:
        assert f"contradicted: {name}\n  {all_of_them()[name].says}" in told


def test_the_facts_of_a_mac_are_kept_with_the_time_of_each_question(look):
    _, found = look("26", only=("facts",))
    kept = {one["name"]: one for one in found.document["answers"] if one["name"][:5] == "fact-"}
    volume, store = (
        plistlib.loads(found.captures[f"captures/fact-{name}.stdout"])
        for name in ("volume", "store")
    )
    assert kept["fact-disk"]["arguments"][-1] == store["ParentWholeDisk"]
    assert kept["fact-store"]["arguments"][-1] in str(volume["APFSPhysicalStores"])
    assert all(isinstance(one["elapsed_ms"], int) for one in kept.values())
    assert found.captures["captures/fact-level-0-name.stdout"] == b"Performance\n"
    assert {"fact-load", "fact-memory-pressure", "fact-power", "fact-snapshots"} <= kept.keys()


def test_the_report_has_the_time_of_each_attaching_and_detaching(look):
    _, found = look("26", only=("series",))
    series = found.document["series"]
    assert {one["format"] for one in series} == {"UDSB", "ASIF"}
    assert sum(one["tries"] for one in series) == taking.TRIES
    for one in series:
        assert len(one["attach_ms"]) == len(one["detach_ms"]) == one["tries"]
        assert all(time_ms > 0 for time_ms in (*one["attach_ms"], *one["detach_ms"]))


class Library:
    """Of the C library what only a Mac has; everything else is this machine's."""

    qos = 0x15

    def __init__(self, name, use_errno=False):
        self.real = ctypes.CDLL(name, use_errno=use_errno)

    def __getattr__(self, name):
        return getattr(self.real, name)

    def clonefile(self, source, clone, flags):
        Path(os.fsdecode(clone)).write_bytes(Path(os.fsdecode(source)).read_bytes())
        return 0

    def setiopolicy_np(self, kind, scope, policy):
        return 0

    def getiopolicy_np(self, kind, scope):
        return 0

    def pthread_set_qos_class_self_np(self, qos, priority):
        Library.qos = qos

    def qos_class_self(self):
        return Library.qos

    def proc_pid_rusage(self, pid, flavor, room):
        ctypes.set_errno(errno.EPERM)
        return -1


def test_what_is_asked_of_a_macs_kernel_is_asked(look, verdicts, monkeypatch):
    # the kernel here is another, so only what does not hang on it must hold
    own = SimpleNamespace(
        CDLL=Library,
        util=ctypes.util,
        get_errno=ctypes.get_errno,
        create_string_buffer=ctypes.create_string_buffer,
    )
    monkeypatch.setattr(machine, "ctypes", own)
    words = ["ps", "-o", "comm=", "-p", str(os.getpid())]
    this = subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()
    monkeypatch.setattr(machine, "SERVERS", (Path(this).name,))
    monkeypatch.setattr(files, "GIGABYTE", 100_000_000)
    monkeypatch.setattr(files, "LOG_SECONDS", 0)
    asked = tuple(replace(one, of_kernel=False) for one in PROBES if one.of_kernel)
    creating = next(one for one in PROBES if one.name == "creating")
    monkeypatch.setattr(looking, "PROBES", (creating, *asked))
    _, found = look("26")
    told = {one["id"]: one["observations"] for one in found.document["statements"]}
    names = {one.name for one in asked}
    of_these = [one.id for one in all_of_them().values() if one.probe in names and one.is_about(26)]
    said = [one["seen"] for statement in of_these for one in told[statement]]
    assert not [words for words in said if words.startswith("the probe failed")]
    seen = verdicts(found)
    for statement in (
        "images-are-cloned",
        "holes-are-seen",
        "dense-files-have-no-hole",
        "diskimagesiod-is-seen",
    ):
        assert seen[statement] == "confirmed", told[statement]
    [freeing] = told["deleted-space-is-free"]
    assert freeing["holds"], freeing
    assert [one["done"] for one in told["deleted-space-is-reused"]] == [
        f"delete and rewrite 80 % of the files of a {kind}{when}"
        for kind in ("UDRW", "UDSB", "ASIF")
        for when in ("", " after a remount")
    ]
    assert [one["holds"] for one in told["no-log-keeps-the-log-empty"]] == [True, True]
    [policy] = told["important-is-answered-as-default"]
    assert (policy["seen"], policy["holds"]) == ("policy 0, class 0x19", True)
    assert Library.qos == 0x15
    names = [one["done"].split()[6].strip(",") for one in told["detaching-empties-the-cache"]]
    assert names == [
        *("udrw-none-by-hdiutil", "udsp-none-by-hdiutil", "udsb-none-by-hdiutil"),
        *("asif-none-by-diskutil", "udrw-aes-256-by-hdiutil"),
    ]
    # of each setting on the disk, and on a volume
    assert len(told["uncached-is-accepted"]) == 2 * len(machine.UNCACHED)
    assert {one["seen"] for one in told["diskimagesiod-is-counted"]} == {os.strerror(errno.EPERM)}


def test_a_failing_probe_is_reported_and_the_others_run(look, verdicts, monkeypatch):
    def fails(bench):
        raise IndexError("no such answer")

    broken = tuple(replace(one, look=fails) if one.name == "backup" else one for one in PROBES)
    monkeypatch.setattr(looking, "PROBES", broken[:1] + broken[-12:])
    _, found = look("26")
    told = {one["id"]: one["observations"] for one in found.document["statements"]}
    [one] = told["backups-are-kept-off"]
    assert one["seen"] == "the probe failed: IndexError: no such answer"
    assert verdicts(found)["facts-of-the-mac"] == "confirmed"


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("echo '[Excluded]    /x'", "confirmed"),
        ("echo '[Included]    /x'", "contradicted"),
        ("echo 'tmutil: isexcluded requires Full Disk Access privileges.' >&2; exit 80", "unknown"),
    ],
)
def test_an_image_is_kept_from_backups_if_macos_says_so_afterwards(look, verdicts, said, verdict):
    def prepare(mac):
        program = mac.programs / "tmutil"
        program.unlink()
        # what was asked for always ends well
        program.write_text(f"#!/bin/sh\n[ $1 = isexcluded ] || exit 0\n{said}\n")
        program.chmod(0o755)

    _, found = look("26", only=("backup",), prepare=prepare)
    assert verdicts(found)["backups-are-kept-off"] == verdict


@pytest.mark.parametrize(
    "orders",
    [
        {"busy-detach": 9, "truncate-info": 99},
        {"leave-attached": 5, "shuffle-entities": 9},
        {"gone-after-detach": 3, "reuse-numbers": 3, "helper-error": 2},
        {"detach-timeout": 4, "eject-dissent": 4},
    ],
)
def test_programs_that_misbehave_leave_nothing_and_touch_nothing_of_others(look, orders):
    foreign = []

    def prepare(mac):
        foreign.append(mac.foreign_image(mac.folder / "theirs" / "image.sparsebundle"))
        for name, times in orders.items():
            mac.order(name, times)

    mac, _ = look("26", only=("attaching", "detaching", "busy", "series"), prepare=prepare)
    assert [image for image in mac.attached() if image.is_relative_to(mac.work)] == []
    assert foreign[0] in mac.attached()
    assert list(mac.work.iterdir()) == []


def test_a_probe_with_nothing_to_look_at_leaves_what_was_seen_and_says_why_of_the_rest(tmp_path):
    mac = Mac("26.4", "25E241", None, None, None, None, stand_in=True)
    bench = Bench(mac, tmp_path, Programs(1), Cleaner(tmp_path))

    def passphrases(bench):
        bench.saw("wrong-passphrase", "attach", "an error", True)
        bench.made("hdiutil", "UDSB", "AES-256")

    looking._one(bench, Probe("passphrases", passphrases), lambda probe: None)
    seen = {name: [(one.seen, one.holds) for one in of] for name, of in bench.observations.items()}
    assert seen.pop("wrong-passphrase") == [("an error", True)]
    assert "no-passphrase" in seen
    assert set(map(tuple, seen.values())) == {(("no encrypted UDSB image could be made", None),)}


def test_images_are_found_behind_many_of_others_and_no_capture_is_too_long_to_accept(
    tmp_path, monkeypatch
):
    # `-l` prints some 20 kB for an image; a Mac may have dozens (simulators, Apple Intelligence)
    def image(path, disk):
        media = {"BSD Name": disk, "Whole": True, "Statistics": "x" * 20_000}
        return {"DiskImageURL": f"file://{path}", "IORegistryEntryChildren": [media]}

    ours = (tmp_path / "a.dmg").resolve()
    others = [image(f"/private/var/{number}.dmg", f"disk{number}") for number in range(60)]
    (tmp_path / "list").write_bytes(plistlib.dumps([*others, image(ours, "disk99")]))
    for program, told in (("ioreg", tmp_path / "list"), ("pmset", "/dev/zero")):
        (tmp_path / program).write_text(f"#!/bin/sh\nhead -c 2000000 {told}\n")
        (tmp_path / program).chmod(0o700)
    monkeypatch.setenv("DISKBENCH_STAND_IN", str(tmp_path))
    bench = Bench(None, tmp_path, Programs(60), Cleaner(tmp_path))
    listed = inventory.of_registry([bench.programs.call("list", "ioreg")])
    assert ("disk99", ours) in set(listed)
    captures = {}
    long = report._answer(bench, bench.programs.call("long", "pmset"), captures)
    assert long["stdout"]["left_out"] == "no room"
    report._answer(bench, bench.programs.answers[0], captures)
    assert 20_000 < len(captures["captures/list.stdout"]) < 30_000


def test_elsewhere_it_is_one_line_with_its_code_and_nothing_is_changed(tmp_path, monkeypatch):
    if sys.platform == "darwin":
        pytest.skip("this is a Mac")
    monkeypatch.delenv("DISKBENCH_STAND_IN", raising=False)
    done = called("-m", "probe", cwd=tmp_path)
    assert done.returncode == ExitCode.NOT_QUIET == 9
    assert done.stderr == (
        "diskbench: a probe tests macOS, and this is Linux: run it on a Mac; nothing was changed\n"
    )
    assert list(tmp_path.iterdir()) == []


def test_a_macos_before_the_study_is_refused(look):
    with pytest.raises(StudyError) as refused:
        look("12", only=("facts",))
    assert refused.value.code == ExitCode.NOT_QUIET
    assert "macOS 12.7.6 is older than this study" in refused.value.line


def test_a_foreign_folder_is_left_alone(look):
    def prepare(mac):
        (mac.work / "diskbench-probe").mkdir()
        (mac.work / "diskbench-probe" / "theirs").write_text("theirs")

    with pytest.raises(StudyError) as refused:
        look("26", only=("facts",), prepare=prepare)
    assert refused.value.code == ExitCode.FOLDER_UNUSABLE
    assert "is not a probe's folder" in refused.value.line


def test_an_answer_with_a_name_of_the_user_is_left_out_of_a_report(look, monkeypatch):
    monkeypatch.setattr(cleaning, "names_here", lambda: ("jdoe",))

    def prepare(mac):
        program = mac.programs / "tmutil"
        program.unlink()
        program.write_text("#!/bin/sh\necho 'excluded by jdoe@example.com'\n")
        program.chmod(0o755)

    _, found = look("26", only=("backup",), prepare=prepare)
    [one] = [one for one in found.document["answers"] if one["name"] == "exclude"]
    assert one["stdout"] == {"file": None, "left_out": "a name of this Mac or its user"}
