"""Importing a report: hostile ones, the same one twice, and differences from the stand-ins."""

import hashlib
import json
import plistlib
import re
import shutil
from pathlib import Path

import pytest
from tree import below

from console import ExitCode, StudyError
from probe import report
from probe.probes import PROBES
from probe.report import Found
from probe.taking_in import __main__ as take_probe
from probe.taking_in import compare, filing, played

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


def instead(put):
    """Something else in the place of a capture."""

    def harm(folder: Path) -> None:
        capture = a_capture(folder)
        capture.unlink()
        put(capture)

    return harm


def at(*keys, value):
    """Another value in the report."""

    def change(document):
        *above, last = keys
        for key in above:
            document = document[key]
        document[last] = value

    return lambda folder: changed(folder, change)


def twice(key: str):
    """The first of a list of the report once more."""
    return lambda folder: changed(folder, lambda told: told[key].append(told[key][0]))


def said(pattern: str, content: bytes):
    """Another capture, and its sum in the report."""

    def harm(folder: Path) -> None:
        name = min((folder / report.CAPTURES).glob(pattern)).relative_to(folder).as_posix()
        resigned(folder, name, content)

    return harm


SERIES = {
    "format": "UDRW", "attached_by": "hdiutil", "detached_by": "hdiutil", "failures": {},
    "tries": 2, "attach_ms": [5, 5], "detach_ms": [5, 5, 5],
}  # fmt: skip
SEEN = ("statements", 0, "observations", 0)
HARM = {
    "a link": (instead(lambda one: one.symlink_to("/etc/passwd")), "is a link"),
    "a capture changed": (instead(lambda one: one.write_bytes(b"other words")), "was changed"),
    "a large capture": (
        instead(lambda one: one.write_bytes(bytes(2 << 20))),
        "is larger than a report's may be",
    ),
    "a place outside": (
        at("files", "captures/../../x.stdout", value="0" * 64),
        "is not of its form at files",
    ),
    "a build that leads away": (
        at("os", "build", value="../../x"),
        "is not of its form at os/build",
    ),
    "nested brackets": (
        lambda folder: (folder / report.FILE).write_bytes(b"[" * 100_000),
        "is not valid JSON",
    ),
    "no text": (
        lambda folder: (folder / report.FILE).write_bytes(b"\xff\xfe\0"),
        "is not UTF-8 text",
    ),
    "a verdict that does not follow": (
        at(*SEEN, "holds", value=False),
        "is not confirmed, by what was seen",
    ),
    "a statement twice": (twice("statements"), "a statement occurs twice"),
    "an answer twice": (twice("answers"), "an answer occurs twice"),
    "a capture that is not listed": (
        at("answers", 0, "stdout", "file", value="captures/other.stdout"),
        "captures/other.stdout is listed, but missing",
    ),
    "more times than tries": (at("series", value=[SERIES]), "a series has more times than tries"),
    "from the future": (at("taken_utc", value="2999-01-01T00:00:00Z"), "its day is in the future"),
    "a day that does not exist": (
        at("taken_utc", value="2026-02-31T00:00:00Z"),
        "the day it was taken on does not exist",
    ),
    "a home folder": (said("*.stderr", b"at /Users/jane/Desktop"), "contains a home folder"),
    "the name of a volume": (
        said(
            "*.stdout",
            b"<plist><dict><key>DeviceIdentifier</key><string>disk5s1</string>"
            b"<key>IORegistryEntryName</key><string>Kanzlei</string></dict></plist>",
        ),
        "contains the name of a volume",
    ),
    "a serial number in an image": (
        said("*.bin", b"\0\1\2serial number: C02XK1ZGJGH5\0\1\2"),
        "contains a serial number",
    ),
    "a home folder in why a try failed": (
        at("series", value=[SERIES | {"failures": {"detach: /Users/jane": 1}, "detach_ms": [5]}]),
        "contains a home folder",
    ),
    "a mail address in what was seen": (
        at(*SEEN, "seen", value="by jane@example.com"),
        "contains a mail address",
    ),
}


@pytest.mark.parametrize(("harm", "told"), HARM.values(), ids=HARM)
def test_what_was_changed_or_made_to_do_harm_is_refused_with_why(written, here, harm, told):
    harm(written)
    with pytest.raises(StudyError) as refused:
        take_probe.main([str(written)])
    assert refused.value.code == ExitCode.DAMAGED_RECORD == 6
    assert told in refused.value.line
    assert "\n" not in refused.value.line
    assert list((here / "data" / "probes").iterdir()) == []


def test_a_report_is_filed_once_however_often_it_is_taken_in(written, here, capsys):
    assert take_probe.main([str(written)]) == 0
    first = capsys.readouterr().out
    [kept] = (here / "data" / "probes").glob("*/*")
    assert first.splitlines()[0] == f"filed: {kept.relative_to(here)}"
    assert kept.parent.name == "26.4-25E241"
    before = below(kept)
    assert before == below(written)
    # not what lies beside it, such as files that a Mac leaves
    for name in ("._probe.json", ".DS_Store", "captures/more.stdout"):
        (written / name).write_bytes(b"\0\5\x16\7")
    assert take_probe.main([str(written)]) == 0
    assert capsys.readouterr().out.splitlines()[0].startswith("filed already: ")
    assert below(kept) == before
    assert len(list((here / "data" / "probes").glob("*/*"))) == 1
    assert [one.id for one in filing.kept()] == [kept.name]


def test_several_reports_are_taken_in_by_one_call_or_none_of_them(written, here, capsys, tmp_path):
    other = written.with_name("other")
    shutil.copytree(written, other)
    changed(other, lambda document: document.update({"taken_utc": "2026-11-01T10:15:00Z"}))
    aside = a_capture(other).rename(tmp_path / "aside")
    with pytest.raises(StudyError, match=r"^other cannot be accepted"):
        take_probe.main([str(written), str(other)])
    assert list((here / "data" / "probes").glob("*/*")) == []
    aside.rename(other / report.CAPTURES / a_capture(written).name)
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
    said = capsys.readouterr().err
    assert re.search(r"macOS 99\.1 is unknown here, and is imitated as \d\d\b", said)


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


def test_two_reports_of_one_release_are_compared(written, here, capsys):
    assert take_probe.main([str(written)]) == 0
    other = written.with_name("other")
    shutil.copytree(written, other)

    def change(document):
        for one in document["statements"]:
            if one["id"] == "image-missing":
                one["verdict"] = "unknown"
                one["observations"] = [{"done": "nothing", "seen": "-", "holds": None}]

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


@pytest.mark.parametrize(
    ("one", "other", "told"),
    [
        (b"disk4 ejected\n", b"disk17 ejected\n", []),
        (b"a  b\n", b"a b\n", []),
        (b"yes\n", b"no\n", ["only the first: yes", "only the second: no"]),
        (
            b"<plist><dict><key>a</key><integer>1</integer></dict></plist>",
            b"<plist><dict><key>a</key><integer>2</integer></dict></plist>",
            [],
        ),
        (
            b"<plist><dict><key>a</key><integer>1</integer></dict></plist>",
            b"<plist><dict><key>a</key><string>x</string></dict></plist>",
            ["only the first: /a: int", "only the second: /a = x"],
        ),
    ],
)
def test_numbers_differ_from_mac_to_mac_and_words_and_keys_do_not(one, other, told):
    assert list(compare._of_texts(one, other)) == told


# a binary list: each of ten lists has the next one twice, and the last one a text. A hundred have more values than can be
# walked
_OBJECTS = b"".join(bytes([0xA2, at, at]) for at in range(1, 11)) + b"\x51x"
DOUBLED = (
    b"bplist00"
    + _OBJECTS
    + bytes(range(8, 8 + 3 * 11, 3))
    + bytes([0] * 6 + [1, 1])
    + b"".join(number.to_bytes(8, "big") for number in (11, 0, 8 + len(_OBJECTS)))
)


@pytest.mark.parametrize(
    "hostile", [DOUBLED, b"<plist>" + b"<array>" * 3000 + b"</array>" * 3000 + b"</plist>"]
)
def test_a_list_of_values_without_end_is_compared_as_text(hostile):
    assert plistlib.loads(hostile)
    other = b"<plist><string>x</string></plist>"
    assert f"only the second: {other.decode()}" in list(compare._of_texts(hostile, other))


def told_of(stdout, left_out=None):
    """A report of one answer."""
    stream = {"file": "captures/a", "left_out": left_out}
    nothing = {"file": None, "left_out": None}
    answer = {"name": "a", "code": 0, "ended": "exited", "stdout": stream, "stderr": nothing}
    return Found({"answers": [answer], "images": []}, {"captures/a": stdout})


def test_five_differing_lines_of_an_answer_are_listed_and_the_rest_counted():
    first, second = told_of(b"a\nb\nc\nd\n"), told_of(b"e\nf\ng\n")
    found = compare.differences(first, second)["a"]
    assert len(found) == 6
    assert "stdout: and 2 more" in found


def test_what_a_report_says_it_saw_is_one_line_of_the_terminal():
    seen = [{"done": "attached", "seen": "code 2:\nnot\x1b[2Jthere", "holds": False}]
    one = {"id": "image-missing", "verdict": "contradicted", "observations": seen}
    document = {"statements": [one], "answers": []}
    told = list(take_probe.lines(Found(document, {}), Found({"answers": []}, {}), []))
    assert "  attached: code 2: not [2Jthere" in told


def test_parts_left_out_of_one_report_are_not_differences():
    assert compare.differences(told_of(b"a\n", "no room"), told_of(b"b\n")) == {}
