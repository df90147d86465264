"""The cells of the chosen studies: format x encryption x phase, by protocol, storage and repeat.

Images are shuffled by the seed; the phases of one image keep their order. Cells of several studies
are planned once.
"""

import hashlib
from dataclasses import dataclass
from typing import Any

from console import ExitCode, StudyError
from study import repeats
from study.config import read_protocol
from study.scales import SCALES, at_most, scaled_steps, sizes_bytes
from study.studies import chosen, in_words, storages_of

# keys of a row for another size of bands or blocks than the format's default
SIZES = ("band_bytes", "block_bytes")


@dataclass(frozen=True)
class Machine:
    """Properties of the machine that a study depends on.

    host, release: the slugs of machine and OS release.
    native_encryption: the encryption of storage internal; `encryption: host` in the study.
    image_driver: the driver of its disk images; `driver: auto` in the study.
    guest: whether it is a virtual machine of macOS; `machine: host` in the study.
    """

    host: str
    release: str
    native_encryption: str
    image_driver: str
    guest: bool = False


@dataclass(frozen=True)
class Image:
    """An image that is made, measured by phase, and deleted; or files without an image."""

    protocol: str
    storage: str
    driver: str
    format: str
    encryption: str
    sizes: tuple[tuple[str, int], ...]
    repeat: int


@dataclass
class Wanted:
    """A requested image: the number of phases, and its position in the order."""

    phases: int
    place: tuple[bool, int, bytes]


def plan_cells(config: dict[str, Any], machine: Machine) -> list[dict[str, Any]]:
    """Every cell of a checked config in the order of measuring, in the core's format.

    Raises StudyError (bad input) if a study or a protocol is unknown, if a row's phases are not the
    first of its protocol, or if there is no cell at all.
    """
    images: dict[Image, Wanted] = {}
    studies = chosen(config)
    for study in studies:
        for row in study.matrix:
            if machine.guest and row.get("machine") == "host":
                continue
            for name in study.protocols:
                _add_images(images, config, row, read_protocol(name), machine)
    if studies and not images:
        raise StudyError(
            ExitCode.BAD_INPUT,
            f"study {in_words(config)} has no cell here: its protocols and its matrix have nothing "
            "in common (a protocol that restarts is for format VM, and that format for it)",
        )
    cells: list[dict[str, Any]] = []
    for image, wanted in sorted(images.items(), key=lambda item: item[1].place):
        cells += _cells_of(image, wanted.phases, config, machine)
    return cells


def _add_images(
    images: dict[Image, Wanted],
    config: dict[str, Any],
    row: dict[str, Any],
    protocol: dict[str, Any],
    machine: Machine,
) -> None:
    phases = _phases_asked_for(row, protocol)
    restarts = any(step["step"] == "restart" for step in _steps(protocol))
    driver = machine.image_driver if row["driver"] == "auto" else row["driver"]
    sizes = tuple((key, row[key]) for key in SIZES if key in row)
    # the names of record.variant
    odd = "".join(f"-{key.removesuffix('_bytes')}s-{size}" for key, size in sizes)
    there = [storage["slug"] for storage in config["storage"]]
    for repeat in range(1, repeats.count(config) + 1):
        for storage in storages_of(row, there):
            for fmt in row["formats"]:
                if restarts != (fmt == "VM"):
                    continue
                for named in row["encryptions"]:
                    encryption = machine.native_encryption if named == "host" else named
                    image = Image(protocol["name"], storage, driver, fmt, encryption, sizes, repeat)
                    # the study's name, so that the order is the same on every machine
                    words = f"{storage}/{row['driver']}/{fmt}-{named}{odd}/{repeat}"
                    words = f"{config['seed']}/{protocol['name']}/{words}"
                    digest = hashlib.sha256(words.encode()).digest()
                    wanted = images.setdefault(image, Wanted(0, (restarts, repeat, digest)))
                    wanted.phases = max(wanted.phases, phases)


def _phases_asked_for(row: dict[str, Any], protocol: dict[str, Any]) -> int:
    """How many phases of a protocol a row requests: a phase needs all earlier ones."""
    there = [phase["phase"] for phase in protocol["phases"]]
    asked = row.get("phases", there)
    both = min(len(asked), len(there))
    if asked[:both] != there[:both]:
        raise StudyError(
            ExitCode.BAD_INPUT,
            f"phases [{', '.join(asked)}] are not the first ones of protocol {protocol['name']}: "
            f"begin with {', '.join(there)}, and leave out only the last ones",
        )
    return both


def _steps(protocol: dict[str, Any]) -> list[dict[str, Any]]:
    return [step for phase in protocol["phases"] for step in phase["steps"]]


def _cells_of(
    image: Image,
    wanted_phases: int,
    config: dict[str, Any],
    machine: Machine,
) -> list[dict[str, Any]]:
    protocol = read_protocol(image.protocol)
    scale_name = at_most(protocol["article_scale"], config["scale"])
    scale = SCALES[scale_name]
    phases = protocol["phases"][: wanted_phases if scale.later_phases else 1]
    scaled_phases = [
        {
            "phase": phase["phase"],
            "steps": scaled_steps(phase["steps"], scale),
        }
        for phase in phases
    ]
    return [
        {
            "cell_version": 1,
            "host": machine.host,
            "release": machine.release,
            "protocol": protocol["name"],
            "scale": scale_name,
            "storage": image.storage,
            "driver": image.driver,
            "format": image.format,
            "encryption": image.encryption,
            "repeat": image.repeat,
            "phase": phase["phase"],
            # each repeat shuffles its files anew
            "seed": (config["seed"] + image.repeat - 1) % 2**32,
            "sets": scale.sets,
            "sizes_bytes": sizes_bytes(scale),
            "nominal_bytes": protocol["nominal_bytes"] // scale.nominal_divisor,
            **dict(image.sizes),
            "io": dict(config["io"]),
            "phases": scaled_phases,
        }
        for phase in phases
    ]
