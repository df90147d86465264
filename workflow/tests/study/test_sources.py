"""A step is repeated exactly if its sources change."""

from pathlib import Path

from study.sources import files_below, missing_engine, sources_of_the_core

PROJECT = Path(__file__).parents[3]


def test_what_steps_leave_beside_their_sources_is_no_source(tmp_path):
    for name in (
        "index.qmd",
        "index.html",
        "index.quarto_ipynb",
        "_site/index.html",
        "lib/__pycache__/a.pyc",
        "lib/.DS_Store",
        "assets/charts/vega.js",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert files_below(tmp_path, "*") == [str(tmp_path / "index.qmd")]


def test_a_part_of_pages_is_a_source_though_it_is_html(tmp_path):
    (tmp_path / "header.html").touch()
    assert files_below(tmp_path, "*") == [str(tmp_path / "header.html")]


def test_the_core_is_made_from_its_three_crates():
    sources = [
        Path(path).relative_to(PROJECT).as_posix() for path in sources_of_the_core(PROJECT / "core")
    ]
    for crate in ("diskbench-core", "diskimage", "system"):
        assert {f"core/{crate}/Cargo.toml", f"core/{crate}/src/lib.rs"} <= set(sources)
    assert not [path for path in sources if "/target/" in path or "/fuzz/" in path]


def test_a_missing_engine_is_tried_again_by_each_call(tmp_path):
    state = tmp_path / "engine.json"
    assert missing_engine(state, "call 1") == ""  # not tried yet: the site is due anyway
    state.write_text('{"parts": 7, "made_from": "abc"}', encoding="utf-8")
    assert missing_engine(state, "call 2") == ""
    state.write_text('{"missing": "npm is missing"}', encoding="utf-8")
    assert missing_engine(state, "call 3") == "call 3"
