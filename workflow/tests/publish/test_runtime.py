"""The file that draws charts is made once per version."""

import re

import pytest

from lib import runtime


@pytest.fixture
def made(tmp_path, monkeypatch):
    """Where it is made, by version 1.9."""
    monkeypatch.setattr(runtime, "RUNTIME", tmp_path / "charts" / "vega.js")
    monkeypatch.setattr(runtime, "version", lambda package: "1.9")
    monkeypatch.setattr(runtime.vl_convert, "javascript_bundle", lambda: "draws")
    return runtime.RUNTIME


def test_it_is_made_once_and_nothing_else_is_left(made, monkeypatch):
    runtime.make()
    first, *_, last = made.read_text(encoding="utf-8").splitlines()
    assert (first, last) == ("// vl-convert 1.9", "draws")
    assert list(made.parent.iterdir()) == [made]
    monkeypatch.setattr(runtime.vl_convert, "javascript_bundle", None)
    runtime.make()


def test_each_copy_of_vega_has_the_licences_of_what_is_in_it(made):
    runtime.make()
    _, head, _ = re.split(r"/\*!\n|\*/", made.read_text(encoding="utf-8"))
    assert "University of Washington Interactive Data Lab" in head
    for words in (
        "Redistributions in binary form must reproduce the above copyright",
        "this permission notice appear in all copies",
        "this permission notice shall be included in all",
    ):
        assert words in head


@pytest.mark.parametrize("other", [b"", b"// vl-con", b"\xff\xfe\x00", b"// vl-convert 1.9\nold"])
def test_what_is_torn_or_of_another_version_is_made_anew(made, other):
    made.parent.mkdir()
    made.write_bytes(other)
    runtime.make()
    assert made.read_text(encoding="utf-8").endswith("*/\ndraws")
