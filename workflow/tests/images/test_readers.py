"""Programs by others read our images: real file systems, compared byte by byte."""

import os
import plistlib
import random
import struct
import subprocess

import others
import pytest
from payloads import FORMATS, MIB, PASSPHRASE, PAYLOADS, tool

READERS = [
    ("UDRW", others.raw),
    ("UDSP", others.modi),
    ("UDSP", others.sprs),
    ("UDSB", others.modi_bundle),
    ("ASIF", others.dissect),
]


@pytest.mark.parametrize(("image_format", "read"), READERS)
@pytest.mark.parametrize("name", PAYLOADS)
def test_others_read_a_disk(image, payload, name, image_format, read):
    others.assert_same(read(image(name, image_format)), payload(name))


def test_a_file_in_a_fat_comes_back_through_every_format(diskbench, image, payload, tmp_path):
    mtype = tool("mtype")
    for image_format in FORMATS:
        back = tmp_path / f"{image_format}.raw"
        diskbench("convert", image("fat", image_format), back, "--to", "UDRW")
        found = subprocess.run(
            [mtype, "-i", back, "::LONG.BIN"], check=True, capture_output=True
        ).stdout
        assert found == random.Random(1).randbytes(5 * MIB + 77)


def test_a_disk_comes_back_from_a_chain_of_encrypted_images(diskbench, payload, tmp_path):
    line = PASSPHRASE + "\n"
    chain = [("UDSP", "AES-128"), ("UDSB", "AES-256"), ("ASIF", "AES-256"), ("UDRW", "AES-128")]
    source, lines, flags = payload("ext4"), "", []
    for image_format, cipher in chain:
        target = tmp_path / f"{image_format}.image"
        diskbench("convert", source, target, "--to", image_format, "--encryption", cipher,
                  *flags, "--new-passphrase-stdin", lines=lines + line)  # fmt: skip
        diskbench("check", target, "--passphrase-stdin", lines=line)
        source, lines, flags = target, line, ["--passphrase-stdin"]
    back = tmp_path / "back"
    diskbench("convert", source, back, "--to", "UDRW", *flags, lines=lines)
    others.assert_same(others.raw(back), payload("ext4"))


@pytest.mark.parametrize(("image_format", "read"), READERS)
@pytest.mark.parametrize("mebibytes", [35, 70])
def test_others_read_a_disk_that_was_made_longer(
    diskbench, payload, tmp_path, image_format, read, mebibytes
):
    path, longer = tmp_path / "image", tmp_path / "longer"
    diskbench("convert", payload("fat"), path, "--to", image_format, "--progress", "none")
    diskbench("resize", path, "--size", mebibytes * MIB)
    longer.write_bytes(payload("fat").read_bytes())
    os.truncate(longer, mebibytes * MIB)
    others.assert_same(read(path), longer)


def test_a_bundle_says_what_macos_says(image, payload):
    # keys and values of the bundles that macOS makes
    bundle = image("fat", "UDSB")
    description = (bundle / "Info.plist").read_bytes()
    assert (bundle / "Info.bckup").read_bytes() == description
    found = plistlib.loads(description)
    assert found["diskimage-bundle-type"] == "com.apple.diskimage.sparsebundle"
    assert found["CFBundleInfoDictionaryVersion"] == "6.0"
    assert found["band-size"] == 8 * MIB
    assert found["size"] == payload("fat").stat().st_size
    assert found["bundle-backingstore-version"] in (1, 2)
    assert (bundle / "token").stat().st_size == 0


def test_a_udsp_of_two_nodes_is_read_by_its_description(diskbench, tmp_path):
    # something in every MiB: more bands than one node has slots, which is the most that libmodi reads
    path, image = tmp_path / "disk", tmp_path / "two-nodes"
    with path.open("wb") as file:
        file.truncate(1100 * MIB)
        for number in range(1100):
            file.seek(number * MIB + number)
            file.write(b"%d" % number)
    diskbench("convert", path, image, "--to", "UDSP")
    assert image.stat().st_size > 1100 * MIB
    others.assert_same(others.sprs(image), path)


@pytest.fixture
def blocks_of_4096(tmp_path):
    """An ASIF with blocks of 4096 bytes by the description alone, and the bytes of its disk.

    Five chunks of random bytes, the last one of two blocks, lie in the file in another order. All
    are full: dissect looks at no bitmap.
    """
    content = random.Random(4096).randbytes(4 * MIB + 8192)
    per_table, tables = 7 * 4 * 4096, 37_450
    file = bytearray(10 * MIB)

    def put(place, layout, *values):
        struct.pack_into(layout, file, place, *values)

    put(0, ">4s3I2Q16s2QIHHQ", b"shdw", 1, 512, 0, 0x1000, 0x80000, bytes(16),
        len(content) // 4096, 2**40, MIB, 4096, 0, 2**32 - 1)  # fmt: skip
    put(0x1000, ">2Q", 1, 4)
    put(0x1000 + 8 * tables, ">Q", 1)
    # the metadata are the last chunk of all, and the last of the only group of the last table
    assert (2**32 - 1) // per_table == tables - 1
    assert (2**32 - 1) % per_table == 4 * 4096 - 1
    put(MIB + 8 * (4 * 4096 - 1), ">Q", 1 << 62 | 2)
    uuid = "dc5c7a3b-1915-43c2-944d-46c6c304b3b7"
    properties = plistlib.dumps({"internal metadata": {"stable uuid": uuid}, "user metadata": {}})
    put(2 * MIB, ">4sIIQ", b"meta", 1, 512, len(properties))
    file[2 * MIB + 512 : 2 * MIB + 512 + len(properties)] = properties
    for number, chunk in enumerate((8, 5, 9, 6, 7)):
        put(4 * MIB + 8 * number, ">Q", 1 << 62 | chunk)
        part = content[number * MIB : (number + 1) * MIB]
        file[chunk * MIB : chunk * MIB + len(part)] = part
    path = tmp_path / "blocks.asif"
    path.write_bytes(file)
    disk = tmp_path / "disk"
    disk.write_bytes(content)
    return path, disk


def test_an_asif_with_blocks_of_4096_bytes_is_read_as_dissect_reads_it(
    diskbench, blocks_of_4096, tmp_path
):
    path, disk = blocks_of_4096
    others.assert_same(others.dissect(path), disk)
    diskbench("check", path)
    diskbench("convert", path, tmp_path / "back", "--to", "UDRW")
    others.assert_same(others.raw(tmp_path / "back"), disk)


def test_dissect_reads_our_asif_with_blocks_of_4096_bytes(diskbench, blocks_of_4096, tmp_path):
    _, disk = blocks_of_4096
    ours = tmp_path / "ours.asif"
    diskbench("convert", disk, ours, "--to", "ASIF", "--block", "4096")
    # the size of a block, where huven/asif-format has it
    assert ours.read_bytes()[0x44:0x46] == (4096).to_bytes(2)
    others.assert_same(others.dissect(ours), disk)
