"""The cells of a study: format x encryption x phase, for each protocol, storage and repeat.

Images are shuffled by the study's seed; the phases of one image keep their order.
"""

import hashlib
from dataclasses import dataclass
from typing import Any

from study.scales import SCALES, scaled_step, sizes_bytes


@dataclass(frozen=True)
class Machine:
    """Where a study runs: what depends on the machine and not on the study.

    host, release: the slugs of machine and OS release.
    native_encryption: what encrypts its own disk; `encryption: host` in the study.
    image_driver: who serves its disk images; `driver: auto` in the study.
    """

    host: str
    release: str
    native_encryption: str
    image_driver: str


def plan_cells(
    study: dict[str, Any], protocols: list[dict[str, Any]], machine: Machine
) -> list[dict[str, Any]]:
    """Every cell in the order in which it is to be measured, each as the core reads it."""
    images = [
        (protocol, storage["slug"], row["driver"], fmt, encryption, repeat)
        for repeat in range(1, study["repeats"] + 1)
        for protocol in protocols
        for storage in study["storage"]
        for row in study["matrix"]
        for fmt in row["formats"]
        for encryption in row["encryptions"]
    ]
    cells: list[dict[str, Any]] = []
    for image in sorted(images, key=lambda image: _place(study["seed"], image)):
        cells += _phases_of_image(study, machine, *image)
    return cells


def _place(seed: int, image: tuple) -> tuple[int, bytes]:
    """Where an image stands in the shuffled order: the same on every machine.

    Sorting by SHA-256 is a shuffle that every language and version repeats. One repeat comes after
    the other, so that a study stopped half-way has whole repeats.
    """
    protocol, storage, driver, fmt, encryption, repeat = image
    words = f"{seed}/{protocol['name']}/{storage}/{driver}/{fmt}-{encryption}/{repeat}"
    return repeat, hashlib.sha256(words.encode()).digest()


def _phases_of_image(
    study: dict[str, Any],
    machine: Machine,
    protocol: dict[str, Any],
    storage: str,
    driver: str,
    fmt: str,
    encryption: str,
    repeat: int,
) -> list[dict[str, Any]]:
    scale = SCALES[study["scale"]]
    phases = protocol["phases"] if scale.later_phases else protocol["phases"][:1]
    scaled_phases = [
        {
            "phase": phase["phase"],
            "steps": [scaled_step(step, scale) for step in phase["steps"]],
        }
        for phase in phases
    ]
    return [
        {
            "cell_version": 1,
            "host": machine.host,
            "release": machine.release,
            "protocol": protocol["name"],
            "scale": study["scale"],
            "storage": storage,
            "driver": machine.image_driver if driver == "auto" else driver,
            "format": fmt,
            "encryption": machine.native_encryption if encryption == "host" else encryption,
            "repeat": repeat,
            "phase": phase["phase"],
            # each repeat shuffles its files anew
            "seed": (study["seed"] + repeat - 1) % 2**32,
            "sets": scale.sets,
            "sizes_bytes": sizes_bytes(scale),
            "nominal_bytes": protocol["nominal_bytes"] // scale.nominal_divisor,
            "io": dict(study["io"]),
            "phases": scaled_phases,
        }
        for phase in phases
    ]
