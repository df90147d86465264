"""The differences between two reports, by answer."""

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
