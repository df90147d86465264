"""Publishing: the site as it stands, to a branch or a folder, and nothing of anybody else's harmed."""

import shutil
import subprocess
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[3]
FILES = {"index.html": "<p>start</p>", "articles/one.html": "<p>one</p>", "_data/x.csv": "1"}


@pytest.fixture
def project(tmp_path) -> Path:
    """A folder with the script and a small site, in a repository of its own."""
    folder = tmp_path / "project"
    (folder / "workflow").mkdir(parents=True)
    shutil.copy(PROJECT / "workflow" / "publish.sh", folder / "workflow")
    for name, text in FILES.items():
        file = folder / "reports" / "_site" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    (folder / ".gitignore").write_text("/reports/_site/\n*.csv\n", encoding="utf-8")
    git(folder, "init", "--quiet")
    return folder


@pytest.fixture
def remote(project, tmp_path) -> Path:
    """What the repository calls origin."""
    bare = tmp_path / "remote.git"
    git(tmp_path, "init", "--quiet", "--bare", str(bare))
    git(project, "remote", "add", "origin", str(bare))
    return bare


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", *words], cwd=folder, check=True, stdout=subprocess.PIPE, text=True
    )
    return done.stdout.strip()


def publish(project: Path, *words: str) -> subprocess.CompletedProcess:
    command = ["bash", "workflow/publish.sh", *words]
    return subprocess.run(command, cwd=project, check=False, capture_output=True, text=True)


def test_a_branch_gets_the_whole_site_as_one_commit_each_time(project, remote):
    for text in ("<p>start</p>", "<p>newer</p>"):
        (project / "reports" / "_site" / "index.html").write_text(text, encoding="utf-8")
        done = publish(project)
        assert done.returncode == 0, done.stderr
        names = git(remote, "ls-tree", "-r", "--name-only", "gh-pages").splitlines()
        assert sorted(names) == sorted([*FILES, ".nojekyll", ".diskbench-site"])
        assert git(remote, "show", "gh-pages:index.html") == text
        assert git(remote, "rev-list", "--count", "gh-pages") == "1"
    assert git(project, "status", "--porcelain") == "?? .gitignore\n?? workflow/"


def test_another_remote_and_branch_can_be_named(project, remote):
    assert publish(project, str(remote), "pages").returncode == 0
    assert git(remote, "show", "pages:articles/one.html") == FILES["articles/one.html"]


def test_a_remote_that_is_not_there_is_named(project, tmp_path):
    done = publish(project, str(tmp_path / "nowhere"))
    assert done.returncode == 4
    assert f"could not push to {tmp_path / 'nowhere'}" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_branch_of_source_is_left_alone(project, remote):
    git(project, "add", ".gitignore")
    git(project, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "source")
    git(project, "push", "--quiet", "origin", "HEAD:refs/heads/main")
    source = git(remote, "rev-parse", "main")
    done = publish(project, "origin", "main")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "no site of diskbench" in done.stderr
    assert git(remote, "rev-parse", "main") == source


@pytest.mark.parametrize(
    "words",
    [("--nosuch",), ("a", "b", "c"), ("origin", "bad branch"), ("--to",), ("--to", "a", "b")],
)
def test_words_that_it_does_not_know_are_one_line(project, remote, words):
    done = publish(project, *words)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "bash workflow/publish.sh" in done.stderr
    assert git(remote, "branch", "--list") == ""


def test_the_site_is_not_copied_into_itself(project):
    done = publish(project, "--to", "reports/_site/inner/most")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert not (project / "reports" / "_site" / "inner").exists()


def test_a_folder_gets_the_site_and_loses_the_pages_of_an_older_one(project, tmp_path):
    target = tmp_path / "web"
    assert publish(project, "--to", str(target)).returncode == 0
    (project / "reports" / "_site" / "articles" / "one.html").unlink()
    assert publish(project, "--to", str(target)).returncode == 0
    found = {file.relative_to(target).as_posix() for file in target.rglob("*") if file.is_file()}
    assert found == {"index.html", "_data/x.csv", ".diskbench-site"}


def test_a_folder_with_files_of_somebody_else_is_left_alone(project, tmp_path):
    (tmp_path / "letter.txt").write_text("dear", encoding="utf-8")
    done = publish(project, "--to", str(tmp_path))
    assert done.returncode == 2
    assert "files that are no site" in done.stderr
    assert (tmp_path / "letter.txt").is_file()


def test_without_a_site_it_says_what_makes_one(project):
    shutil.rmtree(project / "reports")
    done = publish(project)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "bash workflow/run.sh" in done.stderr


def test_made_up_figures_are_not_published(project, remote):
    page = project / "reports" / "_site" / "articles" / "one.html"
    page.write_text('<div class="watermark">made-up data</div>', encoding="utf-8")
    done = publish(project)
    assert done.returncode == 2
    assert "made-up or stand-in" in done.stderr
    assert git(remote, "branch", "--list") == ""
