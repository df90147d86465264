"""Probes of creating, identifying and compacting images, and of their sizes."""

from collections.abc import Iterator
from itertools import product

from probe import inventory, lines
from probe.bench import (
    LENGTH,
    PASSPHRASE,
    Bench,
    Image,
    UnseenError,
    allocated,
    finished,
)
from probe.probes.opening import asif_by_hdiutil

# the statement about a program, the program, the formats and encryptions that it makes
KINDS = (
    ("hdiutil-creates", "hdiutil", ("UDRW", "UDSP", "UDSB"), ("none", "AES-128", "AES-256")),
    ("diskutil-creates", "diskutil", ("UDRW", "UDSB"), ("none", "AES-256")),
    ("diskutil-creates-asif", "diskutil", ("ASIF",), ("none", "AES-256")),
)

# a fully allocated UDRW must fit into a probe's space; the articles' images have 100 GB (decimal)
LARGE = 100_000_000_000
LARGE_UDRW = 1_000_000_000
# the driver's estimate of an image without files (core: image/apple/size_estimate.rs)
ASIF_ITSELF = 1_000_000_000
ITSELF = 400_000_000


def kinds(bench: Bench) -> Iterator[tuple[str, str, str, str]]:
    """What this macOS creates: the statement about it, program, format, encryption."""
    for statement, tool, formats, encryptions in KINDS:
        if bench.is_about(statement):
            for kind, encryption in product(formats, encryptions):
                yield statement, tool, kind, encryption


def creating(bench: Bench) -> None:
    """Every format and encryption, created by every program that supports it."""
    for statement, tool, kind, encryption in kinds(bench):
        image, answer = bench.create(tool, kind, encryption)
        done = f"{tool}: a new {kind} of {LENGTH} bytes, {encryption}"
        made = answer.is_good and image.path.exists()
        bench.saw(statement, done, answer.message, made)
        if made:
            bench.images[tool, kind, encryption] = image
        if tool == "hdiutil":
            _say_of_hdiutil(bench, image, answer, done)
    if bench.is_about("asif-is-not-created-before-26"):
        image, answer = bench.create("diskutil", "ASIF", name="asif-before-26")
        done = "diskutil: a new ASIF"
        bench.saw_end("asif-is-not-created-before-26", answer, done, works=False)


def _say_of_hdiutil(bench: Bench, image: Image, answer, done: str) -> None:
    if not answer.is_good:
        return
    said = inventory.read(answer.stdout)
    ours = inventory.known(image.path)
    named = isinstance(said, list) and [inventory.path_of(one) for one in said] == [ours]
    bench.saw("hdiutil-create-names-the-image", done, str(said), named)
    warned = b"WARNING" in answer.stderr and b"deprecated" in answer.stderr
    seen = answer.stderr.decode("utf-8", "replace").strip() or "no warning"
    bench.saw("hdiutil-warns-and-works", done, seen, warned)


def identifying(bench: Bench) -> None:
    """Output of the programs about a detached and an attached image."""
    for image in list(bench.images.values()):
        if image.encryption == "AES-128":
            continue
        if image.format != "ASIF":
            info = _info(bench, image, "hdiutil", "imageinfo")
            said = inventory.read_keys(info.stdout) if info.is_good else {}
            length = (said.get("Size Information") or {}).get("Total Bytes")
            seen = f"{said.get('Format')}, {length} bytes" if said else info.message
            holds = said.get("Format") == image.format and length == LENGTH
            bench.saw("hdiutil-identifies", f"hdiutil imageinfo of {image.name}", seen, holds)
            _info(bench, image, "hdiutil", "isencrypted")
        _diskutil_identifies(bench, image)
    # the device that diskutil attaches for it may outlive it (core: image/apple/identify.rs)
    bench.detach_all()
    _while_attached(bench)


def _diskutil_identifies(bench: Bench, image: Image) -> None:
    about = "diskutil-identifies" + ("-asif" if image.format == "ASIF" else "")
    if not bench.is_about(about) or image.format == "UDSP":
        return
    info = _info(bench, image, "diskutil", "info")
    said = inventory.read_keys(info.stdout) if info.is_good else {}
    length = (said.get("Size Info") or {}).get("Total Bytes") or said.get("Size")
    seen = f"{said.get('Image Format')}, {length} bytes" if said else info.message
    name = lines.types("diskutil")[image.format]
    holds = said.get("Image Format") == name and length == LENGTH
    if said and image.format == "ASIF":
        encrypted = (said.get("Encryption Info") or {}).get("Is Encrypted")
        seen += f", encrypted: {encrypted}"
        holds = holds and encrypted is image.is_encrypted
    bench.saw(about, f"diskutil image info of {image.name}", seen, holds)


def _while_attached(bench: Bench) -> None:
    image = bench.made("hdiutil", "UDSB")
    with bench.mounted(image):
        for verb in ("imageinfo", "isencrypted"):
            answer = _info(bench, image, "hdiutil", verb, "-attached")
            done = f"hdiutil {verb} of an attached {image.format}"
            bench.saw_end("attached-image-is-refused", answer, done, works=False)


def _info(bench: Bench, image: Image, tool: str, verb: str, more: str = ""):
    name = f"{'diskutil-' if tool == 'diskutil' else ''}{verb}-{image.name}{more}"
    if verb == "isencrypted":
        return bench.programs.call(name, *lines.call("is it encrypted", image=image.path))
    words = lines.words(lines.line(f"identify by {tool}", image.is_encrypted), image=image.path)
    return bench.programs.call(name, *words, given=bench.secret(image, tool))


def compacting(bench: Bench) -> None:
    """Formats that hdiutil compacts or refuses."""
    for kind, statement in (
        ("UDSP", "hdiutil-compacts"),
        ("UDSB", "hdiutil-compacts"),
        ("UDRW", "hdiutil-compacts-nothing-else"),
    ):
        image = bench.images.get(("hdiutil", kind, "none"))
        if image is None:
            bench.cannot(statement, f"no {kind} image could be made")
            continue
        answer = _compact(bench, f"compact-{image.name}", image)
        works = statement == "hdiutil-compacts"
        bench.saw_end(statement, answer, f"hdiutil compact of a {kind}", works=works)
    image = bench.made("hdiutil", "UDSB")
    with bench.mounted(image):
        answer = _compact(bench, "compact-attached", image)
        done = "hdiutil compact of an attached UDSB"
        bench.saw_end("compact-needs-it-detached", answer, done, works=False)


def _compact(bench: Bench, name: str, image: Image, but: str = ""):
    words = lines.call("compact", image=image.path)
    return bench.programs.call(name, *[word for word in words if word != but])


def battery(bench: Bench) -> None:
    """Compacting on battery without the option that allows it."""
    power = bench.programs.call(None, "pmset", "-g", "batt", limit=30)
    if b"'Battery Power'" not in power.stdout:
        raise UnseenError("this Mac is not on its battery")
    image = bench.made("hdiutil", "UDSB")
    answer = _compact(bench, "compact-on-battery", image, but="-batteryallowed")
    done = "hdiutil compact on the battery"
    bench.saw_end("compact-on-battery", answer, done, works=False)
    answer = _compact(bench, "compact-on-battery-allowed", image)
    bench.saw_end("compact-on-battery", answer, f"{done} with -batteryallowed", works=True)


def own_images(bench: Bench) -> None:
    """Our images in macOS, and macOS's images in our reader."""
    for image in bench.images.values():
        words = ["check", str(image.path), "--passphrase-nul"]
        words += ["--passphrase-stdin"] if image.is_encrypted else []
        code, said = bench.core_says(*words, given=PASSPHRASE if image.is_encrypted else b"")
        done = f"diskbench image check of {image.name}"
        holds = None if code is None else code == 0
        bench.saw("we-read-their-images", done, said or f"exit code {code}", holds)
    for kind, extension in lines.extensions().items():
        tool = "hdiutil" if kind in lines.types("hdiutil") else "diskutil"
        if kind == "ASIF" and not bench.is_about("diskutil-attaches-asif"):
            continue
        path = bench.folder / f"ours.{extension}"
        code, said = bench.core_says("create", str(path), "--format", kind, "--size", str(LENGTH))
        if code != 0:
            bench.cannot("our-images-attach", f"{kind}: {said}")
            continue
        image = Image(path, tool, kind, "none")
        with bench.attached(image, tool, f"attach-ours-{kind.lower()}", mount=False) as (
            answer,
            attached,
        ):
            if attached is None:
                holds, seen = False if finished(answer) else None, answer.message
            else:
                length = disk_length(bench, attached.disk)
                holds, seen = length == LENGTH, f"a device of {length} bytes"
        done = f"{tool}: attach a {kind} of diskbench image create"
        bench.saw("our-images-attach", done, seen, holds)
        if kind == "ASIF" and not bench.is_about("diskutil-creates-asif"):
            # the only one on macOS 15
            bench.saw("diskutil-attaches-asif", done, seen, holds)
            _diskutil_identifies(bench, image)
            asif_by_hdiutil(bench, image)


def disk_length(bench: Bench, disk: str) -> int | None:
    """The length of a device in bytes."""
    told = bench.programs.call(None, *lines.call("about a disk", disk=disk), limit=30)
    said = inventory.read_keys(told.stdout)
    size = said.get("TotalSize") or said.get("Size")
    return size if isinstance(size, int) else None


def sizes(bench: Bench) -> None:
    """The allocated size of new images."""
    for statement, tool, kind, length, limit in (
        ("asif-takes-little", "diskutil", "ASIF", LARGE, ASIF_ITSELF),
        ("udsb-takes-little", "hdiutil", "UDSB", LARGE, ITSELF),
        ("udrw-is-sparse-since-26", "hdiutil", "UDRW", LARGE_UDRW, ITSELF),
        ("udrw-takes-all-before-26", "hdiutil", "UDRW", LARGE_UDRW, None),
    ):
        if not bench.is_about(statement):
            continue
        if limit is None and bench.mac.stand_in:
            # stand-ins make sparse files at once in every imitated release
            bench.cannot(statement, "stand-ins for a Mac write no complete image")
            continue
        image, answer = bench.create(tool, kind, name=f"large-{kind.lower()}", length=length)
        done = f"{tool}: a new {kind} of {length} bytes"
        if not (answer.is_good and image.path.exists()):
            bench.cannot(statement, answer.message)
            continue
        taken = allocated(image.path)
        # 10 % tolerance for blocks that the file system does not write
        holds = taken >= 0.9 * length if limit is None else taken < limit
        bench.saw(statement, done, f"{taken} bytes", holds)
