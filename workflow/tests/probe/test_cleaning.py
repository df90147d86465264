"""Nothing that names a Mac or its user stays in what a probe keeps."""

import plistlib
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import quote
from xml.sax.saxutils import escape

import pytest

from probe import cleaning, inventory, report


@pytest.mark.parametrize(
    ("told", "what"),
    [
        (b"at /Users/jane/Desktop", "a home folder"),
        (b"C02XK1ZGJGH5 is its number", "a serial number"),
        (b"00:1b:63:84:45:e6", "a hardware address"),
        (b"exit code 16", None),
    ],
)
def test_what_a_record_must_not_say_a_capture_must_not_either(told, what):
    cleaner = cleaning.Cleaner(Path("/tmp/never"))
    assert cleaner.personal(told, is_text=True) == what
    if what:
        # found between the bytes of an image, too
        assert cleaner.personal(bytes(range(1, 32)) + told + b" " * 16 + b"\xff", False) == what


def test_why_tries_failed_is_told_without_names_and_every_try_is_counted():
    bench = SimpleNamespace(cleaner=cleaning.Cleaner(Path("/tmp/never"), ("jane",)))
    told = {"detach: held by jane": 2, "detach: held by Jane's Mac": 1, "detach: busy": 3}
    found = report._failures(bench, told)
    assert found.pop("detach: busy") == 3
    assert list(found.values()) == [3]
    assert "jane" not in str(found).lower()


def test_ids_become_words_and_kinds_of_partitions_keep_their_names():
    cleaner = cleaning.Cleaner(Path("/tmp/never"))
    first, second = "0A81F3B1-51D9-3335-B3E3-169C3640360D", "D2E5B1C2-8C1D-4E5F-9A67-0123456789AB"
    told = cleaner.text(f"{first} {second} {first} EF57347C-0000-11AA-AA11-00306543ECAC")
    assert told == "<id 1> <id 2> <id 1> <kind APFS container>"
    # what a program printed is kept to be read by programs
    kind = "EF57347C-0000-11AA-AA11-00306543ECAC"
    xml = "<plist><dict><key>{}</key><true/></dict></plist>"
    listed = cleaner.answer("diskutil", xml.format(f"{kind} {first} /tmp/never/a").encode())
    assert plistlib.loads(listed) == {f"{kind} <id 1> /<folder>/a": True}
    assert cleaner.personal(listed, is_text=True) is None
    assert cleaner.personal(second.encode(), is_text=True) == "the id of a device"
    assert cleaner.piece(b"\0" + first.encode()) == b"\0xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"


# as typed, and as a Mac may list it
COMPOSED, DECOMPOSED = "B\u00fcro J\u00f6rg", "Bu\u0308ro Jo\u0308rg"


def test_a_folder_and_a_name_with_umlauts_are_found_however_they_are_written():
    cleaner = cleaning.Cleaner(Path("/tmp", COMPOSED), (COMPOSED.split()[1],))
    for name in (COMPOSED, DECOMPOSED):
        assert cleaner.text(f"/tmp/{name}/a.dmg") == "/<folder>/a.dmg"
        assert cleaner.personal(f"by {name}".encode(), is_text=True)
    assert cleaner.personal(b"by Juri", is_text=True) is None


@pytest.mark.parametrize(
    ("told", "is_left_out"),
    [
        ("hdiutil: the image will be attached read-only", False),
        ("hdiutil: a will", True),
        ("owner: will of the staff", True),
        ("the folder will/images will be used", True),
        ("<string>will</string>", True),
        ("it cannot be said goodwill", False),
        ("mounted by may", True),
    ],
)
def test_a_name_that_is_an_english_word_is_only_a_word_within_a_sentence(told, is_left_out):
    cleaner = cleaning.Cleaner(Path("/tmp/never"), ("will", "may"))
    assert (cleaner.personal(told.encode(), is_text=True) is not None) == is_left_out


def test_our_images_in_a_folder_with_umlauts_are_known_however_a_mac_lists_them():
    cleaner = cleaning.Cleaner(Path("/tmp", COMPOSED))
    for name in (COMPOSED, DECOMPOSED):
        listed = {"images": [{"image-path": f"/tmp/{at}/a.dmg"} for at in (name, "other")]}
        kept = plistlib.loads(cleaner.answer("hdiutil", plistlib.dumps(listed)))
        assert kept == {"images": [{"image-path": "/<folder>/a.dmg"}]}
        media = {"BSD Name": "disk9", "Whole": True}
        url = f"file:///tmp/{quote(name)}/a.dmg"
        registry = [{"DiskImageURL": url, "IORegistryEntryChildren": [media]}]
        kept = plistlib.loads(cleaner.answer("ioreg", plistlib.dumps(registry)))
        assert kept == [registry[0] | {"DiskImageURL": "file:///<folder>/a.dmg"}]
        assert inventory.path_of(url) == inventory.known(Path("/tmp", COMPOSED, "a.dmg"))


def test_a_text_with_half_of_a_folder_s_path_is_searched_at_once():
    cleaner = cleaning.Cleaner(Path("/tmp/a-folder-with-a-long-name/diskbench"))
    text = "/tmp/a-folder-with-a-long-name/another\n" + "-" * 80
    assert cleaner.text(text) == text


@pytest.mark.parametrize("name", ["Huber & Sohn (2)", COMPOSED, "100% a+b"])
@pytest.mark.parametrize("spelt", [str, escape, quote, lambda path: escape(quote(path, "/&+()"))])
def test_a_folder_is_found_in_urls_and_in_property_lists(name, spelt):
    cleaner = cleaning.Cleaner(Path("/tmp", name))
    told = f"<plist><string>{spelt(f'/tmp/{name}/a.dmg')}</string>".encode()
    cleaned = b"<plist><string>/&lt;folder&gt;/a.dmg</string>"
    assert cleaner.answer("hdiutil", told) == cleaned
    assert cleaner.text(told.decode()) == "<plist><string>/<folder>/a.dmg</string>"


@pytest.mark.parametrize("spelt", [str, escape, quote])
def test_a_name_of_the_user_is_found_in_urls_and_in_property_lists(spelt):
    cleaner = cleaning.Cleaner(Path("/tmp/never"), ("R&D-Mac", "J\u00f6rg"))
    for name in cleaner.names:
        assert cleaner.personal(f"at {spelt(name)}/x".encode(), True), name
    assert cleaner.personal(b"at%20Juri", True) is None


# what `diskutil info -plist` says of a volume, the system's data, a partition, a disk, our volume
def told_of(identifier, **keys):
    return plistlib.dumps({"DeviceIdentifier": identifier, "WholeDisk": False} | keys)


NAMED = {
    "a volume": told_of("disk5s1", VolumeName="Kanzlei", IORegistryEntryName="Kanzlei"),
    "in the registry alone": told_of("disk3s5", IORegistryEntryName="Kanzlei - Data"),
    "a partition": told_of("disk5s2", MediaName="Kanzlei"),
    "a disk without partitions": told_of("disk6", WholeDisk=True, VolumeName="Kanzlei"),
}
UNNAMED = (
    told_of("disk0", WholeDisk=True, IORegistryEntryName="APPLE SSD Media", MediaName="APPLE SSD"),
    told_of("disk9s1", VolumeName="diskbench", IORegistryEntryName="diskbench", MediaName=""),
)


@pytest.mark.parametrize("told", NAMED.values(), ids=NAMED)
def test_a_volume_s_name_is_replaced_wherever_diskutil_says_it(tmp_path, told):
    clean = cleaning.Cleaner(tmp_path)
    assert clean.personal(told, True) == "the name of a volume"
    cleaned = clean.answer("diskutil", told)
    assert b"Kanzlei" not in cleaned
    assert clean.personal(cleaned, True) is None
    kept, before = plistlib.loads(cleaned), plistlib.loads(told)
    assert kept.keys() == before.keys()
    assert {kept[key] for key in kept if kept[key] != before[key]} == {"<volume>"}


@pytest.mark.parametrize("told", UNNAMED)
def test_models_of_disks_and_volumes_of_our_images_keep_their_names(tmp_path, told):
    clean = cleaning.Cleaner(tmp_path)
    assert clean.answer("diskutil", told) == told
    assert clean.personal(told, True) is None


@pytest.fixture
def mac_of_tim(monkeypatch):
    """The names on the Mac of a user with short names."""
    entry = SimpleNamespace(pw_name="tim", pw_gecos="Tim Li,,")
    monkeypatch.setattr(cleaning.pwd, "getpwuid", lambda _: entry)
    monkeypatch.setattr(cleaning.getpass, "getuser", lambda: "tim")
    monkeypatch.setattr(cleaning.socket, "gethostname", lambda: "Tims-MBP.local")
    return cleaning.Cleaner(Path("/tmp/never"), cleaning.names_here())


@pytest.mark.parametrize(
    ("told", "is_left_out"),
    [
        ("/dev/disk4s1 on /mnt (apfs, local, mounted by tim)", True),
        ("<string>Tim Li</string>", True),
        ("Tims MacBook Pro", True),
        ("Tims-MBP", True),
        ("the li of a list, 12 times, timed at a time", False),
        ("tims", False),
    ],
)
def test_a_short_name_of_the_user_is_found_as_a_word(mac_of_tim, told, is_left_out):
    assert (mac_of_tim.personal(told.encode(), is_text=True) is not None) == is_left_out


def test_what_a_user_calls_a_disk_is_replaced(tmp_path):
    clean = cleaning.Cleaner(tmp_path)
    df = "disk8s2  1 1 1  1%   /Volumes/Holiday 2019\ndisk3s5 1 1 1  1%   /System/Volumes/Data\n"
    assert clean.personal(clean.answer("df", df.encode()), True) is None
    assert clean.text(df) == df.replace("/Volumes/Holiday 2019", "/<volume>")
    told = b"<plist><key>VolumeName</key>\n<string>Holiday</string>\n"
    assert clean.answer("diskutil", told) == told.replace(b"Holiday", b"&lt;volume&gt;")
    ours = told.replace(b"Holiday", b"diskbench")
    assert clean.answer("diskutil", ours) == ours
