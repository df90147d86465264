"""Reads the fields at the beginning of an image, enough to compare it with its description.

The fields are those of core/diskimage, which reads and writes images.
"""

import struct
from typing import Any

from probe import inventory

KOLY = b"koly"
UDSP = b"sprs"
META = b"meta"

UDSP_NODE = 4096
ASIF_HEADER = 512
CHUNK = 1 << 20

Fields = dict[str, int]

# by field: its offset, and its kind as in `struct`; all are big-endian
ENCRYPTED_FIELDS = {
    "version": (8, "I"),
    "key_bits": (0x18, "I"),
    "block_bytes": (0x34, "I"),
    "payload_bytes": (0x38, "Q"),
    "payload_at": (0x40, "Q"),
    "protectors": (0x48, "I"),
    "kind": (0x4C, "I"),
    "protector_at": (0x50, "Q"),
}
# of the first passphrase, from where it begins
PROTECTOR_FIELDS = {"derivation": (0, "I"), "rounds": (8, "I"), "wrap": (0x58, "I")}
PROTECTOR_BYTES = 0x60
SPARSE_IMAGE_FIELDS = {
    "version": (4, "I"),
    "band_sectors": (8, "I"),
    "next_node": (20, "Q"),
    "sectors": (28, "Q"),
}
ASIF_FIELDS = {
    "version": (4, "I"),
    "header_bytes": (8, "I"),
    "first_directory": (0x10, "Q"),
    "second_directory": (0x18, "Q"),
    "sectors": (0x30, "Q"),
    "most_sectors": (0x38, "Q"),
    "chunk_bytes": (0x40, "I"),
    "block_bytes": (0x44, "H"),
    "segments": (0x46, "H"),
    "metadata_chunk": (0x48, "Q"),
}


def encrypted(head: bytes) -> Fields | None:
    """The header of an encrypted image, and its first passphrase; None if there is none."""
    found = _fields(head, b"encrcdsa", 0x60, ENCRYPTED_FIELDS)
    if found is None:
        return None
    protector = head[found["protector_at"] :]
    if len(protector) < PROTECTOR_BYTES:
        return found | dict.fromkeys(PROTECTOR_FIELDS, 0)
    return found | _read(protector, PROTECTOR_FIELDS)


def sparse_image(head: bytes) -> Fields | None:
    """The first node of a UDSP image; None if there is none."""
    return _fields(head, UDSP, 64, SPARSE_IMAGE_FIELDS)


def asif(head: bytes) -> Fields | None:
    """The header of an ASIF image; None if there is none."""
    return _fields(head, b"shdw", 0x50, ASIF_FIELDS)


def metadata(chunk: bytes) -> dict[str, Any] | None:
    """The property list in a metadata block of ASIF; None if there is none."""
    if chunk[:4] != META or len(chunk) < 0x14:
        return None
    # followed by a length or an offset (core: asif/metadata.rs); zeros end the list
    (begins,) = struct.unpack_from(">I", chunk, 8)
    return inventory.read_keys(chunk[begins:].split(b"\0")[0]) or None


def _fields(
    head: bytes, mark: bytes, least_bytes: int, fields: dict[str, tuple[int, str]]
) -> Fields | None:
    if not head.startswith(mark) or len(head) < least_bytes:
        return None
    return _read(head, fields)


def _read(head: bytes, fields: dict[str, tuple[int, str]]) -> Fields:
    return {
        name: struct.unpack_from(f">{kind}", head, at)[0] for name, (at, kind) in fields.items()
    }
