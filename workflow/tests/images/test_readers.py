"""What our images hold, others read: real file systems come back byte by byte."""

import plistlib
import random
import subprocess

import others
import pytest
from payloads import FORMATS, MIB, PASSPHRASE, PAYLOADS, tool


@pytest.mark.parametrize("name", PAYLOADS)
def test_a_udrw_is_the_bytes_of_the_disk(image, payload, name):
    others.assert_same(others.raw(image(name, "UDRW")), payload(name))


@pytest.mark.parametrize("name", PAYLOADS)
def test_libmodi_reads_a_udsp(image, payload, name):
    others.assert_same(others.modi(image(name, "UDSP")), payload(name))


@pytest.mark.parametrize("name", PAYLOADS)
def test_libmodi_reads_a_udsb(image, payload, name):
    others.assert_same(others.modi_bundle(image(name, "UDSB")), payload(name))


@pytest.mark.parametrize("name", PAYLOADS)
def test_dissect_reads_an_asif(image, payload, name):
    others.assert_same(others.dissect(image(name, "ASIF")), payload(name))


@pytest.mark.parametrize("name", PAYLOADS)
def test_a_reader_of_the_description_reads_a_udsp(image, payload, name):
    others.assert_same(others.sprs(image(name, "UDSP")), payload(name))


def test_7zip_lists_the_apfs_inside(image):
    # 7-Zip knows none of the sparse formats; what it lists here went through one and back to raw
    done = subprocess.run(
        [tool("7zz"), "l", "-tapfs", image("apfs", "UDRW")],
        check=True,
        capture_output=True,
        text=True,
    )
    assert "Type = APFS" in done.stdout
    assert "inside" in done.stdout


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


@pytest.fixture
def scattered(tmp_path):
    """A sparse disk of 1100 MiB with something in every MiB: more bands than one node of a UDSP has slots."""
    path = tmp_path / "scattered"
    with path.open("wb") as file:
        file.truncate(1100 * MIB)
        for number in range(1100):
            file.seek(number * MIB + number)
            file.write(b"%d" % number)
    return path


def test_a_udsp_of_two_nodes_is_read_by_its_description(diskbench, scattered, tmp_path):
    image = tmp_path / "two-nodes"
    diskbench("convert", scattered, image, "--to", "UDSP")
    assert image.stat().st_size > 1100 * MIB
    others.assert_same(others.sprs(image), scattered)


def test_libmodi_refuses_a_udsp_of_two_nodes(diskbench, scattered, tmp_path):
    # the limit that keeps it from being the proof of index nodes; were it gone, it should be used for that
    image = tmp_path / "two-nodes"
    diskbench("convert", scattered, image, "--to", "UDSP")
    with pytest.raises(OSError, match="bands"):
        for _ in others.modi(image):
            pass
