"""The end of a study names what failed, was skipped, is missing or damaged."""

from pathlib import Path

from study.summary import summarise


def test_every_planned_cell_is_accounted_for(tmp_path, signed):
    def record(name, **content):
        path = tmp_path / f"{name}.json"
        path.write_text(signed({"cell": {}, "samples": []} | content), encoding="utf-8")
        return path

    damaged = tmp_path / "damaged.json"
    damaged.write_text('{"status"', encoding="utf-8")
    summary = summarise(
        {
            "good": record("good", status="measured", reason=None),
            "bad": record("bad", status="failed", reason="No space left on device"),
            "odd": record("odd", status="skipped", reason="this system cannot create ASIF"),
            "torn": damaged,
            "none": tmp_path / "none.json",
        },
        tmp_path,
    )
    assert (summary.planned, summary.measured) == (5, 1)
    assert summary.failed == [("bad", "No space left on device")]
    assert summary.skipped == [("odd", "this system cannot create ASIF")]
    assert summary.damaged == ["torn"]
    assert summary.missing == ["none"]
    assert "failed: bad: No space left on device" in summary.lines()
    assert "1 of 5 cells measured, 1 skipped, 1 failed" in summary.lines()


def test_where_nothing_was_planned_the_summary_says_so_instead_of_counting():
    assert summarise({}, Path()).lines() == [
        "nothing was to be measured: the site shows the records that are there"
    ]
