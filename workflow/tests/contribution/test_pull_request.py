"""A pull request has the records that were shown and nothing else; where it cannot be opened, the archives are there.

A double plays `gh`; the repositories on GitHub are bare ones here, which git's own settings put in their place.
"""

import io
import json
import subprocess
from pathlib import Path

import pytest

from contribution import submitting
from proofs.contributions import RELEASE, record
from proofs.support import records
from record import path_of

HOST = "mac-mini-m4-pro"
FORK, PROJECT = "jane/diskbench", "those/diskbench"
REQUEST = f"https://github.com/{PROJECT}/pull/7"
LABEL = f"data/runs/{HOST}/{RELEASE}/vouched-by"

GH = """#!/bin/bash
echo "$*" >>"$GH_CALLS"
case "$1 $2" in
  "auth status") exit "${GH_AUTH:-0}" ;;
  "repo view") echo "$GH_PARENT"; [ -n "$GH_PARENT" ] || { echo "gh: no answer" >&2; exit 1; } ;;
  "pr create")
    [ -n "$GH_REQUEST" ] || { echo "gh: it is not allowed" >&2; exit 1; }
    # in its words
    if [ -e "$GH_CALLS.opened" ]; then
      printf 'a pull request for branch "%s" into branch "main" already exists:\\n%s\\n' "$6" "$GH_REQUEST" >&2
      exit 1
    fi
    touch "$GH_CALLS.opened"
    echo "$GH_REQUEST"
    ;;
esac
"""


class Terminal(io.StringIO):
    """Somebody who answers."""

    def isatty(self) -> bool:
        return True


def git(*words: str, at: Path | None = None) -> str:
    who = ("-c", "user.name=Jane Doe", "-c", "user.email=jane@example.org")
    done = subprocess.run(["git", *who, *words], cwd=at, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def save(number=0):
    made = records.signed(record(HOST, number))
    return records.save(made, Path("data/runs")), f"data/runs/{path_of(made['cell'])}"


@pytest.fixture
def github(here, tmp_path_factory, monkeypatch):
    """A clone of a fork with a commit of its own, gh, and on "GitHub" both; the project is ahead."""
    there = tmp_path_factory.mktemp("github")
    first = there / "first"
    git("init", "--quiet", "--initial-branch", "main", str(first))
    (first / "README.md").write_text("diskbench")
    git("add", ".", at=first)
    git("commit", "--quiet", "--message", "first", at=first)
    for name in ("project", "fork"):
        git("clone", "--quiet", "--bare", str(first), str(there / f"{name}.git"))
    # as GitHub does
    git("config", "uploadpack.allowFilter", "true", at=there / "project.git")
    (first / "NEWER.md").write_text("newer")
    push(first, there, "newer")
    settings = there / "gitconfig"
    settings.write_text(
        f'[url "file://{there}/project.git"]\n  insteadOf = https://github.com/{PROJECT}.git\n'
        f'[url "file://{there}/fork.git"]\n  pushInsteadOf = https://github.com/{FORK}.git\n'
    )
    (there / "bin").mkdir()
    (there / "bin" / "gh").write_text(GH)
    (there / "bin" / "gh").chmod(0o755)
    monkeypatch.setenv("PATH", str(there / "bin"), prepend=":")
    for name, value in {
        "GIT_CONFIG_GLOBAL": settings,
        "GH_CALLS": there / "calls",
        "GH_PARENT": json.dumps({"parent": {"name": "diskbench", "owner": {"login": "those"}}}),
        "GH_REQUEST": REQUEST,
    }.items():
        monkeypatch.setenv(name, str(value))
    git("init", "--quiet", "--initial-branch", "main")
    git("remote", "add", "origin", f"https://github.com/{FORK}.git")
    Path("secret.txt").write_text("of Jane")
    git("add", "secret.txt")
    git("commit", "--quiet", "--message", "of my own")
    return there


def push(first: Path, there: Path, title: str) -> None:
    git("add", "--force", ".", at=first)
    git("commit", "--quiet", "--message", title, at=first)
    git("push", "--quiet", str(there / "project.git"), "main", at=first)


def refs(repository: Path) -> dict[str, str]:
    listed = git("for-each-ref", "--format=%(refname) %(objectname)", at=repository)
    return dict(line.split() for line in listed.splitlines())


def branch(there: Path) -> str:
    [name] = [ref for ref in refs(there / "fork.git") if "records-" in ref]
    return name


def made() -> list[str]:
    folder = Path(".diskbench/submit")
    return [one.name for one in folder.iterdir()] if folder.is_dir() else []


def test_what_was_shown_and_its_label_are_one_commit_on_top_of_the_projects_newest(github, capsys):
    contents = {}
    for number in range(2):
        path, name = save(number)
        contents[name] = path.read_text(encoding="utf-8")
    contents[LABEL] = "community\n"
    before = refs(github / "fork.git")
    assert submitting.main(["--yes"]) == 0
    told = capsys.readouterr()
    assert told.err.splitlines()[-1] == f"diskbench: the pull request is {REQUEST}"
    assert made() == []
    fork = github / "fork.git"
    name = branch(github)
    assert refs(fork) == before | {name: refs(fork)[name]}
    assert git("rev-parse", f"{name}^", at=fork) == refs(github / "project.git")["refs/heads/main"]
    changed = git("diff", "--name-status", f"{name}^", name, at=fork).splitlines()
    assert sorted(changed) == sorted(f"A\t{path}" for path in contents)
    for path, content in contents.items():
        assert git("show", f"{name}:{path}", at=fork) == content.strip()
    assert "secret.txt" not in git("ls-tree", "-r", "--name-only", name, at=fork)
    assert git("show", "--no-patch", "--format=%an %ae %cn %ce", name, at=fork) == " ".join(
        ["diskbench", "diskbench@localhost"] * 2
    )
    short = name.removeprefix("refs/heads/")
    assert short in told.out
    assert f"{PROJECT}: a pull request from {FORK}" in told.out
    assert "vouched for by: community" in told.out
    size_bytes = sum(Path(path).stat().st_size for path in contents if path != LABEL)
    assert told.out.startswith(f"To be sent: 2 records of {HOST}, {size_bytes} bytes\n")
    assert ".tgz" not in told.out, "no archive is made"
    assert len(told.out.splitlines()) <= 20
    asked = [line for line in (github / "calls").read_text().splitlines() if "pr create" in line]
    [words] = asked
    assert words.startswith(f"pr create --repo {PROJECT} --head jane:{short} --title Records of ")


def test_the_request_goes_to_the_project_that_the_citation_names_whatever_was_forked(
    github, monkeypatch, capsys
):
    save()
    parent = {"parent": {"name": "diskbench", "owner": {"login": "between"}}}
    monkeypatch.setenv("GH_PARENT", json.dumps(parent))
    Path("CITATION.cff").write_text(f'repository-code: "https://github.com/{PROJECT}"\n')
    assert submitting.main(["--yes"]) == 0
    assert f"{PROJECT}: a pull request from {FORK}" in capsys.readouterr().out
    assert f"pr create --repo {PROJECT} " in (github / "calls").read_text()


def test_nothing_leaves_this_machine_before_somebody_agreed(github, monkeypatch):
    save()
    before = refs(github / "fork.git")
    for answer in ("", "\n", "n\n", "no\n"):
        monkeypatch.setattr("sys.stdin", Terminal(answer))
        assert submitting.main([]) == 0
    assert refs(github / "fork.git") == before
    assert "pr create" not in (github / "calls").read_text()
    assert made() == []


def test_the_question_names_what_is_done(github, monkeypatch, capsys):
    save()
    monkeypatch.setattr("sys.stdin", Terminal("yes\n"))
    assert submitting.main([]) == 0
    assert capsys.readouterr().out.endswith("Open the pull request? [y/N] ")
    assert branch(github)


@pytest.mark.parametrize(
    ("fails", "why"),
    [
        (
            {"GH_PARENT": ""},
            f"gh does not say which repository {FORK} is a fork of (gh: no answer)",
        ),
        ({"GH_PARENT": "[]"}, f"gh does not say which repository {FORK} is a fork of"),
        ({"GH_REQUEST": ""}, "but gh opened nothing (gh: it is not allowed)"),
        ({"fork.git": ""}, "git push: fatal: "),
        ({"project.git": ""}, "git clone: fatal: "),
    ],
)
def test_what_fails_is_one_line_and_the_archives_are_there(github, monkeypatch, capsys, fails, why):
    save()
    for name, value in fails.items():
        if name.endswith(".git"):
            (github / name).rename(github / "gone")
        else:
            monkeypatch.setenv(name, value)
    assert submitting.main(["--yes"]) == 0
    lines = capsys.readouterr().err.splitlines()
    [line] = [line for line in lines if "no pull request: " in line]
    assert why in line
    assert line.endswith("; send the archives instead")
    assert len(made()) == 1
    asks = PROJECT if "GH_PARENT" not in fails else FORK
    assert f"open https://github.com/{asks}/issues/new" in lines[-1]


@pytest.mark.parametrize(
    "without",
    [{"GH_AUTH": "1"}, {"GH_PARENT": '{"parent": null}'}, {"PATH": "/usr/bin:/bin"}],
    ids=["nobody is logged in", "no fork", "no gh"],
)
def test_without_gh_or_a_fork_there_are_archives_and_no_word_of_a_request(
    github, monkeypatch, capsys, without
):
    save()
    before = refs(github / "fork.git")
    for name, value in without.items():
        monkeypatch.setenv(name, value)
    assert submitting.main(["--yes"]) == 0
    told = capsys.readouterr()
    assert "pull request" not in told.out + told.err
    assert len(made()) == 1
    assert refs(github / "fork.git") == before


def other(path: Path, name: str, first: Path) -> None:
    (first / name).parent.mkdir(parents=True, exist_ok=True)
    (first / name).write_text("{}")
    (first / LABEL).write_text("community\n")


def own(path: Path, name: str, first: Path) -> None:
    (first / name).parent.mkdir(parents=True, exist_ok=True)
    (first / name).write_bytes(path.read_bytes())


def runners(path: Path, name: str, first: Path) -> None:
    own(path, name, first)
    (first / LABEL).write_text("hosted runner\n")


def all_of_it(path: Path, name: str, first: Path) -> None:
    own(path, name, first)
    (first / LABEL).write_text("community\n")


@pytest.mark.parametrize(
    ("there", "why"),
    [
        (other, "has another data/runs/"),
        (own, "that are its own"),
        (runners, f"has another {LABEL}"),
    ],
)
def test_what_does_not_fit_to_what_the_project_has_is_not_pushed(github, capsys, there, why):
    path, name = save()
    there(path, name, github / "first")
    push(github / "first", github, "records")
    before = refs(github / "fork.git")
    assert submitting.main(["--yes"]) == 0
    assert why in capsys.readouterr().err
    assert refs(github / "fork.git") == before
    assert len(made()) == 1


def test_more_records_of_the_same_release_are_added_to_those_that_are_there(github):
    path, name = save()
    all_of_it(path, name, github / "first")
    push(github / "first", github, "records")
    _, more = save(1)
    assert submitting.main(["--yes"]) == 0
    fork, at = github / "fork.git", branch(github)
    assert git("diff", "--name-status", f"{at}^", at, at=fork) == f"A\t{more}"


def test_what_the_project_has_already_is_not_sent_in_any_way(github, capsys):
    path, name = save()
    all_of_it(path, name, github / "first")
    push(github / "first", github, "records")
    before = refs(github / "fork.git")
    assert submitting.main(["--yes"]) == 0
    said = capsys.readouterr().err.splitlines()[-1]
    assert said == f"diskbench: {PROJECT} has all of these records: nothing was sent"
    assert refs(github / "fork.git") == before
    assert "pr create" not in (github / "calls").read_text()
    assert made() == []


def test_the_same_records_again_take_the_place_of_their_own_branch(github, capsys):
    save()
    assert submitting.main(["--yes"]) == 0
    first = refs(github / "fork.git")
    (github / "first" / "LATER.md").write_text("later")
    push(github / "first", github, "later")
    capsys.readouterr()
    assert submitting.main(["--yes"]) == 0
    said = capsys.readouterr().err.splitlines()[-1]
    assert said == f"diskbench: the pull request is {REQUEST}"
    assert made() == []
    again = refs(github / "fork.git")
    assert again.keys() == first.keys()
    at = branch(github)
    assert (
        git("rev-list", "--count", at, f"^{first['refs/heads/main']}", at=github / "fork.git")
        == "3"
    )
