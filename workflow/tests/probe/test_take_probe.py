"""Importing a report: hostile ones, the same one twice, and differences from the stand-ins."""

import hashlib
import json
import os
import shutil
from pathlib import Path

import pytest

from console import ExitCode, StudyError
from probe import report
from probe.probes import PROBES
from probe.taking_in import __main__ as take_probe
from probe.taking_in import check, compare, filing, played

# What takes seconds to make, and is the same for every test.
ONCE: dict = {}
report_of_stand_in = played.report

ONLY = ("refusals", "layouts", "encrypted-layouts")


@pytest.fixture
def written(look, tmp_path):
    """A report of a Mac that is as described, in its folder."""
    if "found" not in ONCE:
        _, ONCE["found"] = look("26", only=ONLY)
        ONCE["found"].document["stand_in"] = False
    return report.write(ONCE["found"], tmp_path / "reports")


@pytest.fixture
def here(tmp_path, monkeypatch, target):
    """A project's folder, with the stand-ins for a Mac built."""
    project = tmp_path / "project"
    (project / "data" / "probes").mkdir(parents=True)
    monkeypatch.chdir(project)
    monkeypatch.setattr(played, "build", lambda: None)
    # what the reports here do not have is not compared
    chosen = tuple(one for one in PROBES if one.name in ("creating", *ONLY))
    monkeypatch.setattr(played, "PROBES", chosen)
    monkeypatch.setattr(played, "report", lambda *system: _played(system[:2], target))
    return project


def _played(system, target):
    if system not in ONCE:
        ONCE[system] = report_of_stand_in(*system, target)
    return ONCE[system]


def changed(folder: Path, change) -> None:
    """Change what a report says."""
    document = json.loads((folder / report.FILE).read_text(encoding="utf-8"))
    change(document)
    (folder / report.FILE).write_text(json.dumps(document), encoding="utf-8")


def resigned(folder: Path, name: str, content: bytes) -> None:
    """Replace a capture, and what is said of it."""
    (folder / name).write_bytes(content)
    sha256 = hashlib.sha256(content).hexdigest()
    changed(folder, lambda document: document["files"].update({name: sha256}))


def a_capture(folder: Path) -> Path:
    return min((folder / report.CAPTURES).glob("*.stderr"))


def as_written(folder: Path) -> None:
    pass


def a_link(folder: Path) -> None:
    capture = a_capture(folder)
    capture.unlink()
    capture.symlink_to("/etc/passwd")


def a_link_for_the_captures(folder: Path) -> None:
    (folder / report.CAPTURES).rename(folder.parent / "elsewhere")
    (folder / report.CAPTURES).symlink_to(folder.parent / "elsewhere")


def a_pipe(folder: Path) -> None:
    capture = a_capture(folder)
    capture.unlink()
    os.mkfifo(capture)


def a_folder_more(folder: Path) -> None:
    (folder / report.CAPTURES / "more").mkdir()


def a_file_more(folder: Path) -> None:
    (folder / report.CAPTURES / "more.stdout").write_bytes(b"more")


def a_capture_less(folder: Path) -> None:
    a_capture(folder).unlink()


def a_capture_changed(folder: Path) -> None:
    a_capture(folder).write_bytes(b"other words")


def a_place_outside(folder: Path) -> None:
    changed(
        folder, lambda document: document["files"].update({"captures/../../x.stdout": "0" * 64})
    )


def a_build_that_leads_away(folder: Path) -> None:
    changed(folder, lambda document: document["os"].update({"build": "../../x"}))


def a_large_capture(folder: Path) -> None:
    a_capture(folder).write_bytes(bytes(2 << 20))


def a_large_document(folder: Path) -> None:
    changed(folder, lambda document: document.update({"x": "x" * (5 << 20)}))


def nested_brackets(folder: Path) -> None:
    (folder / report.FILE).write_text("[" * 100_000)


def no_text(folder: Path) -> None:
    (folder / report.FILE).write_bytes(b"\xff\xfe\0")


def a_number_that_is_none(folder: Path) -> None:
    text = (folder / report.FILE).read_text()
    (folder / report.FILE).write_text(text.replace('"calls": ', '"calls": NaN, "x": '))


def a_verdict_that_does_not_follow(folder: Path) -> None:
    def change(document):
        document["statements"][0]["observations"][0]["holds"] = False

    changed(folder, change)


def a_key_twice(folder: Path) -> None:
    text = (folder / report.FILE).read_text()
    (folder / report.FILE).write_text(text.replace("{", '{"calls": 1,', 1))


def from_the_future(folder: Path) -> None:
    changed(folder, lambda document: document.update({"taken_utc": "2999-01-01T00:00:00Z"}))


def a_statement_twice(folder: Path) -> None:
    changed(folder, lambda document: document["statements"].append(document["statements"][0]))


def an_answer_twice(folder: Path) -> None:
    changed(folder, lambda document: document["answers"].append(document["answers"][0]))


def a_capture_that_is_not_listed(folder: Path) -> None:
    def change(document):
        document["answers"][0]["stdout"]["file"] = "captures/other.stdout"

    changed(folder, change)


def more_times_than_tries(folder: Path) -> None:
    by = {"format": "UDRW", "attached_by": "hdiutil", "detached_by": "hdiutil", "failures": {}}
    times = {"tries": 2, "attach_ms": [5, 5], "detach_ms": [5, 5, 5]}
    changed(folder, lambda document: document.update({"series": [by | times]}))


def a_file_for_the_captures(folder: Path) -> None:
    shutil.rmtree(folder / report.CAPTURES)
    (folder / report.CAPTURES).write_text("x")


def a_folder_for_a_capture(folder: Path) -> None:
    capture = a_capture(folder)
    capture.unlink()
    capture.mkdir()


def a_day_that_does_not_exist(folder: Path) -> None:
    changed(folder, lambda document: document.update({"taken_utc": "2026-02-31T00:00:00Z"}))


def a_home_folder_in_a_capture(folder: Path) -> None:
    name = a_capture(folder).relative_to(folder).as_posix()
    resigned(folder, name, b"at /Users/jane/Desktop")


def a_serial_number_in_an_image(folder: Path) -> None:
    name = min((folder / report.CAPTURES).glob("*.bin")).relative_to(folder).as_posix()
    resigned(folder, name, b"\0\1\2serial number: C02XK1ZGJGH5\0\1\2")


def a_mail_address_in_what_was_seen(folder: Path) -> None:
    def change(document):
        document["statements"][0]["observations"][0]["seen"] = "by jane@example.com"

    changed(folder, change)


@pytest.mark.parametrize(
    ("harm", "told"),
    [
        (a_link, "is a link"),
        (a_link_for_the_captures, "is a link"),
        (a_pipe, "is no file"),
        (a_folder_more, "more is no file"),
        (a_file_more, "captures/more.stdout is there and not listed"),
        (a_capture_less, "is listed and not there"),
        (a_capture_changed, "was changed"),
        (a_place_outside, "is not of its form at files"),
        (a_build_that_leads_away, "is not of its form at os/build"),
        (a_large_capture, "is larger than a report's may be"),
        (a_large_document, "is larger than a report's may be"),
        (nested_brackets, "is not JSON"),
        (no_text, "is not JSON"),
        (a_number_that_is_none, "NaN is no number"),
        (a_key_twice, "a key occurs twice"),
        (a_verdict_that_does_not_follow, "is not confirmed, by what was seen"),
        (a_statement_twice, "a statement occurs twice"),
        (an_answer_twice, "an answer occurs twice"),
        (a_capture_that_is_not_listed, "captures/other.stdout is listed, but missing"),
        (more_times_than_tries, "a series has more times than tries"),
        (a_file_for_the_captures, "captures is no folder"),
        (a_folder_for_a_capture, "is no file"),
        (from_the_future, "its day is in the future"),
        (a_day_that_does_not_exist, "the day it was taken on does not exist"),
        (a_home_folder_in_a_capture, "contains a home folder"),
        (a_serial_number_in_an_image, "contains a serial number"),
        (a_mail_address_in_what_was_seen, "contains a mail address"),
    ],
)
def test_what_was_changed_or_made_to_do_harm_is_refused_with_why(written, here, harm, told):
    harm(written)
    with pytest.raises(StudyError) as refused:
        take_probe.main([str(written)])
    assert refused.value.code == ExitCode.DAMAGED_RECORD == 6
    assert told in refused.value.line
    assert "\n" not in refused.value.line
    assert list((here / "data" / "probes").iterdir()) == []


@pytest.mark.parametrize("given", ["nowhere", "empty", "file"])
def test_other_folders_than_reports_are_bad_input(tmp_path, here, given):
    (tmp_path / "empty" / report.CAPTURES).mkdir(parents=True)
    (tmp_path / "file").write_text("x")
    with pytest.raises(StudyError) as refused:
        take_probe.main([str(tmp_path / given)])
    assert refused.value.code == ExitCode.BAD_INPUT


def test_a_report_is_filed_once_however_often_it_is_taken_in(written, here, capsys):
    assert take_probe.main([str(written)]) == 0
    first = capsys.readouterr().out
    [kept] = (here / "data" / "probes").glob("*/*")
    assert first.splitlines()[0] == f"filed: {kept.relative_to(here)}"
    assert kept.parent.name == "26.4-25E241"
    before = {path: path.read_bytes() for path in kept.rglob("*") if path.is_file()}
    assert before == {
        kept / path.relative_to(written): path.read_bytes()
        for path in written.rglob("*")
        if path.is_file()
    }
    # beside them a Mac leaves files of its own
    for name in ("._probe.json", ".DS_Store", "captures/._create.stdout"):
        (written / name).write_bytes(b"\0\5\x16\7")
    assert take_probe.main([str(written)]) == 0
    assert capsys.readouterr().out.splitlines()[0].startswith("filed already: ")
    assert {path: path.read_bytes() for path in kept.rglob("*") if path.is_file()} == before
    assert len(list((here / "data" / "probes").glob("*/*"))) == 1
    assert [one.id for one in filing.kept()] == [kept.name]


def test_several_reports_are_taken_in_by_one_call_or_none_of_them(written, here, capsys):
    other = written.with_name("other")
    shutil.copytree(written, other)
    changed(other, lambda document: document.update({"taken_utc": "2026-11-01T10:15:00Z"}))
    (other / "more").mkdir()
    with pytest.raises(StudyError, match=r"^other cannot be accepted"):
        take_probe.main([str(written), str(other)])
    assert list((here / "data" / "probes").glob("*/*")) == []
    (other / "more").rmdir()
    assert take_probe.main([str(written), str(other)]) == 0
    assert capsys.readouterr().out.count("filed: ") == 2
    assert len(list((here / "data" / "probes").glob("26.4-25E241/*"))) == 2


def test_what_was_only_played_is_compared_and_not_filed(written, here, capsys):
    changed(written, lambda document: document.update({"stand_in": True}))
    assert take_probe.main([str(written)]) == 0
    assert capsys.readouterr().out.startswith("a report of stand-ins (26.4-25E241), not of a Mac")
    assert list((here / "data" / "probes").iterdir()) == []


def test_the_programs_that_play_a_release_answer_as_they_did_in_its_report(look, target):
    _, found = look("27")
    system = found.document["os"]
    again = played.report(system["version"], system["build"], target)
    assert compare.differences(found, again) == {}
    assert compare.alone(found, again) == compare.alone(again, found) == []
    assert compare.verdicts(found, again) == ["retries-suffice: confirmed, unknown"] or (
        compare.verdicts(found, again) == []
    )


def test_a_release_that_nothing_is_known_of_is_said_to_be_played_as_the_newest(
    target, capsys, monkeypatch
):
    monkeypatch.setattr(played, "PROBES", ())
    played.report("99.1", "50A1", target)
    assert "macOS 99.1 is unknown here, and is imitated as 27" in capsys.readouterr().err


def test_a_release_older_than_any_that_is_played_is_not_compared(target):
    with pytest.raises(StudyError, match=r"there are no stand-ins for macOS 10\.15") as error:
        played.report("10.15", "19A583", target)
    assert error.value.code == ExitCode.BAD_INPUT


def test_without_room_for_the_comparison_the_error_says_what_to_free(target, monkeypatch):
    usage = shutil.disk_usage(".")._replace(free=2_000_000_000)
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: usage)
    with pytest.raises(StudyError, match="5 GB free on the project's disk: free some") as error:
        report_of_stand_in("26.4", "25E241", target)
    assert error.value.code == ExitCode.NO_SPACE


def test_without_rust_the_error_says_to_install_it(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(StudyError, match="install it, then run again") as error:
        played.build()
    assert error.value.code == ExitCode.BAD_INPUT


def test_another_answer_of_a_mac_is_named_with_what_it_said(written, here, capsys):
    document = json.loads((written / report.FILE).read_text(encoding="utf-8"))
    name = "captures/attach-missing-hdiutil.stderr"
    resigned(written, name, b"hdiutil: attach failed - not there\n")

    def change(document):
        for one in document["answers"]:
            if one["name"] == "attach-missing-hdiutil":
                one["code"] = 2
        for one in document["statements"]:
            if one["id"] == "image-missing":
                one["verdict"] = "contradicted"
                one["observations"][0] |= {"holds": False, "seen": "exit code 2: not there"}

    changed(written, change)
    assert take_probe.main([str(written)]) == 0
    lines = capsys.readouterr().out.splitlines()
    at = lines.index("  attach-missing-hdiutil")
    assert lines[at + 1 : at + 4] == [
        "    code 2, 1",
        "    stderr: only the first: hdiutil: attach failed - not there",
        "    stderr: only the second: hdiutil: attach failed - No such file or directory",
    ]
    assert any(line.startswith("contradicted: image-missing: Attaching an image") for line in lines)
    assert "  fix: core/diskbench-core/src/image/macos/command_error/meaning.rs" in lines
    assert document["answers"]


def test_two_reports_of_one_release_are_compared(written, here, capsys):
    assert take_probe.main([str(written)]) == 0
    other = written.with_name("other")
    shutil.copytree(written, other)

    def change(document):
        for one in document["statements"]:
            if one["id"] == "image-missing":
                one["verdict"] = "unknown"
                one["observations"] = [
                    {"done": "nothing", "expected": "", "seen": "-", "holds": None}
                ]

    changed(other, change)
    capsys.readouterr()
    assert take_probe.main([str(other)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(list((here / "data" / "probes").glob("26.4-25E241/*"))) == 2
    assert "  image-missing: unknown, confirmed" in lines
    assert any("of this release: " in line and " answers alike" in line for line in lines)


def test_what_a_killed_call_left_of_a_report_is_in_the_way_of_none(tmp_path):
    left = tmp_path / ".the-report.partial"
    left.mkdir()
    (left / "half").write_bytes(b"")
    report.write_folder(tmp_path / "the-report", b"{}", {"captures/a": b"said"})
    assert [path.name for path in tmp_path.iterdir()] == ["the-report"]
    assert sorted(path.name for path in (tmp_path / "the-report").rglob("*")) == [
        "a",
        "captures",
        "probe.json",
    ]


def test_every_report_that_is_kept_can_still_be_taken_in():
    project = Path(__file__).resolve().parents[3]
    for document in (project / "data" / "probes").glob("*/*/probe.json"):
        assert check.checked(document.parent).id == document.parent.name


def test_a_link_to_a_report_is_said_to_be_one(written, here):
    link = here / "link"
    link.symlink_to(written)
    with pytest.raises(StudyError, match="is a link: name the folder itself") as refused:
        take_probe.main([str(link)])
    assert refused.value.code == ExitCode.BAD_INPUT


def test_a_folder_named_by_a_dot_is_named_in_the_refusal(written, here, monkeypatch):
    (written / "more").mkdir()
    monkeypatch.chdir(written)
    with pytest.raises(StudyError, match=f"^{written.name} cannot be accepted: "):
        take_probe.main(["."])


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("warning: unused\nerror: no linker\nerror: two", "error: no linker"),
        ("", "cargo failed"),
    ],
)
def test_programs_that_do_not_build_end_it_with_what_cargo_says_first(
    said, told, tmp_path, monkeypatch
):
    cargo = tmp_path / "cargo"
    cargo.write_text(f"#!/bin/sh\nprintf '{said}' >&2\nexit 101\n", encoding="utf-8")
    cargo.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(StudyError) as ended:
        played.build()
    assert str(ended.value) == f"the stand-ins for a Mac did not build ({told})"
    assert ended.value.code == ExitCode.UNEXPECTED
