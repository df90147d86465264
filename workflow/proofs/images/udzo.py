"""A compressed image (UDZO), written as `diskimage::udif` describes it: no tool here makes one."""

import plistlib
import struct
import zlib
from pathlib import Path

SECTOR = 512
# As hdiutil packs by default.
BLOCK_BYTES = 1 << 20
ZEROS, ZLIB, END = 0, 0x8000_0005, 0xFFFF_FFFF


def write(disk: Path, image: Path) -> None:
    """Pack a disk of whole blocks; half of each block of data is zeros, so that there is work."""
    rows, crc_of_disk, crc_of_data = [], 0, 0
    sectors = BLOCK_BYTES // SECTOR
    with disk.open("rb") as source, image.open("wb") as made:
        while block := source.read(BLOCK_BYTES):
            first, at = len(rows) * sectors, made.tell()
            if block.count(0) == len(block):
                rows.append((ZEROS, 0, first, sectors, at, 0))
            else:
                # random bytes cannot be packed, so that every other 256 of them are zeros
                block = b"".join(
                    block[part : part + 256] + bytes(256) for part in range(0, len(block), 512)
                )
                packed = zlib.compress(block)
                made.write(packed)
                crc_of_data = zlib.crc32(packed, crc_of_data)
                rows.append((ZLIB, 0, first, sectors, at, len(packed)))
            crc_of_disk = zlib.crc32(block, crc_of_disk)
        length, all_sectors = made.tell(), len(rows) * sectors
        rows.append((END, 0, all_sectors, 0, length, 0))
        table = b"mish" + struct.pack(">IQQQ", 1, 0, all_sectors, 0)
        table = table.ljust(64, b"\0") + _checksum(crc_of_disk)
        table = table.ljust(200, b"\0") + struct.pack(">I", len(rows))
        table += b"".join(struct.pack(">IIQQQQ", *row) for row in rows)
        blkx = {"Attributes": "0x0050", "Data": table, "ID": "0", "Name": "whole disk (unknown)"}
        listed = plistlib.dumps({"resource-fork": {"blkx": [blkx]}})
        made.write(listed)
        made.write(_trailer(length, len(listed), all_sectors, crc_of_data, crc_of_disk))


def _checksum(crc: int) -> bytes:
    """CRC-32 (kind 2) of 32 bits."""
    return struct.pack(">III", 2, 32, crc)


def _trailer(length: int, listed: int, sectors: int, of_data: int, of_disk: int) -> bytes:
    trailer = bytearray(SECTOR)
    fields = {
        0: struct.pack(">4sIII", b"koly", 4, SECTOR, 1),
        32: struct.pack(">Q", length),
        80: _checksum(of_data),
        216: struct.pack(">QQ", length, listed),
        # the checksum of the checksums of all tables
        352: _checksum(zlib.crc32(struct.pack(">I", of_disk))),
        492: struct.pack(">Q", sectors),
    }
    for at, field in fields.items():
        trailer[at : at + len(field)] = field
    return bytes(trailer)
