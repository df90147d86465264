"""A branch of a git repository as the target: one commit of ours, pushed as a whole.

It takes the place of the one before; what others committed stays below it.
"""

import hashlib
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import git_program
from arguments import Parser
from console import ExitCode, StudyError
from upload import manifest, site
from upload.changes import Changes

# git's modes of a regular file; links and submodules have others.
REGULAR = ("100644", "100755")
EMAIL = "diskbench@localhost"
WHO = ("-c", "user.name=diskbench", "-c", f"user.email={EMAIL}")
# git says so when the branch is no longer what it was when it was read
STALE = ("stale info", "fetch first", "cannot lock ref", "already exists")


@dataclass(frozen=True)
class Entry:
    """A file of a commit: git's mode and the id of its content."""

    mode: str
    blob: str


class Branch:
    """The branch before the site of the folder `source` replaces it, in a repository of our own.

    found: path -> checksum of what is there. owned: its manifest.
    """

    def __init__(self, remote: str, branch: str, source: Path, parser: Parser):
        self.ref = f"refs/heads/{branch}"
        invalid = git_program.run("check-ref-format", self.ref).returncode
        # a full name, of which git would make refs/heads/refs/heads/...
        if invalid or branch.startswith("refs/"):
            parser.error(f"'{branch}' cannot be the name of a branch")
        known = git_program.run("remote", "get-url", remote)
        self.address = known.stdout.decode().strip() if known.returncode == 0 else remote
        self.name = f"branch {branch} of {self.address}"
        self.branch = branch
        self.source = source

    def __enter__(self) -> "Branch":
        self.scratch = tempfile.TemporaryDirectory(prefix="diskbench-publish-")
        self.git_dir = Path(self.scratch.name, "site.git")
        self._ours("init", "--quiet", "--bare", str(self.git_dir))
        self.found: dict[str, str | None] = {}
        self.owned: manifest.Manifest = {}
        self.entries: dict[str, Entry] = {}
        self.commit = ""
        if self._reach("ls-remote", self.address, self.ref):
            self._reach("fetch", "--quiet", "--depth", "2", self.address, self.ref)
            self.commit = self._ours("rev-parse", "FETCH_HEAD").decode().strip()
            self._read()
        return self

    def __exit__(self, *_: object) -> None:
        self.scratch.cleanup()

    def put(self, changes: Changes) -> None:
        """Push the site as one commit, unless the branch is another by now."""
        lines = []
        for path in changes.kept:
            entry = self.entries[path]
            lines.append(f"{entry.mode} {entry.blob}\t{path}")
        for path, expected in changes.site.items():
            content = site.content(self.source, path, expected)
            lines.append(f"100644 {self._blob(content)}\t{path}")
        listed = self._blob(manifest.text(changes.site.items()).encode())
        lines.append(f"100644 {listed}\t{manifest.NAME}")
        self._ours("update-index", "-z", "--index-info", given="\0".join([*lines, ""]).encode())
        tree = self._ours("write-tree").decode().strip()
        title = time.strftime("The site of %Y-%m-%d", time.gmtime())
        parents = [word for commit in self._parents() for word in ("-p", commit)]
        commit = self._ours(*WHO, "commit-tree", *parents, "-m", title, tree).decode().strip()
        # an empty id: the branch must not exist
        lease = f"--force-with-lease={self.ref}:{self.commit}"
        self._reach("push", "--quiet", lease, self.address, f"{commit}:{self.ref}")

    def _read(self) -> None:
        listed = self._ours("ls-tree", "-r", "-z", self.commit).decode("utf-8", "surrogateescape")
        for line in filter(None, listed.split("\0")):
            described, path = line.split("\t", 1)
            mode, _, blob = described.split()
            self.entries[path] = Entry(mode, blob)
        for path, entry in self.entries.items():
            if entry.mode not in REGULAR:
                self.found[path] = None
                continue
            content = self._ours("cat-file", "blob", entry.blob)
            if path == manifest.NAME:
                self.owned = manifest.parse(content.decode("utf-8", "replace"), self.name)
            else:
                self.found[path] = hashlib.sha256(content).hexdigest()

    def _parents(self) -> list[str]:
        """What our commit is put on: the branch as it is, or what our last commit there was."""
        if not self.commit:
            return []
        shown = self._ours("show", "--no-patch", "--format=%ce %P", self.commit).decode()
        who, *below = shown.split()
        return below if who == EMAIL else [self.commit]

    def _blob(self, content: bytes) -> str:
        # by this and not by `add`: nobody's attributes, filters or ignored names have a say
        return self._ours("hash-object", "-w", "--stdin", given=content).decode().strip()

    def _ours(self, *words: str, given: bytes | None = None) -> bytes:
        """Work in our own repository, which has no reason to fail."""
        done = git_program.run(*words, given=given, GIT_DIR=str(self.git_dir))
        done.check_returncode()
        return done.stdout

    def _reach(self, *words: str) -> bytes:
        """Work that needs the other repository. Raises StudyError when that cannot be reached."""
        done = git_program.run(*words, GIT_DIR=str(self.git_dir))
        if done.returncode == 0:
            return done.stdout
        said = done.stderr.decode("utf-8", "replace").strip()
        if words[0] == "push" and any(mark in said for mark in STALE):
            raise StudyError(
                ExitCode.BUSY,
                f"somebody pushed to {self.name} meanwhile: nothing was changed, call again",
            )
        raise StudyError(
            ExitCode.FOLDER_UNUSABLE,
            f"could not push to {self.address} ({git_program.why(done)}); mend that, or name "
            "another remote: bash workflow/run.sh publish REMOTE [BRANCH]",
        )
