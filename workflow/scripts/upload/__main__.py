"""Publishes the site in reports/_site. It replaces an older site of its own, and nothing else.

Usage: bash workflow/run.sh publish [--dry-run]                   to GitHub Pages: branch gh-pages
                                                                  of the remote origin
       bash workflow/run.sh publish [--dry-run] REMOTE [BRANCH]   to another remote (its name or
                                                                  address) or branch
       bash workflow/run.sh publish [--dry-run] --to FOLDER       into a folder, for any web server
  --dry-run   prints each file that would be added, replaced, removed or kept; changes nothing
Exit codes: 0 done, 2 refused or no site, 3 disk full, 4 folder or remote cannot be used,
  5 another call publishes.

The manifest .diskbench-site goes with the site: the SHA-256 checksum of each file, in the form of
sha256sum. A target with any file that is not in its manifest, or differs from it, is refused, with
the names; so is a site that shows synthetic or stand-in figures. Two files are kept as they are,
whoever wrote them: CNAME (your domain on GitHub Pages) and .nojekyll, which is written where there
is none.
A branch gets one commit of ours, which replaces the one before; commits of others stay below it. It
is pushed only if nobody else pushed meanwhile. A call that was interrupted while it wrote into a
folder is completed by the same call.
"""

import argparse
import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from arguments import Parser
from console import ExitCode, one_line, say
from lock import held
from upload import changes, site
from upload.branch import Branch
from upload.folder import Folder

SITE = Path("reports/_site")
LOCK = Path(".diskbench/publish.lock")


def main() -> int:
    """Publish the site, or with `--dry-run` print what that would change."""
    parser = Parser(prog="bash workflow/run.sh publish")
    parser.add_argument("remote", nargs="?")
    parser.add_argument("branch", nargs="?")
    parser.add_argument("--to", metavar="FOLDER")
    parser.add_argument("--dry-run", action="store_true")
    asked = parser.parse_args()
    for name in ("remote", "branch", "to"):
        value = getattr(asked, name)
        # empty as of a variable that is not set
        if value is not None and (not value or value.startswith("-")):
            word = {"to": "a folder behind --to"}.get(name, f"a {name}")
            parser.error(f"'{value}' is no name of {word}")
    if asked.to is not None and asked.remote is not None:
        parser.error("--to takes a folder and nothing else")
    new = site.checked(SITE)
    target = _target(asked, parser)
    with nullcontext() if asked.dry_run else _alone(), target:
        change = changes.between(target.name, target.found, target.owned, new)
        if asked.dry_run:
            for line in change.lines():
                print(one_line(line))
        elif change.needed:
            target.put(change)
    for path in change.kept:
        say(f"{path} in {target.name} is kept as it is")
    done = "dry run, nothing is changed in" if asked.dry_run else "the site is in"
    say(f"{done} {target.name}: {change.in_words()}")
    return ExitCode.DONE


def _target(asked: argparse.Namespace, parser: Parser) -> Folder | Branch:
    if asked.to is not None:
        # run.sh goes to the project's folder; a name is meant from where it was called
        return Folder(Path(os.environ.get("DISKBENCH_CALLED_IN", "."), asked.to), SITE)
    return Branch(asked.remote or "origin", asked.branch or "gh-pages", SITE, parser)


@contextmanager
def _alone() -> Iterator[None]:
    """Hold this project's lock of publishing. Raises StudyError (busy) when it is taken."""
    LOCK.parent.mkdir(exist_ok=True)
    with held(LOCK, "another call publishes this site: wait for it, then call again"):
        yield
