"""Sending shows the records first, and makes archives that can be taken in elsewhere."""

import hashlib
import io
import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from archives import EARLIER, HOST, PROJECT, RELEASE, mark, record, save, sent, taken
from harmful import file_of
from tree import below

import voucher
from console import StudyError
from contribution import archive, submitting, taking
from proofs.support import records
from proofs.support.repository import commit, git
from record import RUNS, path_of
from study import superseding


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
    assert max(map(len, told)) <= 104
    assert any(line.endswith("…") for line in told)
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


def test_a_sender_updates_the_clone_and_sends_more_of_the_same_release(
    here, monkeypatch, tmp_path, capsys
):
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
    # what the project would not replace, and refuse with the rest, is left out and named
    measured = RUNS / path_of(record(HOST, 0)["cell"])
    superseding.replace(measured, file_of(record(HOST, 0, seed=1))[1])
    capsys.readouterr()
    with pytest.raises(StudyError, match="what you committed can be a pull request"):
        submitting.main([])
    named = f"such as {measured}: the project keeps that"
    said = capsys.readouterr().err
    assert "left out: 1 records" in said and named in said
    save(3)
    assert submitted() == {4}
    assert named in capsys.readouterr().err
    take_what_was_made()
    # a clone with another mark has none of its own there, whatever is changed
    Path(".diskbench/sender").write_bytes(mark("b"))
    save(4)
    assert submitted() == set()


def test_a_record_that_a_stranger_could_not_send_is_not_submitted_either(here, capsys):
    save()
    save(2, scale="smoke")
    made = record(HOST, 1)
    made["warnings"] = ["/Users/jane was busy"]
    records.save(made, RUNS)
    assert submitting.main(["--yes"]) == 6
    told = capsys.readouterr().out
    assert told.startswith(f"No: 1 of 2 records ({HOST}) cannot be accepted.\n")
    assert "a home folder: /Users/jane" in told
    assert "smoke" not in told
    assert not Path(".diskbench/submit").exists()


def test_what_macos_leaves_beside_records_is_not_committed_with_them(here):
    Path(".gitignore").write_text((PROJECT / ".gitignore").read_text(encoding="utf-8"))
    made = save()
    for name in (".DS_Store", "._fresh.json"):
        made.with_name(name).touch()
    commit(here)
    assert git(here, "ls-files", "data").split() == [str(made)]


def test_mark_and_label_of_a_pull_request_are_made_as_the_manual_says(here):
    manual = (PROJECT / "reports/manual/records.qmd").read_text(encoding="utf-8")
    [commands] = re.findall(
        r"^\[ -f \.diskbench/sender \].*?(?=^```)", manual, re.MULTILINE | re.DOTALL
    )
    Path(".diskbench").mkdir()
    save()
    for _ in range(2):  # the second time with the mark of the first
        subprocess.run(["bash", "-ec", commands], check=True)
        label = RUNS / HOST / RELEASE / voucher.FILE
        made = voucher.Label(voucher.COMMUNITY, voucher.hashed(voucher.own_mark()))
        assert label.read_text() == made.text()
        label.unlink()


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
def test_the_address_of_the_form_is_that_of_the_project_else_of_what_was_forked_or_cloned(
    here, remote, kept, address
):
    subprocess.run(["git", "init", "--quiet"], check=True)
    subprocess.run(["git", "remote", "add", "origin", remote], check=True)
    Path("CITATION.cff").write_text(f"cff-version: 1.2.0\n{kept}license: MIT\n")
    told = submitting.address(HOST)
    assert told.startswith(address)
    forked = "https://github.com/forked/diskbench"
    subprocess.run(["git", "remote", "add", "upstream", f"{forked}.git"], check=True)
    assert submitting.address(HOST).startswith(address if kept else forked)
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
