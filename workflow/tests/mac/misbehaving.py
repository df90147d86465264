"""Simulated Macs drawn at random, whose programs misbehave."""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import Any

from stand_in import RELEASES, StandInMac, digest

# the misbehaviours of the programs, and how often at most
# (core/doubles/examples/stand_in).
MISBEHAVIOURS = {
    "always-busy-hdiutil-detach": 1,
    "ask-password": 1,
    "busy-detach": 5,
    "detach-timeout": 2,
    "eject-dissent": 3,
    "gone-after-detach": 2,
    "hang attach": 1,
    "hang caffeinate": 1,
    "hang compact": 1,
    "hang create": 1,
    "hang detach": 2,
    "hang df": 1,
    "hang diskutil info": 2,
    "hang diskutil-image attach": 1,
    "hang eject": 1,
    "hang fdesetup": 1,
    "hang hdiutil info": 2,
    "hang info": 2,
    "hang ioreg": 2,
    "hang pmset": 2,
    "hang sw_vers": 1,
    "hang sysctl": 2,
    "hang tmutil": 1,
    "hang unmountDisk": 1,
    "hang vm_stat": 1,
    "helper-error": 2,
    "info-stays-attached": 1,
    "leave-attached": 2,
    "locked-attach": 3,
    "no-space attach": 1,
    "no-space compact": 1,
    "no-space create": 1,
    "resource-busy-create": 2,
    "reuse-numbers": 3,
    "shuffle-entities": 9,
    "stingy-compact": 2,
    "truncate-info": 9,
}

# What else a Mac may be, each with how likely it is here: words for `stand_in install`.
PECULIARITIES = {
    ("--language", "de"): 0.3,
    ("--without-udsp",): 0.1,
    ("--on-battery",): 0.1,
    ("--file-vault", "off"): 0.2,
    ("--mac", "guest"): 0.2,
    ("--memory-pressure", "4"): 0.1,
}


def draw(told: random.Random) -> dict[str, int]:
    """One to three misbehaviours, and how often each happens."""
    names = told.sample(sorted(MISBEHAVIOURS), told.randint(1, 3))
    return {name: told.randint(1, MISBEHAVIOURS[name]) for name in names}


@contextmanager
def completed(
    mac: StandInMac, cells: list[dict[str, Any]], orders: dict[str, int], swept: bool = False
) -> Iterator:
    """Programs do this wrong meanwhile; then a second call completes what is missing.

    swept: whether what was left is swept away before that, as the study does after each call.

    Nothing of ours is left in the end, and an image of somebody else's is as it was.
    """
    # of the same name as ours, elsewhere
    foreign = mac.foreign_image(mac.folder / "theirs" / "image.sparsebundle")
    before = digest(foreign)
    for name, times in orders.items():
        mac.order(name, times)
    yield
    for name in orders:
        mac.order(name, 0)
    if swept:
        done = mac.sweep()
        assert done.returncode == 0, done.stderr
        assert (ours(mac), mac.left_over()) == ([], []), done.stderr
    for cell in cells:
        if not mac.record_path(cell).exists() or mac.record(cell)["status"] == "failed":
            assert end_of(mac, cell) in ("measured", "skipped"), mac.record(cell)["reason"]
    assert foreign in mac.attached(), "somebody else's image was detached"
    assert digest(foreign) == before, "somebody else's image was touched"
    assert ours(mac) == [], "still attached"
    # as the study does at its end: an earlier phase that is measured later leaves its image for one
    # that has its record already
    mac.sweep()
    assert mac.left_over() == [], f"left in the folder to work in: {mac.left_over()}"


def ours(mac: StandInMac) -> list[Path]:
    """Our images that are attached."""
    return [image for image in mac.attached() if image.is_relative_to(mac.work)]


def one_image(
    folder: Path, target: Path, told: random.Random
) -> tuple[StandInMac, list[dict[str, Any]]]:
    """A Mac drawn at random, and the cells of one image on it."""
    options = [
        word for words, chance in PECULIARITIES.items() if told.random() < chance for word in words
    ]
    mac = StandInMac(folder, target, told.choice(RELEASES), options)
    images = images_of(mac)
    return mac, images[told.choice(sorted(images))]


def images_of(mac: StandInMac) -> dict[tuple, list[dict[str, Any]]]:
    """The cells that driver apple serves, by their image."""

    def image(cell):
        return (cell["protocol"], cell["format"], cell["encryption"])

    cells = [cell for cell in mac.plan() if cell["driver"] == "apple"]
    return {key: list(group) for key, group in groupby(cells, key=image)}


def end_of(mac: StandInMac, cell: dict[str, Any]) -> str:
    """How a cell ended: measured, skipped or failed. AssertionError when it did not end so."""
    done = mac.run(cell)
    assert done.returncode in (0, 7), f"exit code {done.returncode}: {done.stderr.strip()}"
    record = mac.record(cell)
    assert (record["status"] == "measured") == (record["reason"] is None)
    return record["status"]
