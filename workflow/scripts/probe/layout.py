"""Parses the beginning of an image, enough to compare it with its description.

The fields are those of core/diskimage, which reads and writes images.
"""

import plistlib
import struct
from dataclasses import dataclass
from typing import Any

ENCRYPTED = b"encrcdsa"
KOLY = b"koly"
UDSP = b"sprs"
ASIF = b"shdw"
META = b"meta"

UDSP_NODE = 4096
ASIF_HEADER = 512
CHUNK = 1 << 20


@dataclass(frozen=True)
class Encrypted:
    """The header of an encrypted image, and its first passphrase."""

    version: int
    key_bits: int
    block_bytes: int
    payload_bytes: int
    payload_at: int
    protectors: int
    kind: int
    derivation: int
    rounds: int
    wrap: int


def encrypted(head: bytes) -> Encrypted | None:
    """The header of an encrypted image; None if there is none."""
    if head[:8] != ENCRYPTED or len(head) < 0x60:
        return None
    version, _, _, _, key_bits = struct.unpack_from(">5I", head, 8)
    (block_bytes,) = struct.unpack_from(">I", head, 0x34)
    payload_bytes, payload_at, protectors, kind = struct.unpack_from(">QQII", head, 0x38)
    (at,) = struct.unpack_from(">Q", head, 0x50)
    derivation = rounds = wrap = 0
    if at + 0x60 <= len(head):
        derivation, _, rounds = struct.unpack_from(">3I", head, at)
        (wrap,) = struct.unpack_from(">I", head, at + 0x58)
    return Encrypted(
        version,
        key_bits,
        block_bytes,
        payload_bytes,
        payload_at,
        protectors,
        kind,
        derivation,
        rounds,
        wrap,
    )


@dataclass(frozen=True)
class SparseImage:
    """The first node of a UDSP image."""

    version: int
    band_sectors: int
    sectors: int
    next_node: int


def sparse_image(head: bytes) -> SparseImage | None:
    """The first node of a UDSP image; None if there is none."""
    if head[:4] != UDSP or len(head) < 64:
        return None
    version, band_sectors = struct.unpack_from(">2I", head, 4)
    next_node, sectors = struct.unpack_from(">2Q", head, 20)
    return SparseImage(version, band_sectors, sectors, next_node)


@dataclass(frozen=True)
class Asif:
    """The header of an ASIF image."""

    version: int
    header_bytes: int
    directories: tuple[int, int]
    sectors: int
    most_sectors: int
    chunk_bytes: int
    block_bytes: int
    segments: int
    metadata_chunk: int


def asif(head: bytes) -> Asif | None:
    """The header of an ASIF image; None if there is none."""
    if head[:4] != ASIF or len(head) < 0x50:
        return None
    version, header_bytes, _ = struct.unpack_from(">3I", head, 4)
    directories = struct.unpack_from(">2Q", head, 0x10)
    sectors, most = struct.unpack_from(">2Q", head, 0x30)
    chunk, block, segments = struct.unpack_from(">IHH", head, 0x40)
    (metadata,) = struct.unpack_from(">Q", head, 0x48)
    return Asif(version, header_bytes, directories, sectors, most, chunk, block, segments, metadata)


def metadata(chunk: bytes) -> dict[str, Any] | None:
    """The property list in a metadata block of ASIF; None if there is none."""
    if chunk[:4] != META or len(chunk) < 0x14:
        return None
    # followed by a length or an offset (core: asif/metadata.rs); zeros end the list
    (begins,) = struct.unpack_from(">I", chunk, 8)
    try:
        found = plistlib.loads(chunk[begins:].split(b"\0")[0])
    # plistlib passes on exceptions of its parsers
    except Exception:
        return None
    return found if isinstance(found, dict) else None
