"""Formatting of figures, names and tables on pages."""

import json
import re
from pathlib import Path

import pandas as pd
import pytest
from rendered import Tables, text

import vocabulary
from lib import project, proofs, reasons, show, tables, words


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (10.11, "10.11"),
        (6.1, "6.10"),
        (0.057, "0.057"),
        (0.1, "0.10"),
        (0.0996, "0.10"),
        (0.0402, "0.040"),
        (0, "0.00"),
        (None, "not measured"),
    ],
)
def test_speeds_have_two_decimals_and_slow_ones_two_figures(value, written):
    assert words.gbps(value) == written


@pytest.mark.parametrize(
    ("octets", "written"),
    [
        (0, "0 bytes"),
        (4096, "4.1 kB"),
        (5_780_000, "5.78 MB"),
        (32_000_000, "32 MB"),
        (3_990_000_000, "3.99 GB"),
        (100_000_000_000, "100 GB"),
        (2_000_000_000_000, "2 TB"),
        (-700_000_000, "\u2212700 MB"),
        (float("nan"), "not measured"),
    ],
)
def test_sizes_are_decimal_with_three_figures(octets, written):
    assert words.size(octets) == written


@pytest.mark.parametrize(
    ("part", "written"),
    [
        (1, "100 %"),
        (0.006, "1 %"),
        (39 / 24_480, "0.2 %"),
        (-0.002, "-0.2 %"),
        (0.0001, "less than 0.1 %"),
        (0, "0 %"),
        (None, ""),
    ],
)
def test_a_part_is_0_per_cent_only_where_there_is_none(part, written):
    assert words.percent(part).replace("\u00a0", " ") == written


@pytest.mark.parametrize(
    ("driver", "stand_in", "served"),
    [
        ("apple", False, "macOS 27.0 (26A5): images served by macOS (driver apple)"),
        (
            "apple",
            True,
            "macOS 27.0 (26A5) (stand-in, no Mac): images served by programs that imitate those of "
            "macOS (driver apple)",
        ),
        ("native", True, "macOS 27.0 (26A5) (stand-in, no Mac): the SSD itself (driver native)"),
    ],
)
def test_images_of_a_stand_in_are_not_said_to_be_served_by_macos(driver, stand_in, served):
    told = words.driver("mac-mini-m4-pro", "macos-27.0-26A5", driver, stand_in)
    assert told == f"Mac mini M4 Pro, {served}"


@pytest.mark.parametrize(
    ("release", "encryption", "named"),
    [
        ("macos-27.0-26A5", "none", "the SSD itself"),
        ("macos-27.0-26A5", "FileVault", "the SSD itself, FileVault"),
        ("debian-12-6.1", "none", "the disk itself"),
    ],
)
def test_files_without_an_image_are_of_the_ssd_itself_and_elsewhere_of_the_disk(
    release, encryption, named
):
    cell = {"release": release, "format": "native", "encryption": encryption, "driver": "native"}
    assert words.image_of(cell | {"band_bytes": None}) == named


def columns(**headings: str) -> list[tables.Column]:
    """A column for each key of the rows, under its heading."""
    return [tables.text(heading, key) for key, heading in headings.items()]


def test_what_stands_in_a_table_is_text_and_never_markup():
    shown = tables.table(
        [
            {"t": "&", "a": '<b> & "c"', "b": 1},
            {"t": "", "a": None, "b": 2},
            {"t": "", "a": tables.Markup("<i>d</i>"), "b": 3},
        ],
        columns(t="T", a="A <x>", b="B"),
        "One > two",
    ).bundle["text/markdown"]
    assert '<td data-heading="A &lt;x&gt;">&lt;b&gt; &amp; "c"</td>' in shown
    assert '<td data-heading="A &lt;x&gt;"></td>' in shown
    assert '<td data-heading="A &lt;x&gt;"><i>d</i></td>' in shown
    # the title of a row's block on a narrow screen has no heading there
    assert '<tr><th scope="row">&amp;</th> ' in shown
    assert '<th scope="col">A &lt;x&gt;</th>' in shown
    assert "<caption>One &gt; two</caption>" in shown
    assert shown.startswith("```{=html}\n")
    assert shown.endswith("\n```")


def test_a_table_of_three_columns_is_stacked_on_a_narrow_screen_and_one_of_two_is_not():
    for count, kind in ((2, "table"), (3, "table stacked")):
        shown = text(tables.table([{"a": 1}], [tables.text("A", "a")] * count, "c"))
        assert f'<table class="{kind}">' in shown


def test_neighbouring_rows_share_the_cells_they_have_in_common():
    rows = [{"k": 1, "a": "x", "b": n} for n in (1, 2)] + [{"k": 2, "a": "x", "b": 3}]
    three = [tables.text("A", "a", common=True), tables.text("B", "b"), tables.text("C", "b")]
    shown = text(tables.table(rows, three, "c", block="k"))
    a, b, c = (f' data-heading="{heading}"' for heading in "ABC")
    together = (
        f'<tr><th rowspan="2" scope="row"{a}>x</th> <td{b}>1</td> <td{c}>1</td></tr>\n'
        f'<tr class="more"><td{b}>2</td> <td{c}>2</td></tr>'
    )
    assert together in shown
    assert f'<tr><th scope="row"{a}>x</th> <td{b}>3</td> <td{c}>3</td></tr>' in shown


def test_a_heading_is_of_the_rows_of_its_own_group():
    rows = [{"g": g, "a": g + n} for g in "xy" for n in "12"]
    shown = text(tables.table(rows, columns(a="A"), "c", heading="g"))
    _, *groups = shown.split("<tbody>")
    for group, name in zip(groups, "xy", strict=True):
        head, *body = group.partition("</tbody>")[0].strip().splitlines()
        assert head == f'<tr class="heading"><th scope="rowgroup" colspan="1">{name}</th></tr>'
        assert body == [f'<tr><th scope="row">{name}{n}</th></tr>' for n in "12"]


def test_headings_over_several_columns_stand_in_a_row_of_their_own():
    shown = tables.table(
        [{"a": "x", "b": 1, "c": 2}],
        [
            tables.text("A", "a"),
            tables.text("write", "b", over="Published <1>"),
            tables.text("read", "c", over="Published <1>"),
        ],
        "c",
    ).bundle["text/markdown"]
    assert '<colgroup span="1"></colgroup>\n<colgroup span="2"></colgroup>\n<thead>' in shown
    assert (
        '<tr><th scope="col" rowspan="2">A</th> '
        '<th scope="colgroup" colspan="2">Published &lt;1&gt;</th></tr>\n'
        '<tr class="more"><th scope="col">write</th> <th scope="col">read</th></tr>\n</thead>'
    ) in shown
    # alone on a narrow screen, a cell says both
    assert '<td data-heading="Published &lt;1&gt; write">1</td>' in shown


def test_equal_notes_have_one_letter_and_are_listed_once():
    notes = tables.Notes()
    rows = [{"a": notes.on("x", "it is <implied>"), "b": notes.on("<y>", "a picture")}]
    rows += [{"a": notes.on("z", "it is <implied>"), "b": notes.on(3, None)}]
    shown = text(tables.table(rows, columns(a="A", b="B"), "c", notes=notes))
    assert '<tr><th scope="row">x<sup>a</sup></th> <td>&lt;y&gt;<sup>b</sup></td></tr>' in shown
    assert '<tr><th scope="row">z<sup>a</sup></th> <td>3</td></tr>' in shown
    below = (
        '<ol class="notes" type="a">\n<li>It is &lt;implied&gt;.</li>\n<li>A picture.</li>\n</ol>'
    )
    assert f"</table>\n{below}\n</div>" in shown
    # after z they go on in two letters
    notes = tables.Notes()
    marks = [notes.on("", f"note {number}") for number in range(54)]
    assert [marks[at] for at in (25, 26, 52)] == ["<sup>z</sup>", "<sup>aa</sup>", "<sup>ba</sup>"]


def test_a_data_frame_becomes_a_markdown_table_with_its_marks_escaped_or_says_why_not():
    shown = text(tables.frame(pd.DataFrame({"n": [], "t": []})))
    assert shown.startswith("*No rows.*")
    assert "only those of a Mac" in shown
    assert "|" not in shown
    shown = tables.frame(pd.DataFrame({"n": [1.23456, None], "t": ["a|b_c", "<x>"]}))
    lines = shown.bundle["text/markdown"].splitlines()
    assert lines[0] == "| n | t |"
    assert lines[1].replace("-", "") == "| : | : |"
    assert lines[2] == "| 1.235 | a\\|b\\_c |"
    assert lines[3] == "| \u2013 | \\<x> |"


def test_a_reason_on_a_page_is_in_few_words_and_names_what_the_row_has():
    row = {
        "tool": "Blackmagic",
        "protocol": "usage-phases",
        "scale": "gold",
        "measured_scale": "half",
    }
    codes = ("other-tool", "smoke", "other-protocol", "other-scale")
    assert reasons.few(codes, row) == [
        "smoke scale",
        "another tool (Blackmagic)",
        "another protocol than usage phases",
        "scale half, not gold",
    ]
    assert reasons.few(None) == []
    # each has words that such a row can fill
    assert all(reasons.few((code,), row) for code in words.REASONS)


@pytest.mark.parametrize(
    ("said", "markdown"),
    [
        ("a_b *c* [d]", "a\\_b \\*c\\* \\[d]"),
        # what can be typed must be found on the page as it is typed, with both hyphens
        ("run `a --config b_c=d` in one", "run `a --config b_c=d` in one"),
        ("run a --config", "run a \\-\\-config"),
        ("a ` alone", "a \\` alone"),
    ],
)
def test_texts_of_a_record_are_unchanged_in_markdown(said, markdown):
    assert show.plain(said) == markdown


@pytest.mark.parametrize(
    ("image", "written"),
    [
        (("ASIF", "none", "apple"), "ASIF"),
        (("ASIF", "AES-256", "apple"), "ASIF AES-256"),
        (("ASIF", "unstated", "apple"), "ASIF, encryption not stated"),
        (("ASIF", "none", "portable", 4096.0), "ASIF, blocks of 4 KiB"),
        (("UDSB", "none", "apple", float("nan")), "sparse bundle (UDSB)"),
        (
            ("UDSB", "AES-256", "apple", float(2 << 30)),
            "sparse bundle (UDSB) AES-256, bands of 2 GiB",
        ),
    ],
)
def test_an_image_is_named_with_its_encryption_bands_and_blocks(image, written):
    assert words.image(*image) == written


def figure(value, low=None, high=None, goal=None, reached=None) -> dict:
    one = {"what": f"Found {value}", "value": value, "unit": "%", "low": low, "high": high}
    return one | {"goal": goal, "reached": reached}


def of_proof(*figures, **differs) -> tuple[str, list[list[str]]]:
    """What is said of a proof, and what stands in each row: found, goal, reached."""
    proof = {
        "title": "Intervals", "command": "bash workflow/prove.sh part", "machine": "Linux, 2 cores",
        "measured_utc": "2026-11-21T15:31:57Z", "version": "abc", "level": 0.95,
    }  # fmt: skip
    shown = text(proofs._part("part", proof | {"figures": figures} | differs))
    [(_, *rows)] = Tables(shown).tables.values()
    return shown, [row[1:] for row in rows]


def test_a_proof_is_told_with_its_spread_its_goal_and_whether_that_was_reached():
    shown, rows = of_proof(
        figure(95.125, 94, 96.5, "93 to 97 %", True),
        figure(61.0, goal="<= 5 %", reached=False),
        figure(7.0, goal="<= 8 %"),
        figure(1234.0),
    )
    assert rows == [
        ["95.1 % (94 to 96.5)", "93 to 97 %", "yes"],
        ["61 %", "<= 5 %", "no"],
        # the goal was there, and the noise too large to tell
        ["7 %", "<= 8 %", "no verdict"],
        ["1,234 %", "none", ""],
    ]
    assert "Intervals. Measured on 2026-11-21 with version abc on Linux, 2 cores</caption>" in shown
    # a size in a unit that can be read
    one = figure(529_543_168, 524_685_312, 540_622_848) | {"unit": "bytes"}
    assert of_proof(one)[1] == [["530 MB (525 MB to 541 MB)", "none", ""]]


def test_the_page_begins_with_how_many_goals_were_reached_and_missed(tmp_path, monkeypatch):
    told = {"command": "x", "machine": "x", "measured_utc": "2026-11-21T15:31:57Z", "level": 0.95}
    first = told | {"title": "One", "version": "abc", "figures": [
        figure(1.0, goal="<= 5 %", reached=True), figure(9.0, goal="<= 5 %", reached=False),
        figure(5.0, goal="<= 5 %"), figure(2.0, goal="<= 5 %", reached=True), figure(3.0),
    ]}  # fmt: skip
    older = first | {"title": "Two", "epoch": 1}
    (tmp_path / proofs.FOLDER).mkdir(parents=True)
    for name, proof in (("one", first), ("two", older)):
        (tmp_path / proofs.FOLDER / f"{name}.json").write_text(json.dumps(proof))
    monkeypatch.setattr(project, "ROOT", tmp_path)
    monkeypatch.setattr(project, "constant", lambda *_: 2)
    shown = text(proofs.shown())
    goals = Tables(shown).tables["table-proofs"]
    assert goals[1:] == [["One", "2", "1", "1"], ["Two", "", "", "4"]]
    assert "Goals: 2 reached, 1 missed, 5 without a verdict" in shown


def unchanged(plain, to_disk, called) -> dict:
    """What was found by comparing studies of one machine on which nothing had changed."""
    of = "40 pairs of 4 studies of 3 runs"
    return {
        "machine": "Linux x86_64, 2 cores", "level": 0.95, "version": "abc", "epoch": 2,
        "figures": [
            {"what": f"Intervals of the ratio of two studies that cover 1: {of}", "value": plain},
            {"what": f"The same in proportion to the disk itself: {of}", "value": to_disk},
            {"what": f"Pairs called faster or slower: {of}", "value": called},
        ],
    }  # fmt: skip


def keep(folder: Path, *found: dict) -> None:
    (folder / proofs.FOLDER).mkdir(parents=True, exist_ok=True)
    for name, proof in zip(proofs.UNCHANGED, found, strict=True):
        (folder / proofs.FOLDER / f"{name}.json").write_text(json.dumps(proof))


@pytest.mark.parametrize(
    ("called", "epoch", "pairs", "plain", "to_disk"),
    [
        (0.0, 2, "80 pairs of the same image, none was called", "81 to 89 %", "94 to 95 %"),
        (2.5, 2, "80 pairs of the same image, up to 2 % were called", "81 to 89 %", "94 to 95 %"),
        # what an older harness measured is left out
        (2.5, 1, "40 pairs of the same image, none was called", "89 %", "95 %"),
    ],
)
def test_how_far_an_interval_can_be_trusted_is_told_with_the_kept_figures(
    tmp_path, monkeypatch, called, epoch, pairs, plain, to_disk
):
    monkeypatch.setattr(project, "ROOT", tmp_path)
    monkeypatch.setattr(project, "constant", lambda *_: 2)
    keep(tmp_path, unchanged(88.8, 94.6, 0.0), unchanged(81.2, 93.7, called) | {"epoch": epoch})
    assert proofs.trust().replace("\u00a0", " ") == (
        "On one Linux machine where nothing had changed, studies of three runs were compared two "
        f"by two. Of {pairs} faster or slower. Of the 95 % intervals of a plain ratio, {plain} "
        f"covered the true ratio, which is 1; in proportion to the disk itself, {to_disk} did. "
        "No Mac has been tested."
    )


def test_what_was_found_by_an_older_harness_has_no_verdict():
    shown, rows = of_proof(figure(3.0, 2, 4, "<= 5 %", True), figure(3.0), epoch=1)
    assert [row[-1] for row in rows] == ["no verdict", ""]
    why = "measured by an older epoch of the harness (the code that measures)"
    assert f"No verdict: {why}</caption>" in shown


def test_every_command_and_file_of_what_is_kept_is_there_today():
    shown = text(proofs.shown())
    kept = project.ROOT / proofs.FOLDER
    commands = re.findall(r"To measure this: <code>bash (\S+) (\S+)", shown)
    assert len(commands) == len(list(kept.glob("*.json")))
    for script, name in commands:
        proof = project.ROOT / "workflow/proofs" / name.replace("-", "_")
        assert script == "workflow/prove.sh"
        assert proof.is_dir() or proof.with_suffix(".py").is_file(), name
    # what every run gave lies beside it
    every_run = re.findall(rf"Every single run: {proofs.FOLDER}/([\w-]+\.csv)", shown)
    assert set(every_run) == {file.name for file in kept.glob("*.csv")} != set()


@pytest.mark.parametrize(
    ("runs", "files", "said"),
    [
        ([3, 3], [160, 160], "3 runs of 160 files"),
        ([1], [160], "1 run of 160 files"),
        ([1, 3], [159, 160], "1 to 3 runs of 159 to 160 files"),
        ([3.0], [1.0], "3 runs of 1 file"),
    ],
)
def test_n_is_so_many_runs_of_so_many_files(runs, files, said):
    assert words.runs_of(runs, files) == said


def test_a_machine_is_disturbed_by_what_the_core_warns_of():
    assert set(words.DISTURBED) < set(vocabulary.WARNINGS)
