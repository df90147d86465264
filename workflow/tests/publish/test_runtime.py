"""The file that draws charts is made once per version."""

import pytest

from lib import runtime


@pytest.fixture
def made(tmp_path, monkeypatch):
    """Where it is made, and with what."""
    monkeypatch.setattr(runtime, "RUNTIME", tmp_path / "charts" / "vega.js")
    use(monkeypatch, "1.9", "draws")
    return runtime.RUNTIME


def use(monkeypatch, version, text):
    monkeypatch.setattr(runtime, "version", lambda package: version)
    monkeypatch.setattr(runtime.vl_convert, "javascript_bundle", lambda: text)


def test_it_is_made_where_it_is_missing_and_nothing_else_is_left(made):
    runtime.make()
    assert made.read_text(encoding="utf-8").splitlines()[1:] == ["draws"]
    assert list(made.parent.iterdir()) == [made]


def test_what_the_same_version_made_is_not_made_again(made, monkeypatch):
    runtime.make()
    before = made.stat().st_mtime_ns
    monkeypatch.setattr(runtime.vl_convert, "javascript_bundle", None)
    runtime.make()
    assert made.stat().st_mtime_ns == before


def test_another_version_makes_it_anew(made, monkeypatch):
    runtime.make()
    use(monkeypatch, "1.10", "draws better")
    runtime.make()
    assert made.read_text(encoding="utf-8").splitlines()[1:] == ["draws better"]


@pytest.mark.parametrize("torn", [b"", b"// vl-con", b"\xff\xfe\x00"])
def test_what_is_torn_is_made_anew(made, torn):
    made.parent.mkdir()
    made.write_bytes(torn)
    runtime.make()
    assert made.read_text(encoding="utf-8").splitlines()[1:] == ["draws"]
