"""The file that draws charts is made once per version."""

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
    assert made.read_text(encoding="utf-8").splitlines()[1:] == ["draws"]
    assert list(made.parent.iterdir()) == [made]
    monkeypatch.setattr(runtime.vl_convert, "javascript_bundle", None)
    runtime.make()


@pytest.mark.parametrize("other", [b"", b"// vl-con", b"\xff\xfe\x00", b"// vl-convert 1.10\nold"])
def test_what_is_torn_or_of_another_version_is_made_anew(made, other):
    made.parent.mkdir()
    made.write_bytes(other)
    runtime.make()
    assert made.read_text(encoding="utf-8").splitlines()[1:] == ["draws"]
