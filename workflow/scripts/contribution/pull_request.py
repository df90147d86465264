"""A pull request that adds records, from the fork that this clone came from, by GitHub's own `gh`.

It is one commit on top of what the other repository has: the records, and the label of who vouches
for them. Nothing that this clone has besides, committed or not, goes with it.
"""

import hashlib
import json
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass

import git_program
import voucher
from console import ExitCode, StudyError
from contribution import github
from git_program import Done
from record import RUNS

# Not the caller's, which tells who it is. GitHub knows who opens the request.
WHO = "diskbench <diskbench@localhost>"
LABEL = voucher.COMMUNITY
# gh names the request of this branch that is open since an earlier call
_THERE = re.compile(rb"already exists:\s+(https://\S+)")
# Whatever the caller's own settings: gh is logged in, nobody is asked, and no hook is run.
SETTINGS = (
    *("-c", "credential.https://github.com.helper="),
    *("-c", "credential.https://github.com.helper=!gh auth git-credential"),
    *("-c", "core.hooksPath=/dev/null"),
)


@dataclass(frozen=True)
class Fork:
    """A fork and the repository it is of, as owner/name."""

    name: str
    of: str


def fork() -> Fork | None:
    """The fork that `origin` is, where gh is there and logged in. StudyError when gh fails."""
    name = github.origin()
    if name is None or shutil.which("gh") is None:
        return None
    if _gh("auth", "status", "--hostname", "github.com").returncode != 0:
        return None
    told = _gh("repo", "view", name, "--json", "parent")
    try:
        parent = json.loads(told.stdout)["parent"]
        of = parent and f"{parent['owner']['login']}/{parent['name']}"
    except (ValueError, KeyError, TypeError) as error:
        why = git_program.why(told)
        raise _failed(f"gh does not say which repository {name} is a fork of ({why})") from error
    of = of and (github.project() or of)
    return Fork(name, of) if of and of != name else None


def branch(host: str, files: Mapping[str, bytes]) -> str:
    """The name of the branch: the same for the same records, and no other one's."""
    content = hashlib.sha256()
    for name in sorted(files):
        content.update(hashlib.sha256(files[name]).digest())
    return f"records-{host}-{content.hexdigest()[:12]}"


def opened(of: Fork, host: str, files: Mapping[str, bytes]) -> str | None:
    """Push the records to the fork and open the request; gives its address.

    None where the other repository has all of them. `files`: path below the runs folder ->
    content. Raises StudyError.
    """
    name = branch(host, files)
    title = f"Records of {host}"
    with tempfile.TemporaryDirectory(prefix="diskbench-submit-") as made:
        # without the content of older files, which one commit more does not need
        few = ("--bare", "--single-branch", "--no-tags", "--filter=blob:none", "--template=")
        _git("clone", "--quiet", *few, f"https://github.com/{of.of}.git", made)
        on = _git("rev-parse", "HEAD", GIT_DIR=made).decode().strip()
        new = _new(of.of, made, host, files)
        if not new:
            return None
        commit = _commit(name, title, on, new)
        _git("fast-import", "--quiet", given=commit, GIT_DIR=made)
        to = _git("remote", "get-url", "--push", "origin").decode().strip()
        # over an older one of the same records; thin packs ask for content that is not here
        _git("push", "--quiet", "--force", "--no-thin", to, f"refs/heads/{name}", GIT_DIR=made)
    owner = of.name.partition("/")[0]
    body = f"Made by `bash workflow/run.sh submit`: {len(files)} records of {host}."
    asked = ("--repo", of.of, "--head", f"{owner}:{name}", "--title", title, "--body", body)
    done = _gh("pr", "create", *asked)
    if there := _THERE.search(done.stderr):
        return there[1].decode("utf-8", "replace")
    if done.returncode != 0:
        raise _failed(
            f"branch {name} is in {of.name}, but gh opened nothing ({git_program.why(done)})"
        )
    return done.stdout.decode("utf-8", "replace").strip()


def _new(of: str, git_dir: str, host: str, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """What the other repository has not, labelled. Raises StudyError where it would not fit."""
    place = f"{RUNS}/{host}/"
    listed = _git("ls-tree", "-r", "-z", "HEAD", place, GIT_DIR=git_dir).decode()
    there = {
        path: described.split()[2]
        for described, path in (line.split("\t", 1) for line in filter(None, listed.split("\0")))
    }
    wanted = {f"{RUNS}/{name}": content for name, content in files.items()}
    for release in {name.split("/")[1] for name in files}:
        label = f"{place}{release}/{voucher.FILE}"
        if label not in there and any(path.startswith(f"{place}{release}/") for path in there):
            raise _failed(f"{of} has records of {host} under {release} that are its own")
        wanted[label] = f"{LABEL}\n".encode()
    for path, content in wanted.items():
        if path in there and there[path] != _blob(content):
            raise _failed(f"{of} has another {path}")
    return {path: content for path, content in wanted.items() if path not in there}


def _commit(name: str, title: str, on: str, files: Mapping[str, bytes]) -> bytes:
    """The commit as git's fast-import takes it."""
    parts = [
        f"commit refs/heads/{name}\ncommitter {WHO} {int(time.time())} +0000\n".encode(),
        _data(title.encode()),
        f"from {on}\n".encode(),
    ]
    for path in sorted(files):
        parts += [f"M 100644 inline {path}\n".encode(), _data(files[path])]
    return b"".join(parts)


def _data(content: bytes) -> bytes:
    return b"data %d\n%b\n" % (len(content), content)


def _blob(content: bytes) -> str:
    """What git calls a file of this content."""
    return hashlib.sha1(b"blob %d\0%b" % (len(content), content), usedforsecurity=False).hexdigest()


def _git(*words: str, given: bytes | None = None, **environment: str) -> bytes:
    done = git_program.run(*SETTINGS, *words, given=given, GIT_TERMINAL_PROMPT="0", **environment)
    if done.returncode != 0:
        raise _failed(f"git {words[0]}: {git_program.why(done)}")
    return done.stdout


def _gh(*words: str) -> Done:
    return subprocess.run(
        ["gh", *words], stdin=subprocess.DEVNULL, capture_output=True, check=False
    )


def _failed(why: str) -> StudyError:
    return StudyError(ExitCode.FOLDER_UNUSABLE, why)
