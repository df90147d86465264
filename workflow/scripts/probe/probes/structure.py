"""Probes of the structure of new images."""

import os
import struct
from pathlib import Path

from probe import inventory, layout
from probe.bench import LENGTH, Bench, Image, UnseenError

# offsets of kept pieces: header, first table, file system
HEAD = 64 << 10
FIRST_MEGABYTE = 1 << 20

BAND_SECTORS = 2048
BUNDLE_BAND = 8_388_608
# the smallest size that hdiutil(1) allows: 1 MiB
OTHER_BAND = 1 << 20

# CDSA's numbers of PBKDF2, 3DES and AES (core: crypt/header.rs)
PBKDF2 = 103
WRAPS = (17, 0x8000_0001)
MOST_ROUNDS = 20_000_000

# of every encrypted image: one passphrase, in the only known version
ENCRYPTED = {"version": 2, "block_bytes": 512, "protectors": 1, "kind": 1}

# more bands than the 1008 that fit into a first node
WRITTEN = 1_150_000_000
LENGTH_OF_TWO_NODES = 1_300_000_000
PIECE = 8 << 20


def layouts(bench: Bench) -> None:
    """Unencrypted images of hdiutil."""
    _udrw(bench)
    for tool in ("hdiutil", "diskutil"):
        if image := bench.images.get((tool, "UDSB", "none")):
            _udsb(bench, image)
    _other_bands(bench)
    _udsp(bench)


def _udrw(bench: Bench) -> None:
    for tool in ("hdiutil", "diskutil"):
        image = bench.images.get((tool, "UDRW", "none"))
        if image is None:
            continue
        head, length, tail = _ends(image.path)
        bench.keep(f"head-of-{image.name}", head)
        trailer = tail[:4] == layout.KOLY
        seen = f"{length} bytes, {'a' if trailer else 'no'} trailer"
        holds = length == LENGTH and not trailer
        bench.saw("udrw-is-raw", f"look at {image.name}", seen, holds)


def _ends(path: Path) -> tuple[bytes, int, bytes]:
    with path.open("rb") as file:
        head = file.read(HEAD)
        length = file.seek(0, os.SEEK_END)
        file.seek(max(0, length - 512))
        return head, length, file.read(512)


def _udsp(bench: Bench) -> None:
    image = bench.made("hdiutil", "UDSP")
    head = image.path.read_bytes()[: layout.UDSP_NODE]
    bench.keep(f"head-of-{image.name}", head)
    found = layout.sparse_image(head)
    expected = {"version": 3, "band_sectors": BAND_SECTORS, "sectors": LENGTH // 512}
    _saw_fields(bench, "udsp-header", f"look at {image.name}", expected, found)


def _saw_fields(
    bench: Bench, statement: str, done: str, expected: layout.Fields, found: layout.Fields | None
) -> None:
    holds = found is not None and expected.items() <= found.items()
    bench.saw(statement, done, str(found or "no header"), holds)


def _udsb(bench: Bench, image: Image) -> None:
    done = f"look at {image.name}"
    names = sorted(path.name for path in image.path.iterdir())
    info = (image.path / "Info.plist").read_bytes() if "Info.plist" in names else b""
    bench.keep(f"info-of-{image.path.stem}", info)
    keys = inventory.read_keys(info)
    version = keys.get("bundle-backingstore-version")
    wanted = {"band-size", "size", "diskimage-bundle-type", "bundle-backingstore-version"}
    holds = wanted <= set(keys) and version in (1, 2) and keys.get("size") == LENGTH
    bench.saw("udsb-keys", done, str(keys), holds)
    seen, holds = f"{keys.get('band-size')} bytes", keys.get("band-size") == BUNDLE_BAND
    bench.saw("udsb-band-of-8-mib", done, seen, holds)
    backup = image.path / "Info.bckup"
    same = backup.exists() and inventory.read(backup.read_bytes()) == keys
    bands = [one.name for one in (image.path / "bands").glob("*")]
    hexadecimal = all(name == f"{int(name, 16):x}" for name in bands if _is_hexadecimal(name))
    holds = (
        {"Info.plist", "Info.bckup", "token", "bands"} <= set(names)
        and same
        and hexadecimal
        and all(map(_is_hexadecimal, bands))
    )
    seen = f"{', '.join(names)}; {len(bands)} bands"
    bench.saw("udsb-files", done, seen, holds)


def _is_hexadecimal(name: str) -> bool:
    return bool(name) and set(name) <= set("0123456789abcdef")


def _other_bands(bench: Bench) -> None:
    image, answer = bench.create("hdiutil", "UDSB", name="udsb-of-1-mib", band=OTHER_BAND)
    if answer.is_good and image.path.is_dir():
        keys = inventory.read_keys((image.path / "Info.plist").read_bytes())
        found = keys.get("band-size")
        seen, holds = f"{found} bytes", found == OTHER_BAND
    else:
        seen, holds = answer.message, False
    done = f"hdiutil: a new UDSB with sparse-band-size={OTHER_BAND // 512}"
    bench.saw("udsb-band-of-8-mib", done, seen, holds)


def asif(bench: Bench) -> None:
    """Header, directories and metadata of a new ASIF image, and one of an odd length."""
    image = bench.made("diskutil", "ASIF")
    with image.path.open("rb") as file:
        head = file.read(FIRST_MEGABYTE)
    bench.keep(f"first-megabyte-of-{image.name}", head)
    found = layout.asif(head)
    expected = {
        "version": 1,
        "header_bytes": layout.ASIF_HEADER,
        "chunk_bytes": layout.CHUNK,
        "block_bytes": 512,
        "segments": 0,
    }
    done = "look at a new ASIF"
    _saw_fields(bench, "asif-header", done, expected, found)
    if found is None:
        raise UnseenError("its header is unknown")
    directories = [found["first_directory"], found["second_directory"]]
    sequences = [_number(image.path, at) for at in directories]
    holds = None not in sequences and sequences[0] != sequences[1]
    seen = f"at {directories}, sequence numbers {sequences}"
    bench.saw("asif-directories", done, seen, holds)
    _metadata(bench, image, done)
    _odd_length(bench)
    _blocks(bench, found["block_bytes"])


def _number(path: Path, at: int) -> int | None:
    with path.open("rb") as file:
        file.seek(at)
        read = file.read(8)
    return struct.unpack(">Q", read)[0] if len(read) == 8 else None


def _metadata(bench: Bench, image: Image, done: str) -> None:
    # its offset is in a table; it is searched at the start of each chunk
    found = None
    with image.path.open("rb") as file:
        for at in range(0, image.path.stat().st_size, layout.CHUNK):
            file.seek(at)
            piece = file.read(HEAD)
            if piece[:4] == layout.META:
                bench.keep("metadata-of-asif", piece)
                found = layout.metadata(piece)
                break
    seen = bench.cleaner.text(str(found)) if found else "none at the beginning of a chunk"
    bench.saw("asif-metadata", done, seen, found is not None)
    if bench.is_about("asif-layers"):
        parents = [word for word in str(found).lower().split() if "parent" in word]
        holds = None if found is None else not parents
        bench.saw("asif-layers", done, seen, holds)


def _odd_length(bench: Bench) -> None:
    length = LENGTH + 512
    image, answer = bench.create("diskutil", "ASIF", name="asif-of-odd-length", length=length)
    found = layout.asif(image.path.read_bytes()[:512]) if image.path.exists() else None
    if found is None:
        bench.cannot("asif-rounds-to-4096", answer.message)
        return
    bytes_of_it = found["sectors"] * found["block_bytes"]
    done = f"diskutil: a new ASIF of {length} bytes"
    holds = bytes_of_it == LENGTH + 4096
    bench.saw("asif-rounds-to-4096", done, f"{bytes_of_it} bytes", holds)


def _blocks(bench: Bench, found: int) -> None:
    if not bench.is_about("asif-of-4096-bytes"):
        return
    call = bench.programs.call
    told = call("help-create-asif", "diskutil", "image", "create", "blank", "--help")
    offers = "block" in told.text
    seen = f"blocks of {found} bytes, the help {'names' if offers else 'does not name'} blocks"
    done = "diskutil: a new ASIF, and its help"
    holds = found == 512 and not offers
    bench.saw("asif-of-4096-bytes", done, seen, holds)


def encrypted_layouts(bench: Bench) -> None:
    """The headers of encrypted images; the first megabyte of an encrypted ASIF."""
    for (tool, kind, encryption), image in bench.images.items():
        if encryption == "none":
            continue
        path = image.path / "token" if kind == "UDSB" else image.path
        with path.open("rb") as file:
            head = file.read(FIRST_MEGABYTE)
        done = f"look at {image.name}"
        known = layout.encrypted(head)
        seen = str(known or f"begins with {head[:8]!r}")
        if kind == "ASIF":
            bench.keep(f"first-megabyte-of-{image.name}", head)
            bench.saw("encrypted-asif", done, seen, known is not None)
        else:
            bench.keep(f"head-of-{image.name}", head[:HEAD])
            holds = known is not None and ENCRYPTED.items() <= known.items()
            # a bundle's bands have no header of their own
            holds = holds and (known["payload_bytes"] == 0) == (kind == "UDSB")
            bench.saw("encrypted-header", done, seen, holds)
        if known is None:
            continue
        holds = known["derivation"] == PBKDF2 and known["wrap"] in WRAPS
        holds = holds and 0 < known["rounds"] <= MOST_ROUNDS
        seen = f"derivation {known['derivation']}, {known['rounds']} rounds, "
        seen += f"wrap {known['wrap']:#x}"
        bench.saw("keys-are-wrapped-as-known", done, seen, holds)
        if tool == "diskutil":
            seen, holds = f"{known['key_bits']} bits", known["key_bits"] == 256
            bench.saw("diskutil-has-no-aes-128", done, seen, holds)


def sparse_nodes(bench: Bench) -> None:
    """A UDSP image with more bands than fit into its first node."""
    length = LENGTH_OF_TWO_NODES
    image, answer = bench.create("hdiutil", "UDSP", name="two-nodes", length=length, keep=False)
    if not answer.is_good:
        raise UnseenError(answer.message)
    bench.written_bytes += WRITTEN
    with bench.mounted(image) as attached, (attached.at / "file").open("wb") as file:
        for _ in range(WRITTEN // PIECE):
            file.write(os.urandom(PIECE))
    with image.path.open("rb") as file:
        first = file.read(layout.UDSP_NODE)
        found = layout.sparse_image(first)
        second = b""
        if found and found["next_node"]:
            file.seek(found["next_node"])
            second = file.read(layout.UDSP_NODE)
    bench.keep("first-node-of-udsp", first)
    bench.keep("second-node-of-udsp", second)
    seen = f"{found}; there: {second[:8]!r}"
    done = f"write {WRITTEN} bytes to a new UDSP"
    bench.saw("udsp-second-node", done, seen, second[:4] == layout.UDSP)
