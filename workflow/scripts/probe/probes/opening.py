"""Probes of attaching: answers of the programs, and listings of attached images."""

from collections.abc import Iterator
from pathlib import Path

from probe import inventory, lines
from probe.bench import Attached, Bench, Image, UnseenError, finished
from probe.programs import Answer

WRITTEN = b"written by a probe\n"
SECTORS_OF = 512


def attaching(bench: Bench) -> None:
    """Every image, attached by every program that supports it."""
    for image, tool, statement in _pairs(bench):
        name = f"attach-{image.name}-with-{tool}"
        with bench.attached(image, tool, name) as (answer, attached):
            done = f"{tool}: attach {image.name}"
            holds = attached is not None if finished(answer) else None
            bench.saw(statement, done, answer.message, holds)
            if attached is not None:
                _say_of_attached(bench, answer, attached, tool, done)
    if image := bench.images.get(("diskutil", "ASIF", "none")):
        asif_by_hdiutil(bench, image)
    _twice(bench)


def _pairs(bench: Bench) -> Iterator[tuple[Image, str, str]]:
    for image in list(bench.images.values()):
        if image.format == "ASIF":
            yield image, "diskutil", "diskutil-attaches-asif"
            continue
        yield image, "hdiutil", "hdiutil-attaches"
        if bench.is_about("diskutil-attaches") and image.encryption != "AES-128":
            yield image, "diskutil", "diskutil-attaches"


def _say_of_attached(
    bench: Bench, answer: Answer, attached: Attached, tool: str, done: str
) -> None:
    entities = inventory.entities(inventory.read(answer.stdout))
    mounted = [Path(str(one["mount-point"])) for one in entities if "mount-point" in one]
    holds = list(map(inventory.known, mounted)) == [inventory.known(attached.at)]
    keys = sorted({key for one in entities for key in one})
    seen = f"{len(entities)} entities with {', '.join(keys)}"
    bench.saw(f"{tool}-attach-names-devices", done, seen, holds)
    try:
        (attached.at / "written").write_bytes(WRITTEN)
        wrote, said = (attached.at / "written").read_bytes() == WRITTEN, "written"
    except OSError as error:
        wrote, said = False, error.strerror or "error"
    bench.saw("volume-is-writable", f"{done}, then write a file", said, wrote)
    if attached.image.encryption == "AES-128":
        return
    name = f"{attached.image.name}-with-{tool}"
    words = lines.call("about a volume", volume=attached.at)
    about = bench.programs.call(f"info-volume-{name}", *words, limit=30)
    said = inventory.read_keys(about.stdout)
    wanted = ("DeviceIdentifier", "MountPoint", "FilesystemType", "BusProtocol")
    values = {key: said.get(key) for key in wanted}
    holds = (
        all(values.values())
        and values["FilesystemType"] == "apfs"
        and values["BusProtocol"] == "Disk Image"
    )
    bench.saw("diskutil-info-tells-the-volume", done, str(values), holds)
    words = lines.call("about a disk", disk=attached.disk)
    about = bench.programs.call(f"info-disk-{name}", *words, limit=30)
    sectors = inventory.read_keys(about.stdout).get("DeviceBlockSize")
    bench.saw("sectors-of-512", done, f"{sectors}", sectors == SECTORS_OF)


def asif_by_hdiutil(bench: Bench, image: Image) -> None:
    """An ASIF image attached by hdiutil."""
    with bench.attached(image, "hdiutil", "attach-asif-by-hdiutil", mount=False) as (answer, _):
        bench.saw_end("hdiutil-attaches-no-asif", answer, "hdiutil: attach an ASIF", works=False)


def _twice(bench: Bench) -> None:
    image = bench.made("hdiutil", "UDSB")
    with bench.mounted(image) as first:
        again = bench.attach_call(image, "hdiutil", "attach-twice", first.at)
        disk = inventory.whole_disk(inventory.read(again.stdout))
        seen = f"{disk or again.message}, the first was {first.disk}"
        done = "hdiutil: attach an attached UDSB"
        bench.saw("attaching-twice", done, seen, again.is_good and disk == first.disk)


def inventories(bench: Bench) -> None:
    """Whether both lists contain an attached image of each format, and no other of ours."""
    answers = inventory.ask_registry(bench.programs, "registry-is-silent")
    inside = inventory.known(bench.folder)
    ours = [at for _, at in inventory.of_registry(answers) if inside in at.parents]
    good = all(one.is_good for one in answers)
    holds = good and not ours if all(map(finished, answers)) else None
    seen = f"{_messages(answers)}, {len(ours)} of our images"
    bench.saw("registry-is-silent", "list", seen, holds)
    for (tool, _, encryption), image in list(bench.images.items()):
        if encryption != "none":
            continue
        with bench.attached(image, tool) as (_, attached):
            if attached is None:
                for statement in ("registry-lists-images", "hdiutil-info-lists-images"):
                    bench.cannot(statement, f"{image.name} could not be attached")
                continue
            registry = inventory.ask_registry(bench.programs, f"registry-lists-images-{image.name}")
            info = inventory.ask_info(bench.programs, f"hdiutil-info-lists-images-{image.name}")
            for statement, listed, message in (
                ("registry-lists-images", inventory.of_registry(registry), _messages(registry)),
                ("hdiutil-info-lists-images", inventory.of_info(info), info.message),
            ):
                holds = (attached.disk, inventory.known(image.path)) in set(listed)
                seen = "listed" if holds else f"not listed ({message})"
                done = f"{tool}: attach {image.name}, then list"
                bench.saw(statement, done, seen, holds)


def _messages(answers: list[Answer]) -> str:
    return "; ".join(one.message for one in answers)


def mount_points(bench: Bench) -> None:
    """A missing mount point."""
    made = bench.is_about("mount-point-is-made")
    statement = "mount-point-is-made" if made else "mount-point-must-exist"
    image = next((one for one in bench.images.values() if one.tool == "diskutil"), None)
    if image is None:
        raise UnseenError("diskutil made no image")
    at = bench.folder / "not-there"
    answer = bench.attach_call(image, "diskutil", "attach-at-a-missing-place", at)
    there = at.is_dir()
    bench.detach_all()
    done = "diskutil: attach at a mount point that is not there"
    if made:
        holds = answer.is_good and there and not at.exists()
        seen = f"{answer.message}; {'made' if there else 'not made'}, "
        seen += "there afterwards" if at.exists() else "gone afterwards"
        bench.saw(statement, done, seen, holds)
    else:
        bench.saw_end(statement, answer, done, works=False)
