"""Publishing: the site as it stands, to a branch or a folder, and nothing of anybody else's harmed."""

import hashlib
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from lock import held
from upload import site
from upload.folder import Folder

PROJECT = Path(__file__).resolve().parents[3]
FILES = {"index.html": "<p>start</p>", "articles/one.html": "<p>one</p>", "_data/x.csv": "1"}
OWN = {*FILES, ".nojekyll", ".diskbench-site"}


@pytest.fixture
def project(tmp_path) -> Path:
    """A folder with the script and a small site, in a repository of its own."""
    folder = tmp_path / "project"
    scripts = folder / "workflow" / "scripts"
    scripts.mkdir(parents=True)
    for name in ("run.sh", "help.sh"):
        shutil.copy(PROJECT / "workflow" / name, folder / "workflow")
    for name in ("arguments", "begin", "console", "durable", "git_program", "lock"):
        shutil.copy(PROJECT / "workflow" / "scripts" / f"{name}.py", scripts)
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(PROJECT / "workflow" / "scripts" / "upload", scripts / "upload", ignore=ignored)
    (folder / "workflow" / "setup.sh").write_text(
        f"export PATH={Path(sys.executable).parent}:$PATH PYTHONDONTWRITEBYTECODE=1\n"
    )
    write_site(folder, FILES)
    (folder / ".gitignore").write_text(
        "/reports/_site/\n*.csv\n/.diskbench/\n/workflow/\n", encoding="utf-8"
    )
    git(folder, "init", "--quiet")
    return folder


def write_site(project: Path, files: dict[str, str]) -> None:
    shutil.rmtree(project / "reports", ignore_errors=True)
    for name, text in files.items():
        file = project / "reports" / "_site" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


@pytest.fixture
def remote(project, tmp_path) -> Path:
    """What the repository calls origin."""
    bare = tmp_path / "remote.git"
    git(tmp_path, "init", "--quiet", "--bare", str(bare))
    git(project, "remote", "add", "origin", str(bare))
    return bare


def git(folder: Path, *words: str, given: str | None = None) -> str:
    done = subprocess.run(
        ["git", *words], cwd=folder, check=True, stdout=subprocess.PIPE, text=True, input=given
    )
    return done.stdout.strip()


def publish(project: Path, *words: str, **environment: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        ["bash", "workflow/run.sh", "publish", *words],
        cwd=project,
        env=os.environ | environment,
        check=False,
        capture_output=True,
        text=True,
    )


def tree(folder: Path) -> dict[str, str]:
    """Every name below a folder, with what it has: content, where a link leads, or nothing."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            found[name] = f"-> {path.readlink()}"
        elif path.is_file():
            found[name] = path.read_bytes().decode("latin-1")
        else:
            found[name] = ""
    return found


def files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def add_to_branch(remote: Path, clone: Path, name: str, text: str) -> str:
    """As its owner would: the branch with a file more, or another content; gives the commit."""
    if not clone.exists():
        git(remote, "clone", "--quiet", "--branch", "gh-pages", str(remote), str(clone))
    (clone / name).write_text(text, encoding="utf-8")
    git(clone, "add", "--force", name)
    git(clone, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", name)
    git(clone, "push", "--quiet", "origin", "gh-pages")
    return git(clone, "rev-parse", "HEAD")


def refused(done: subprocess.CompletedProcess, *words: str) -> None:
    """With 2, in one line that has those words."""
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    for word in words:
        assert word in done.stderr


def test_a_branch_gets_the_whole_site_as_one_commit_each_time(project, remote):
    for text in ("<p>start</p>", "<p>newer</p>"):
        write_site(project, FILES | {"index.html": text})
        done = publish(project)
        assert done.returncode == 0, done.stderr
        names = git(remote, "ls-tree", "-r", "--name-only", "gh-pages").splitlines()
        assert set(names) == OWN
        assert git(remote, "show", "gh-pages:index.html") == text
        assert git(remote, "rev-list", "--count", "gh-pages") == "1"
    assert git(project, "status", "--porcelain") == "?? .gitignore"


def test_what_others_committed_to_the_branch_stays_below_our_one_commit(project, remote, tmp_path):
    publish(project)
    clone = tmp_path / "clone"
    theirs = [add_to_branch(remote, clone, "CNAME", name) for name in ("a.org", "b.org")]
    for text in ("<p>newer</p>", "<p>newest</p>"):
        write_site(project, FILES | {"index.html": text})
        done = publish(project)
        assert done.returncode == 0, done.stderr
        assert git(remote, "show", "gh-pages:CNAME") == "b.org"
        below = git(remote, "rev-list", "gh-pages~1").splitlines()
        assert below[:2] == theirs[::-1]
        assert len(below) == 3  # and what we had published before


def test_a_folder_is_meant_from_where_it_is_called(project, tmp_path):
    called_in = tmp_path / "elsewhere"
    called_in.mkdir()
    subprocess.run(
        ["bash", str(project / "workflow" / "run.sh"), "publish", "--to", "out"],
        cwd=called_in,
        check=True,
    )
    assert files(called_in / "out") == OWN
    assert not (project / "out").exists()


def test_another_remote_and_branch_can_be_named(project, remote):
    assert publish(project, str(remote), "pages").returncode == 0
    assert git(remote, "show", "pages:articles/one.html") == FILES["articles/one.html"]


def test_a_remote_that_is_not_there_is_named(project, tmp_path):
    done = publish(project, str(tmp_path / "nowhere"))
    assert done.returncode == 4
    assert f"could not push to {tmp_path / 'nowhere'}" in done.stderr
    assert "does not appear to be a git repository" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_branch_of_source_is_left_alone(project, remote):
    git(project, "add", ".gitignore")
    git(project, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "source")
    git(project, "push", "--quiet", "origin", "HEAD:refs/heads/main")
    source = git(remote, "rev-parse", "main")
    refused(publish(project, "origin", "main"), "diskbench did not write", ".gitignore")
    assert git(remote, "rev-parse", "main") == source


@pytest.mark.parametrize(
    ("name", "text"), [("thesis.txt", "years"), ("index.html", "<p>mended by hand</p>")]
)
def test_what_somebody_added_to_the_branch_or_changed_there_is_refused(
    project, remote, tmp_path, name, text
):
    assert publish(project).returncode == 0
    theirs = add_to_branch(remote, tmp_path / "clone", name, text)
    refused(publish(project), name)
    assert git(remote, "rev-parse", "gh-pages") == theirs


def test_a_link_or_a_submodule_on_the_branch_is_refused(project, remote):
    assert publish(project).returncode == 0
    before = git(remote, "rev-parse", "gh-pages")
    for mode, kind in (("120000", "blob"), ("160000", "commit")):
        listed = git(remote, "ls-tree", before)
        some = before if kind == "commit" else git(remote, "rev-parse", f"{before}:index.html")
        made = git(remote, "mktree", "--missing", given=f"{listed}\n{mode} {kind} {some}\tmore\n")
        author = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        commit = git(remote, *author, "commit-tree", "-m", "more", made)
        git(remote, "update-ref", "refs/heads/gh-pages", commit)
        refused(publish(project), "more")
        assert git(remote, "rev-parse", "gh-pages") == commit


def test_the_domain_of_the_branch_is_kept_and_named(project, remote, tmp_path):
    assert publish(project).returncode == 0
    add_to_branch(remote, tmp_path / "clone", "CNAME", "bench.example.org\n")
    write_site(project, FILES | {"index.html": "<p>newer</p>"})
    done = publish(project)
    assert done.returncode == 0, done.stderr
    assert "CNAME in branch gh-pages" in done.stderr
    assert git(remote, "show", "gh-pages:CNAME") == "bench.example.org"
    assert git(remote, "show", "gh-pages:index.html") == "<p>newer</p>"


def test_what_is_pushed_in_the_moment_before_ours_is_not_lost(project, remote, tmp_path):
    assert publish(project).returncode == 0
    # the remote takes somebody's push when ours has been read and is about to be replaced
    theirs = add_to_branch(remote, tmp_path / "clone", "CNAME", "bench.example.org\n")
    git(remote, "update-ref", "refs/heads/gh-pages", f"{theirs}~1")
    real = shutil.which("git")
    (tmp_path / "bin").mkdir()
    wrapper = tmp_path / "bin" / "git"
    wrapper.write_text(
        f'#!/bin/sh\n[ "$1" != push ] || {real} --git-dir {remote} update-ref refs/heads/gh-pages {theirs}\n'
        f'exec {real} "$@"\n'
    )
    wrapper.chmod(0o755)
    (project / "workflow" / "setup.sh").open("a").write(f"export PATH={tmp_path}/bin:$PATH\n")
    write_site(project, FILES | {"index.html": "<p>newer</p>"})
    done = publish(project)
    assert (done.returncode, done.stderr.count("\n")) == (5, 1), done.stderr
    assert "somebody pushed to branch gh-pages" in done.stderr
    assert git(remote, "rev-parse", "gh-pages") == theirs


def test_a_branch_of_an_older_diskbench_without_a_list_is_refused_with_what_to_do(
    project, remote, tmp_path
):
    assert publish(project).returncode == 0
    add_to_branch(remote, tmp_path / "clone", ".diskbench-site", "")
    refused(publish(project), "older diskbench", "delete that site there, then call again")


def test_while_another_call_publishes_nothing_is_changed(project, remote):
    lock = project / ".diskbench" / "publish.lock"
    lock.parent.mkdir()
    with held(lock, ""):
        done = publish(project)
    assert (done.returncode, done.stderr.count("\n")) == (5, 1), done.stderr
    assert "another call publishes this site" in done.stderr
    assert git(remote, "branch", "--list") == ""


@pytest.mark.parametrize(
    "words",
    [
        ("--nosuch",),
        ("a", "b", "c"),
        ("origin", "bad branch"),
        ("origin", "refs/heads/pages"),
        ("origin", ""),
        ("",),
        ("--to",),
        ("--to", ""),
        ("--to", "-x"),
        ("--to=-x",),
        ("--to", "a", "b"),
        ("--dry",),
    ],
)
def test_words_that_it_does_not_know_are_one_line(project, remote, words):
    before = tree(project)
    refused(publish(project, *words), "bash workflow/run.sh publish --help")
    assert git(remote, "branch", "--list") == ""
    assert tree(project) == before


def test_the_site_is_not_copied_into_itself(project):
    for folder in ("reports/_site/inner/most", "reports/_site", "reports/../reports/_site/x"):
        refused(publish(project, "--to", folder), "in the site itself")
    assert not (project / "reports" / "_site" / "inner").exists()


def test_a_folder_gets_the_site_and_loses_the_pages_of_an_older_one(project, tmp_path):
    target = tmp_path / "web"
    assert publish(project, "--to", str(target)).returncode == 0
    assert files(target) == OWN
    write_site(project, {"index.html": "<p>newer</p>", "_data/x.csv": "1"})
    done = publish(project, "--to", str(target))
    assert done.returncode == 0
    assert "0 added, 1 replaced, 1 removed, 2 unchanged" in done.stderr
    assert tree(target).keys() == OWN - {"articles/one.html"} | {"_data"}
    assert (target / "index.html").read_text() == "<p>newer</p>"


def test_the_manifest_is_one_that_sha256sum_checks(project, tmp_path):
    assert publish(project, "--to", str(tmp_path / "web")).returncode == 0
    text = (tmp_path / "web" / ".diskbench-site").read_text(encoding="utf-8")
    expected = {
        name: hashlib.sha256(content.encode()).hexdigest() for name, content in FILES.items()
    }
    expected[".nojekyll"] = hashlib.sha256(b"").hexdigest()
    assert text == "".join(f"{expected[name]}  {name}\n" for name in sorted(expected))


def test_a_folder_with_files_of_somebody_else_is_left_alone(project, tmp_path):
    (tmp_path / "letter.txt").write_text("dear", encoding="utf-8")
    before = tree(tmp_path)
    refused(publish(project, "--to", str(tmp_path)), "diskbench did not write", "letter.txt")
    del before["project"]
    assert before.items() <= tree(tmp_path).items()


def test_files_of_somebody_else_are_not_read_however_large_they_are(tmp_path, monkeypatch):
    for name in ("film.mov", "CNAME"):
        (tmp_path / name).touch()
    read = []
    monkeypatch.setattr(site, "_checksum", lambda path: read.append(path.name))
    with Folder(tmp_path, tmp_path / "site") as target:
        assert target.found.keys() == {"film.mov", "CNAME"}
    assert read == ["CNAME"]


def add_repository(target: Path) -> None:
    git(target, "init", "--quiet")


def add_thesis(target: Path) -> None:
    (target / "thesis").mkdir()
    (target / "thesis" / "one.txt").write_text("years")


def add_link(target: Path) -> None:
    (target / "link").symlink_to("/etc")


def change_page(target: Path) -> None:
    (target / "articles" / "one.html").write_text("mended by hand")


def replace_page_by_a_link_to_the_same(target: Path) -> None:
    (target / "articles").rename(target.parent / "elsewhere")
    (target / "articles").symlink_to(target.parent / "elsewhere")


def add_empty_manifest(target: Path) -> None:
    (target / ".diskbench-site").write_text("")


@pytest.mark.parametrize(
    ("change", "name"),
    [
        (add_repository, ".git/"),
        (add_thesis, "thesis/one.txt"),
        (add_link, "link"),
        (change_page, "articles/one.html"),
        (replace_page_by_a_link_to_the_same, "articles"),
        (add_empty_manifest, "older diskbench"),
    ],
)
def test_what_came_into_the_folder_since_is_refused_by_name_and_stays(
    project, tmp_path, change, name
):
    target = tmp_path / "web"
    assert publish(project, "--to", str(target)).returncode == 0
    change(target)
    write_site(project, {"index.html": "<p>newer</p>"})
    before = tree(tmp_path / "web")
    for words in ((), ("--dry-run",)):
        refused(publish(project, *words, "--to", str(target)), name)
    assert tree(target) == before


def test_of_many_files_of_somebody_else_ten_are_named_and_the_rest_counted(project, tmp_path):
    target = tmp_path / "web"
    target.mkdir()
    for number in range(25):
        (target / f"{number:02}.txt").write_text("x")
    done = publish(project, "--to", str(target))
    refused(done, "00.txt, ", "09.txt and 15 more")
    assert "10.txt" not in done.stderr


def test_the_domain_and_nojekyll_in_the_folder_are_kept_as_they_are(project, tmp_path):
    target = tmp_path / "web"
    target.mkdir()
    (target / "CNAME").write_text("bench.example.org")
    (target / ".nojekyll").write_text("of somebody")
    for text in ("one", "two"):
        write_site(project, FILES | {"index.html": text})
        done = publish(project, "--to", str(target))
        assert done.returncode == 0, done.stderr
        assert f"CNAME in {target} is kept" in done.stderr
        assert (target / "CNAME").read_text() == "bench.example.org"
        assert (target / ".nojekyll").read_text() == "of somebody"
        assert (target / "index.html").read_text() == text


def test_a_dry_run_shows_what_would_change_and_changes_nothing(project, remote, tmp_path):
    target = tmp_path / "web"
    for words in ((), ("--to", str(target))):
        before = tree(tmp_path)
        done = publish(project, "--dry-run", *words)
        assert done.returncode == 0, done.stderr
        assert done.stdout.splitlines() == [
            f"add {name}" for name in sorted(OWN - {".diskbench-site"})
        ]
        assert tree(tmp_path) == before
        assert publish(project, *words).returncode == 0
    (target / "CNAME").write_text("bench.example.org")
    write_site(project, {"index.html": "<p>newer</p>", "_data/x.csv": "1", "new.html": "new"})
    before = tree(tmp_path)
    done = publish(project, "--dry-run", "--to", str(target))
    assert done.stdout.splitlines() == [
        "add new.html",
        "replace index.html",
        "remove articles/one.html",
        "keep CNAME",
    ]
    done = publish(project, "--dry-run")
    assert done.stdout.splitlines() == [
        "add new.html",
        "replace index.html",
        "remove articles/one.html",
    ]
    assert tree(tmp_path) == before


# Calls of the system that change the target; each in turn is the one at which the process is killed.
KILLER = """
import os, signal, sys
from pathlib import Path
countdown = int(os.environ["DIE_AT"])
def dying(real):
    def call(*words, **more):
        global countdown
        countdown -= 1
        if countdown == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*words, **more)
    return call
for name in ("replace", "unlink", "mkdir", "rmdir"):
    setattr(Path, name, dying(getattr(Path, name)))
os.fsync = dying(os.fsync)
"""


@pytest.mark.slow
def test_killed_at_any_moment_the_next_call_completes_it_and_nothing_foreign_is_lost(
    project, tmp_path
):
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(KILLER)
    script = project / "workflow" / "run.sh"
    script.write_text(
        script.read_text().replace(
            "PYTHONPATH=workflow/scripts", "PYTHONPATH=workflow/scripts:${KILLER:-}"
        )
    )
    older = {
        "index.html": "older",
        "gone.html": "gone",
        "folder": "once a file",
        "name/x.html": "x",
    }
    newer = {
        "index.html": "newer",
        "new.html": "new",
        "folder/y.html": "y",
        "name": "once a folder",
    }
    before = tmp_path / "web"
    write_site(project, older)
    assert publish(project, "--to", str(before)).returncode == 0
    (before / "CNAME").write_text("bench.example.org")
    write_site(project, newer)
    after = shutil.copytree(before, tmp_path / "after")
    assert publish(project, "--to", str(after)).returncode == 0
    assert files(after) == {*newer, ".nojekyll", ".diskbench-site", "CNAME"}
    moments = 0
    while True:
        moments += 1
        target = shutil.copytree(before, tmp_path / f"web-{moments}")
        killed = publish(
            project, "--to", str(target), KILLER=f"{tmp_path}/site", DIE_AT=str(moments)
        )
        if killed.returncode == 0:
            break
        assert killed.returncode == -signal.SIGKILL
        # what somebody adds then is still seen
        (target / "thesis.txt").write_text("years")
        refused(publish(project, "--to", str(target)), "thesis.txt")
        (target / "thesis.txt").unlink()
        done = publish(project, "--to", str(target))
        assert done.returncode == 0, f"{moments}: {done.stderr}"
        assert tree(target) == tree(after)
    assert moments > 15


def test_without_a_site_it_says_what_makes_one(project):
    shutil.rmtree(project / "reports")
    refused(publish(project), "bash workflow/run.sh")


def test_synthetic_figures_are_not_published(project, remote):
    page = project / "reports" / "_site" / "articles" / "one.html"
    page.write_text('<div class="watermark">synthetic data</div>', encoding="utf-8")
    refused(publish(project), "synthetic or stand-in")
    assert git(remote, "branch", "--list") == ""
