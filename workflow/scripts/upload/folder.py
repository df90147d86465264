"""A folder as the target: replaced file by file, so that an interrupted call can be repeated.

The manifest of both sites comes first, then the new files, each whole, then the removals, and the
manifest of the new site alone comes last. At every instant all that is there is in the manifest.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from console import ExitCode, StudyError, is_full
from durable import sync
from upload import changes, manifest, site

# The one file that is not yet at its place.
PARTIAL = manifest.NAME + ".partial"


class Folder:
    """The folder `path` before and while the site of the folder `source` replaces its content.

    found: path -> checksum of what is there. owned: its manifest.
    """

    def __init__(self, path: Path, source: Path):
        self.path = path
        self.source = source
        self.name = str(path)
        # a path that does not exist yet is resolved as far as it does
        inside, outside = path.resolve(), source.resolve()
        if inside == outside or outside in inside.parents:
            raise StudyError(
                ExitCode.BAD_INPUT, f"{path} is in the site itself; name a folder elsewhere"
            )

    def __enter__(self) -> "Folder":
        with self._named():
            self.owned: manifest.Manifest = {}
            own = {name for name in (PARTIAL, manifest.NAME) if _is_file(self.path / name)}
            if manifest.NAME in own:
                text = (self.path / manifest.NAME).read_text("utf-8", errors="replace")
                self.owned = manifest.parse(text, self.name)
            # what nobody knows is refused by its name: there may be much of it
            known = {*self.owned, *changes.KEPT}
            self.found = site.checksums(self.path, known) if self.path.exists() else {}
            for name in own:
                del self.found[name]
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def put(self, change: changes.Changes) -> None:
        """Make the changes, in the order that the head of this file gives."""
        with self._named():
            self.path.mkdir(parents=True, exist_ok=True)
            both = [*manifest.pairs(self.owned), *change.site.items()]
            self._write(manifest.NAME, manifest.text(both).encode())
            new = (*change.added, *change.replaced)
            # where a folder of the one site has the name of a file of the other
            in_the_way = [old for old in change.removed if _obstructs(old, new)]
            self._remove(in_the_way)
            for name in new:
                self._copy(name, change.site[name])
            self._remove([old for old in change.removed if old not in in_the_way])
            self._write(manifest.NAME, manifest.text(change.site.items()).encode())

    def _copy(self, name: str, expected: str) -> None:
        content = site.content(self.source, name, expected)
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            # without a file: of the older site, whose removal was interrupted
            for above, _, _ in os.walk(path, topdown=False):
                Path(above).rmdir()
        self._write(name, content)

    def _write(self, name: str, content: bytes) -> None:
        """Whole or not at all, also when the power fails."""
        partial, path = self.path / PARTIAL, self.path / name
        partial.unlink(missing_ok=True)
        with partial.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
        sync(path.parent)

    def _remove(self, names: list[str]) -> None:
        for name in names:
            path = self.path / name
            path.unlink(missing_ok=True)
            sync(path.parent)
            for above in list(path.relative_to(self.path).parents)[:-1]:
                with suppress(OSError):  # which still has other files
                    (self.path / above).rmdir()

    @contextmanager
    def _named(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            if is_full(error):
                raise
            raise StudyError(
                ExitCode.FOLDER_UNUSABLE,
                f"cannot publish to {self.name}: {error.filename}: {error.strerror}; "
                "name a folder that you may write to, or make it one",
            ) from error


def _is_file(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def _obstructs(old: str, new: tuple[str, ...]) -> bool:
    return any(one.startswith(f"{old}/") or old.startswith(f"{one}/") for one in new)
