"""The differences between two reports, by answer and by image header."""

import struct

import pytest

from probe.report import Found
from probe.taking_in import compare


@pytest.mark.parametrize(
    ("one", "other", "told"),
    [
        (b"disk4 ejected\n", b"disk17 ejected\n", []),
        (b"a  b\n", b"a b\n", []),
        (b"yes\n", b"no\n", ["only the first: yes", "only the second: no"]),
        (
            b"<plist><dict><key>a</key><integer>1</integer></dict></plist>",
            b"<plist><dict><key>a</key><integer>2</integer></dict></plist>",
            [],
        ),
        (
            b"<plist><dict><key>a</key><integer>1</integer></dict></plist>",
            b"<plist><dict><key>a</key><string>x</string></dict></plist>",
            ["only the first: /a: int", "only the second: /a = x"],
        ),
    ],
)
def test_numbers_differ_from_mac_to_mac_and_words_and_keys_do_not(one, other, told):
    assert list(compare._of_texts(one, other)) == told


def told_of(stdout, left_out=None):
    """A report of one answer."""
    stream = {"file": "captures/a", "left_out": left_out}
    nothing = {"file": None, "left_out": None}
    answer = {"name": "a", "code": 0, "ended": "exited", "stdout": stream, "stderr": nothing}
    return Found({"answers": [answer], "images": []}, {"captures/a": stdout})


def test_five_differing_lines_of_an_answer_are_listed_and_the_rest_counted():
    first, second = told_of(b"a\nb\nc\nd\n"), told_of(b"e\nf\ng\n")
    found = compare.differences(first, second)["a"]
    assert len(found) == 6
    assert "stdout: and 2 more" in found


def test_parts_left_out_of_one_report_are_not_differences():
    assert compare.differences(told_of(b"a\n", "no room"), told_of(b"b\n")) == {}


def head(version=3):
    """How a sparse image begins: its mark, the version, the sectors of a band."""
    return struct.pack(">4sII", b"sprs", version, 2048).ljust(64, b"\0")


@pytest.mark.parametrize(
    ("one", "other", "told"),
    [
        (head(), head(), []),
        (head(), head(version=4), ["version 3, 4"]),
        (head(), b"no image", ["sparse_image: only the first is one"]),
        (b"no image", head(), ["sparse_image: only the second is one"]),
        # the Info.plist of a bundle
        (
            b'<?xml version="1.0"?><plist><dict><key>size</key><string>a</string></dict></plist>',
            b'<?xml version="1.0"?><plist><dict><key>size</key><string>b</string></dict></plist>',
            ["only the first: /size = a", "only the second: /size = b"],
        ),
        (b"<?xml?>", b"text", ["only the first: <?xml?>", "only the second: text"]),
        (b"text", b"<?xml?>", ["only the first: text", "only the second: <?xml?>"]),
    ],
)
def test_heads_of_images_are_compared_field_by_field(one, other, told):
    assert list(compare._of_heads(one, other)) == told
