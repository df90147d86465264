"""Sending shows the records first; importing checks and labels them, and never overwrites."""

import errno
import hashlib
import io
import json
import os
import subprocess
import tarfile
from pathlib import Path

import pytest
from harmful import HARMFUL, file_of
from script import SCRIPTS, called
from tree import below

import durable
import lock
import voucher
import withdrawn
from console import StudyError
from contribution import archive, submitting, taking
from contribution.taking import take
from proofs.support import bulk, records
from proofs.support.bulk import hourly as record
from proofs.support.repository import commit, git
from record import RUNS, path_of
from study import superseding

PROJECT = Path(__file__).parents[3]
SCHEMA = PROJECT / "workflow/schemas/record.schema.json"
EPOCH_3 = {"name": "diskbench-core", "version": "0.1.0", "epoch": 3}
HOST = "mac-mini-m4-pro"
RELEASE = bulk.RELEASES[1]
EARLIER = {
    "failed": {"status": "failed", "reason": "the volume vanished", "samples": [], "sizes": []},
    "skipped": {"status": "skipped", "reason": "no ASIF", "samples": [], "sizes": []},
    "of an older epoch": {"harness": {"name": "diskbench-core", "version": "0.1.0", "epoch": 2}},
}


def save(number=0, host=HOST, folder="data/runs", **changes):
    made = record(host, number)
    made["cell"] |= changes
    return records.save(made, Path(folder))


def sent(name="sent.tgz", numbers=(0, 1), host=HOST, sender="a"):
    """An archive of records of another project."""
    return packed(name, sender, *(record(host, number) for number in numbers))


def packed(name, sender, *made):
    """An archive of records, with the mark of a sender."""
    path = Path(name)
    path.write_bytes(archive.pack(dict(map(file_of, made)) | {archive.SENDER: mark(sender)}))
    return path


def mark(sender):
    return f"{sender * 32}\n".encode()


def taken(path, by=voucher.COMMUNITY, same_mac=False):
    return take(path, RUNS, by, SCHEMA, same_mac=same_mac)


def test_what_is_submitted_is_shown_on_one_screen_made_on_request_and_taken_in_elsewhere(
    here, capsys
):
    for number in range(3):
        save(number)
    with pytest.raises(StudyError, match="add --yes") as error:
        submitting.main([])
    assert error.value.code == 2
    assert not Path(".diskbench").exists()
    told = capsys.readouterr().out.splitlines()
    assert len(told) <= 20
    assert told[0].startswith(f"To be sent: 3 records of {HOST}, ")
    assert any("Mac16,11, Apple M4 Pro" in line for line in told)
    assert any("a random mark" in line for line in told)
    assert any("a part of the first record" in line for line in told)
    assert submitting.main(["--yes"]) == 0
    told = capsys.readouterr().out
    [made] = Path(".diskbench/submit").iterdir()
    assert made.name == f"{HOST}_{RELEASE}_remounted-gold.tgz"
    assert f"{made.stat().st_size} bytes" in told
    RUNS.rename("own")
    assert taking.main([str(made)]) == 0
    digest = hashlib.sha256(Path(".diskbench/sender").read_bytes()).hexdigest()
    label = {f"{HOST}/{RELEASE}/vouched-by": f"community\n{digest}\n".encode()}
    assert below(RUNS) == below(Path("own")) | label


def test_smoke_records_and_those_of_others_are_not_sent(here):
    save()
    smoke = save(1, scale="smoke")
    assert taken(sent(host="mac-of-another")).new == 2
    assert submitting._only_host() == HOST
    files = submitting._files(HOST)
    assert len(files) == 1
    assert smoke.relative_to("data/runs").as_posix() not in files
    with pytest.raises(StudyError, match="has no record of its own") as error:
        submitting.main(["mac-of-another"])
    assert error.value.code == 2


def submitted():
    """The numbers of the repeats in the archives that are made; none without an archive."""
    try:
        submitting.main(["--yes"])
    except StudyError as error:
        assert "nothing to send" in error.line
        return set()
    files = [archive.unpack(path)[0] for path in Path(".diskbench/submit").iterdir()]
    return {json.loads(content)["cell"]["repeat"] for one in files for content in one.values()}


def test_a_sender_updates_the_clone_and_sends_more_of_the_same_release(here, monkeypatch, tmp_path):
    project, clone = tmp_path / "project", tmp_path / "clone"
    project.mkdir()
    monkeypatch.chdir(project)
    (project / ".gitignore").write_text(".diskbench\n")
    save(8, host="mac-of-the-project")
    commit(project)
    git(tmp_path, "clone", "--quiet", str(project), str(clone))
    git(clone, "config", "pull.rebase", "true")

    def take_what_was_made():
        monkeypatch.chdir(project)
        assert taking.main([str(path) for path in (clone / ".diskbench/submit").iterdir()]) == 0
        commit(project)
        monkeypatch.chdir(clone)

    def update():
        # as the manual says; git does not overwrite untracked files by itself
        with pytest.raises(subprocess.CalledProcessError):
            git(clone, "pull", "--no-rebase", "--ff-only")
        git(clone, "add", "data/runs")
        git(clone, "pull", "--no-rebase", "--ff-only")

    monkeypatch.chdir(clone)
    assert submitted() == set()
    records.save(record(HOST, 0) | EARLIER["failed"], RUNS)
    save(1)
    assert submitted() == {1, 2}
    take_what_was_made()
    update()
    assert submitted() == set()
    superseding.replace(RUNS / path_of(record(HOST, 0)["cell"]), file_of(record(HOST, 0))[1])
    save(2)
    assert submitted() == {1, 3}
    take_what_was_made()
    update()
    assert submitted() == set()
    assert below(RUNS) == below(project / RUNS)
    # a clone with another mark has none of its own there, whatever is changed
    Path(".diskbench/sender").write_bytes(mark("b"))
    save(3)
    assert submitted() == set()


def test_a_record_that_a_stranger_could_not_send_is_not_submitted_either(here, capsys):
    save()
    made = record(HOST, 1)
    made["warnings"] = ["/Users/jane was busy"]
    records.save(made, RUNS)
    assert submitting.main(["--yes"]) == 6
    assert "a home folder: /Users/jane" in capsys.readouterr().out
    assert not Path(".diskbench/submit").exists()


@pytest.mark.parametrize("kind", ["FIFO", "file", "protocol", "release"])
def test_a_record_that_cannot_be_read_is_named(here, kind):
    save()
    path = save(1)
    if kind == "FIFO":
        path.unlink()
        os.mkfifo(path)
    else:
        path = {"file": path, "protocol": path.parents[4], "release": path.parents[5]}[kind]
        path.chmod(0)
        if os.access(path, os.R_OK):
            pytest.skip("this user may read everything: run this test without root's rights")
    try:
        with pytest.raises(StudyError, match=f"^{path}: .*; .*it") as error:
            submitting.main(["--yes"])
    finally:
        path.chmod(0o755)
    assert error.value.code == 6


@pytest.mark.parametrize(
    "host", [".", "..", f"./{HOST}", f"{HOST}/", f"data/runs/{HOST}", "", "linked"]
)
def test_a_host_is_named_by_its_name_alone(here, host):
    save()
    Path("data/runs/linked").symlink_to(HOST)
    with pytest.raises(StudyError, match=r"is no host here|name the host") as error:
        submitting.main([host, "--yes"])
    assert error.value.code == 2
    assert not Path(".diskbench").exists()


def test_of_several_hosts_one_must_be_named(here):
    save()
    save(host="mac-b")
    with pytest.raises(
        StudyError, match=f"name the host to send: there are mac-b, {HOST}$"
    ) as error:
        submitting.main([])
    assert error.value.code == 2


def test_with_only_smoke_records_the_message_says_how_to_measure(here):
    save(scale="smoke")
    with pytest.raises(StudyError, match="scale=gold` measures"):
        submitting.main([])


@pytest.mark.parametrize("answer", ["", "\n", "n\n", "no\n"])
def test_only_a_yes_is_an_agreement(here, monkeypatch, capsys, answer):
    save()
    monkeypatch.setattr("sys.stdin", Terminal(answer))
    assert submitting.main([]) == 0
    told = capsys.readouterr()
    assert told.out.endswith("Make it ready to send? [y/N] ")
    assert "nothing was made" in told.err
    assert not Path(".diskbench").exists()
    monkeypatch.setattr("sys.stdin", Terminal("yes\n"))
    assert submitting.main([]) == 0
    assert len(list(Path(".diskbench/submit").iterdir())) == 1


class Terminal(io.StringIO):
    """A terminal at which somebody answered, or pressed Ctrl-D."""

    def isatty(self) -> bool:
        return True


def test_archives_of_an_earlier_call_are_not_among_those_to_be_sent(here):
    save()
    save(1, host="mac-studio-m1-max")
    assert submitting.main(["mac-studio-m1-max", "--yes"]) == 0
    assert submitting.main([HOST, "--yes"]) == 0
    [made] = Path(".diskbench/submit").iterdir()
    assert made.name.startswith(f"{HOST}_")


@pytest.mark.parametrize(
    ("remote", "kept", "address"),
    [
        ("https://github.com/someone/diskbench.git", "", "https://github.com/someone/diskbench"),
        ("git@github.com:someone/diskbench.git", "", "https://github.com/someone/diskbench"),
        (
            "git@github.com:someone/diskbench.git",
            'repository-code: "https://github.com/those/diskbench"\n',
            "https://github.com/those/diskbench",
        ),
        ("/somewhere/diskbench", "", "the issues of the repository that"),
    ],
)
def test_the_address_of_the_form_is_that_of_the_project_else_of_what_was_cloned(
    here, remote, kept, address
):
    subprocess.run(["git", "init", "--quiet"], check=True)
    subprocess.run(["git", "remote", "add", "origin", remote], check=True)
    Path("CITATION.cff").write_text(f"cff-version: 1.2.0\n{kept}license: MIT\n")
    told = submitting.address(HOST)
    assert told.startswith(address)
    if "github" in address:
        assert told.endswith(
            f"/issues/new?template=records.yml&title=Records%20of%20{HOST}&host={HOST}"
        )
        assert (PROJECT / ".github/ISSUE_TEMPLATE/records.yml").is_file()


def test_without_git_the_archives_are_made_all_the_same(here, monkeypatch, capsys):
    save()
    monkeypatch.setenv("PATH", "/nowhere")
    assert submitting.main(["--yes"]) == 0
    assert "open the issues of the repository" in capsys.readouterr().err


def test_a_truncated_line_of_the_sample_is_marked(here, capsys):
    save()
    submitting.main(["--yes"])
    lines = capsys.readouterr().out.splitlines()
    at = next(at for at, line in enumerate(lines) if "a part of the first record" in line)
    for line in lines[at + 1 : -1]:
        name, _, value = line.strip().partition(": ")
        whole = json.dumps(
            record(HOST, 0)[name][:1] if name == "samples" else record(HOST, 0)[name]
        )
        assert value == whole or (value.endswith("…") and whole.startswith(value[:-1]))
        assert len(line) <= 104


def test_an_archive_that_would_be_too_long_is_made_in_parts_that_are_taken_in(here, monkeypatch):
    for number in range(5):
        save(number)
    monkeypatch.setattr(archive, "MOST_BYTES", 12_000)
    assert submitting.main(["--yes"]) == 0
    made = sorted(Path(".diskbench/submit").iterdir())
    assert len(made) > 1
    assert made[0].name == f"{HOST}_{RELEASE}_remounted-gold_1.tgz"
    assert max(one.stat().st_size for one in made) <= 12_000
    RUNS.rename("own")
    for part in reversed(made):
        assert taking.main([str(part)]) == 0
    assert below(RUNS).keys() == below(Path("own")).keys() | {f"{HOST}/{RELEASE}/vouched-by"}


def test_a_file_beside_the_releases_of_a_host_is_not_a_record(here):
    save()
    (RUNS / HOST / "notes.json").write_text("{}")
    assert submitting.main(["--yes"]) == 0


def test_a_record_that_is_too_long_by_itself_is_named(here, monkeypatch):
    save()
    monkeypatch.setattr(archive, "MOST_BYTES", 100)
    with pytest.raises(StudyError, match="bytes packed, and at most 100 are accepted") as error:
        submitting.main(["--yes"])
    assert error.value.code == 2


def test_taking_in_twice_changes_nothing_and_more_of_the_same_mac_is_added(here):
    first = taken(sent())
    before = below(RUNS)
    assert (first.new, first.here) == (2, 0)
    again = taken(sent())
    assert (again.new, again.here) == (0, 2)
    assert below(RUNS) == before
    more = taken(sent(numbers=(1, 2)))
    assert (more.new, more.here) == (1, 1)
    assert before.items() <= below(RUNS).items()


@pytest.mark.parametrize("left", ["folder", "half a label", "another label"])
def test_what_a_full_disk_left_of_an_archive_does_not_keep_it_out(here, left):
    folder = Path("data/runs", HOST, RELEASE)
    folder.mkdir(parents=True)
    if left != "folder":
        (folder / voucher.FILE).write_text("" if left == "half a label" else "community\n")
    assert taken(sent(), voucher.RUNNER).new == 2
    assert voucher.of(RUNS, HOST, RELEASE) == voucher.RUNNER


@pytest.mark.parametrize("works", [0, 1])
@pytest.mark.parametrize(
    ("module", "call"), [(taking, "sync"), (taking, "link"), (durable, "sync")]
)
def test_of_an_archive_that_cannot_be_filed_nothing_stays(here, monkeypatch, module, call, works):
    path, real, calls = sent(), getattr(module, call), []

    def until_the_disk_is_full(*words):
        calls.append(words)
        if len(calls) > works:
            raise OSError(errno.ENOSPC, "no space", str(words[0]))
        real(*words)

    monkeypatch.setattr(module, call, until_the_disk_is_full)
    with pytest.raises(OSError, match="no space"):
        taken(path)
    assert list(RUNS.rglob("*")) == []
    monkeypatch.undo()
    monkeypatch.chdir(here)
    # as a call that was killed leaves it
    (RUNS / f"{taking.WAITING}x").mkdir()
    assert taken(path).new == 2
    assert not list(RUNS.glob(".*"))


def test_two_do_not_take_records_in_at_once(here):
    archive_of_two = sent()
    taking.LOCK.parent.mkdir()
    with (
        lock.held(taking.LOCK, ""),
        pytest.raises(StudyError, match="another call is importing") as error,
    ):
        taking.main([str(archive_of_two)])
    assert error.value.code == 5
    assert not RUNS.exists()


@pytest.mark.parametrize(
    ("command", "words", "place"),
    [
        ("taking", ["sent.tgz"], ".diskbench"),
        ("submitting", ["--yes"], ".diskbench"),
        ("submitting", ["--yes"], ".diskbench/submit"),
        ("submitting", ["--yes"], ".diskbench/submit/x.tgz/"),
    ],
)
def test_what_is_in_the_way_of_files_of_our_own_is_one_line_and_code_4(here, command, words, place):
    save(host="mac-studio-m1-max")
    sent()
    if place.endswith("/"):
        Path(place).mkdir(parents=True)
    else:
        Path(place).parent.mkdir(exist_ok=True)
        Path(place).touch()
    done = called(SCRIPTS / "begin.py", f"contribution.{command}", *words)
    assert done.returncode == 4
    lines = [line for line in done.stderr.splitlines() if "without the core" not in line]
    assert len(lines) == 1
    assert lines[0].startswith(f"diskbench: cannot use {Path(place)}")
    assert "move what is in its way" in lines[0]


@pytest.mark.parametrize(("main", "words"), [(taking.main, ["sent.tgz"]), (submitting.main, [])])
def test_records_on_a_disk_that_is_not_connected_are_not_taken_for_none(here, main, words):
    sent()
    Path("data").mkdir()
    RUNS.symlink_to("/Volumes/unplugged")
    with pytest.raises(StudyError, match="data/runs leads to /Volumes/unplugged, which") as error:
        main(words)
    assert error.value.code == 4


def test_a_refusal_counts_more_than_a_file_that_is_not_there(here):
    Path("odd.tgz").write_bytes(b"no archive")
    assert taking.main(["odd.tgz", "missing.tgz"]) == 6
    assert taking.main(["missing.tgz"]) == 2


def withdraw(name, content, reason="a backup ran"):
    """A line for a file in a list of withdrawn records, which is made."""
    withdrawn.FILE.parent.mkdir(exist_ok=True)
    line = ",".join([*withdrawn.key(name, content), "2026-11-20", reason])
    withdrawn.FILE.write_text(f"{','.join(withdrawn.COLUMNS)}\n{line}\n")


def test_a_withdrawn_record_is_neither_taken_again_nor_keeps_the_others_of_its_archive_out(
    here, capsys
):
    path = sent()
    assert taken(path).new == 2
    name, content = file_of(record(HOST, 0))
    (RUNS / name).unlink()
    withdraw(name, content)
    assert taking.main([str(sent(numbers=(0, 1, 2)))]) == 0
    said = "1 records imported as community, 1 here already, 1 withdrawn"
    assert said in capsys.readouterr().err
    assert not (RUNS / name).exists()


def test_a_withdrawn_record_that_is_still_here_is_not_sent(here):
    wrong, right = (save(number).relative_to(RUNS).as_posix() for number in (0, 1))
    assert set(submitting._files(HOST)) == {wrong, right}
    withdraw(wrong, (RUNS / wrong).read_bytes())
    assert set(submitting._files(HOST)) == {right}


def test_a_label_that_stays_is_not_said_to_have_changed(here, capsys):
    path = sent()
    assert taking.main([str(path)]) == 0
    assert "2 records imported as community" in capsys.readouterr().err
    assert taking.main([str(path), "--hosted-runner"]) == 0
    assert "0 records imported, no label is changed, 2 here already" in capsys.readouterr().err


def kinds(path, **words):
    return {one.kind for one in taken(path, **words).refused.findings}


def test_another_record_of_a_cell_that_is_here_is_refused_and_nothing_is_overwritten(here):
    assert taken(sent()).new == 2
    before = below(RUNS)
    other = packed("other.tgz", "a", record(HOST, 0, seed=9))
    assert kinds(other) == {"cell taken"}
    assert below(RUNS) == before


def test_nothing_is_added_to_records_with_another_label(here):
    save()
    assert kinds(sent(numbers=(4, 5)), same_mac=True) == {"another label"}
    assert taken(sent(host="mac-b"), voucher.RUNNER).new == 2
    assert kinds(sent(host="mac-b", numbers=(7,)), same_mac=True) == {"another label"}
    assert len(below(RUNS)) == 4  # and the label of mac-b


def of_release(release, number, **changes):
    made = record(HOST, number)
    made["cell"]["release"] = release
    version, build = release.split("-")[1:]
    made["host"]["os"] |= {"version": version, "build": build}
    return made | changes


@pytest.mark.parametrize("release", bulk.RELEASES)
def test_a_sender_adds_to_a_host_what_another_sender_cannot(here, capsys, release):
    assert taken(sent(sender="a")).new == 2
    assert taken(packed("more.tgz", "a", of_release(release, 5))).new == 1
    # everybody who has a clone has these records and can repeat them
    before = below(RUNS)
    repeated = record(HOST, 0), record(HOST, 1), of_release(release, 6)
    assert taking.main([str(packed("other.tgz", "b", *repeated))]) == 6
    assert below(RUNS) == before
    told = capsys.readouterr().out
    assert "measured under another host name (--config host=" in told
    assert f"data/runs/{HOST} has records of another sender" in told
    assert taking.main(["other.tgz", "--same-mac"]) == 0
    assert below(RUNS).keys() - before.keys() == {path_of(repeated[2]["cell"])}
    # from now on, the mark is that of this Mac
    assert taken(packed("next.tgz", "b", of_release(release, 7))).new == 1


@pytest.mark.parametrize("label", [None, "community\n"], ids=["our own", "an older label"])
def test_records_of_a_host_whose_sender_is_not_known_need_an_option(here, label):
    path = save()
    if label:
        (path.parents[5] / voucher.FILE).write_text(label)
    other = packed("other.tgz", "a", of_release(bulk.RELEASES[0], 5))
    assert kinds(other) == {"another sender"}
    assert taken(other, same_mac=True).new == 1
    assert taken(packed("next.tgz", "a", of_release("macos-26.5-25F71", 6))).new == 1


@pytest.mark.parametrize("changes", EARLIER.values(), ids=EARLIER)
def test_a_result_that_the_study_would_measure_again_is_replaced_by_the_new_one(here, changes):
    first = packed("first.tgz", "a", record(HOST, 0) | changes, record(HOST, 1))
    assert taken(first).new == 2
    before = below(RUNS)
    again = record(HOST, 0, seed=9) | {"harness": EPOCH_3}
    assert kinds(packed("other.tgz", "b", again)) == {"another sender"}
    other_mac = again | {"host": again["host"] | {"memory_bytes": 8 * 2**30}}
    assert kinds(packed("other.tgz", "a", other_mac)) == {"cell taken"}
    assert below(RUNS) == before
    second = packed("second.tgz", "a", again, record(HOST, 1))
    assert (taken(second).new, taken(second).here) == (1, 2)
    name = path_of(again["cell"])
    now = below(RUNS)
    [aside] = now.keys() - before.keys()
    assert aside.startswith(f"{name.removesuffix('.json')}.superseded-")
    assert now[aside] == before[name]
    assert now[name] == file_of(again)[1]
    # nothing is changed by the earlier archive
    assert taken(first).here == 2
    assert below(RUNS) == now


def test_a_withdrawn_record_that_is_still_here_is_replaced_by_the_new_one_of_its_machine(here):
    first = packed("first.tgz", "a", record(HOST, 0), record(HOST, 1))
    assert taken(first).new == 2
    name, content = file_of(record(HOST, 0))
    again = record(HOST, 0, seed=9)
    second = packed("second.tgz", "a", again)
    assert kinds(second) == {"cell taken"}
    withdraw(name, content)
    assert kinds(packed("other.tgz", "b", again)) == {"another sender"}
    assert taken(second).new == 1
    assert (RUNS / name).read_bytes() == file_of(again)[1]
    assert (taken(first).new, taken(first).here, taken(first).withdrawn) == (0, 1, 1)


def test_a_replacement_is_undone_with_the_rest_of_its_archive(here, monkeypatch):
    taken(packed("first.tgz", "a", record(HOST, 0) | EARLIER["failed"]))
    before = below(RUNS)

    def full(*_):
        raise OSError(errno.ENOSPC, "no space")

    monkeypatch.setattr(taking, "link", full)
    second = packed("second.tgz", "b", record(HOST, 0, seed=9), record(HOST, 1))
    with pytest.raises(OSError, match="no space"):
        taken(second, same_mac=True)
    assert below(RUNS) == before


def test_a_host_that_differs_by_case_alone_or_a_link_on_the_way_is_refused(here):
    def why(host):
        [finding] = taken(sent(host=host, numbers=(5,))).refused.findings
        assert finding.kind == "no place"
        return finding.what

    assert taken(sent()).new == 2
    assert "differs from it by case alone" in why(HOST.upper())
    (here / "elsewhere").mkdir()
    Path("data/runs/mac-b").symlink_to(here / "elsewhere")
    assert "is a link" in why("mac-b")
    assert not list((here / "elsewhere").iterdir())
    Path("data/runs/mac-c").write_text("")
    assert "is not a folder" in why("mac-c")
    Path("data/runs", path_of(record("mac-d", 5)["cell"])).mkdir(parents=True)
    assert "is not a record" in why("mac-d")


@pytest.mark.parametrize(("made_of", "why"), HARMFUL.values(), ids=HARMFUL)
def test_a_hostile_archive_is_refused_in_one_line_and_leaves_nothing(here, capsys, made_of, why):
    Path("hostile.tgz").write_bytes(made_of(record("edited", 0)))
    before = below(here)
    assert taking.main(["hostile.tgz"]) == 6
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("diskbench: hostile.tgz is refused: ")
    assert why in line
    assert below(here).keys() - {str(taking.LOCK)} == before.keys()


TARS = {what: HARMFUL[what] for what in HARMFUL if what not in ("a cut archive", "no archive")}


@pytest.mark.parametrize(("made_of", "why"), TARS.values(), ids=TARS)
def test_an_archive_that_a_browser_has_decompressed_is_refused_alike(here, capsys, made_of, why):
    Path("hostile").write_bytes(gunzip(made_of(record("edited", 0))))
    assert taking.main(["hostile"]) == 6
    why = why.replace("it contains more", "it is longer")
    assert why in capsys.readouterr().err
    assert not RUNS.exists()


def test_an_archive_that_a_browser_has_decompressed_is_taken_in_whatever_its_name(here):
    # as Safari leaves it: .tgz becomes .tar, or nothing
    packed = sent()
    Path("sent").write_bytes(gunzip(packed.read_bytes()))
    assert taking.main(["sent"]) == 0
    assert taken(packed).here == 2


def gunzip(packed):
    return subprocess.run(["gunzip"], input=packed, capture_output=True, check=False).stdout


def test_a_file_that_is_too_long_or_missing_is_refused_before_it_is_unpacked(here, capsys):
    Path("long.tgz").write_bytes(b"\x1f\x8b" + bytes(archive.MOST_BYTES))
    assert taking.main(["long.tgz"]) == 6
    assert taking.main(["none.tgz"]) == 2
    assert taking.main(["."]) == 2
    assert "is longer than" in capsys.readouterr().err


def test_equal_records_give_an_equal_archive_without_personal_data(here):
    files = dict(file_of(record(HOST, number)) for number in range(2))
    assert archive.pack(files) == archive.pack(dict(reversed(files.items())))
    with tarfile.open(fileobj=io.BytesIO(archive.pack(files))) as packed:
        assert {(one.uid, one.gid, one.uname, one.gname, one.mtime) for one in packed} == {
            (0, 0, "", "", 0)
        }
