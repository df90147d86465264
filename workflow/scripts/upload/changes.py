"""What publishing changes at its target, found from checksums alone, and what it refuses."""

from dataclasses import dataclass

from console import ExitCode, StudyError
from upload.manifest import Manifest

# GitHub's settings page writes the name of a custom domain into CNAME. `.nojekyll` keeps Pages from
# leaving out what begins with `_` or `.`; anybody may have put it there before us.
KEPT = ("CNAME", ".nojekyll")

# So many names are enough to see whose files they are.
NAMES_SHOWN = 10


@dataclass(frozen=True)
class Changes:
    """Paths by what becomes of them.

    kept: files of the target that are not ours, and stay by design.
    same: files that are there already, as they should be.
    site: all that is ours afterwards, path -> checksum.
    complete: whether the target's manifest is that of the site already.
    """

    added: tuple[str, ...]
    replaced: tuple[str, ...]
    removed: tuple[str, ...]
    kept: tuple[str, ...]
    same: tuple[str, ...]
    site: dict[str, str]
    complete: bool

    @property
    def needed(self) -> bool:
        """Whether there is anything to do."""
        return bool(self.added or self.replaced or self.removed or not self.complete)

    def lines(self) -> list[str]:
        """A line for each file that is added, replaced or removed, or is kept by design."""
        all_of_them = {
            "add": self.added,
            "replace": self.replaced,
            "remove": self.removed,
            "keep": self.kept,
        }
        return [f"{verb} {path}" for verb, paths in all_of_them.items() for path in paths]

    def in_words(self) -> str:
        """How many files each concerns."""
        return (
            f"{len(self.added)} added, {len(self.replaced)} replaced, "
            f"{len(self.removed)} removed, {len(self.same)} unchanged"
        )


def between(
    target: str, found: dict[str, str | None], owned: Manifest, site: dict[str, str]
) -> Changes:
    """The way from what was found at a target to the site.

    target: its name for people. found: path -> checksum, or None for what is no regular file; the
    manifest is not among them. owned: the target's manifest. site: path -> checksum.

    Raises StudyError (bad input), which names what diskbench did not write.
    """

    def is_ours(path: str) -> bool:
        return found[path] in owned.get(path, ())

    kept = tuple(path for path in KEPT if found.get(path) and not is_ours(path))
    ours = {path for path in found if is_ours(path)}
    foreign = sorted(found.keys() - ours - {*kept})
    if foreign:
        names = ", ".join(foreign[:NAMES_SHOWN])
        more = len(foreign) - NAMES_SHOWN
        raise StudyError(
            ExitCode.BAD_INPUT,
            f"{target} has files that diskbench did not write, or that were changed since: {names}"
            f"{f' and {more} more' if more > 0 else ''}; "
            "move them elsewhere, or name another target",
        )
    wanted = {path: checksum for path, checksum in site.items() if path not in kept}
    there = ours & wanted.keys()
    same = {path for path in there if found[path] == wanted[path]}
    return Changes(
        added=tuple(sorted(wanted.keys() - ours)),
        replaced=tuple(sorted(there - same)),
        removed=tuple(sorted(ours - wanted.keys())),
        kept=kept,
        same=tuple(sorted(same)),
        site=wanted,
        complete=owned == {path: {checksum} for path, checksum in wanted.items()},
    )
