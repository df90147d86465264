"""`compare` shows the figures of release_change, or a reason if there are none."""

import contextlib
import csv
import io
import shutil
from pathlib import Path

import duckdb
import made_up
import pytest

import compare.__main__
import voucher
from compare import pairs, shown, sides
from compare.__main__ import main
from console import StudyError
from database.build import Folders, build
from database.load import Input

PROJECT = Path(__file__).parents[3]
SQL, SCHEMA = PROJECT / "workflow/sql", PROJECT / "workflow/schemas/record.schema.json"
PUBLISHED, PROBES = PROJECT / "data/published", PROJECT / "data/probes"
OLD, NEW = "macos-26.4-25E246", "macos-26.5-25F71"
MAC, OTHER = "mac-mini-m4-pro", "macbook-pro-m3-pro"
RUNS = (0.99, 1.0, 1.01)


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty project: a folder of records, and the project's own rules."""
    return project(tmp_path, monkeypatch)


def project(folder, monkeypatch):
    for part in ("workflow", "core"):
        (folder / part).symlink_to(PROJECT / part)
    (folder / "data" / "runs").mkdir(parents=True)
    (folder / "data" / "published").symlink_to(PROJECT / "data" / "published")
    # it would refuse the tests' records, whose steps make no image
    monkeypatch.setattr(compare.__main__, "CORE", None)
    monkeypatch.chdir(folder)
    return folder


DISK = (8.0,) * 3


def measured(write_gbps, release=OLD, runs=RUNS, disk=(), **cell):
    """Runs of one cell, and of the disk if it has speeds."""
    where = {"host": MAC, "format": "UDSB", "driver": "portable", "release": release, "disk": disk}
    made_up.measure(Path("data/runs"), write_gbps, runs, **(where | cell))


def compared(a, b):
    given = Input(sides.RUNS, PUBLISHED, SQL, SCHEMA, PROBES)
    return pairs.compare(sides.find(a), sides.find(b), given)


def writes(found):
    return [row for row in found.rows if (row["op"], row["format"] == "native") == ("write", False)]


def test_the_figures_are_those_of_release_change_to_the_last_bit(here):
    measured(4.0, disk=DISK)
    measured(4.8, NEW, disk=DISK)
    measured(2.0, format="ASIF", runs=(1.0, 1.02, 0.97))
    measured(2.1, NEW, format="ASIF", runs=(0.98, 1.0, 1.03))
    measured(5.0, scale="smoke")
    measured(5.0, NEW, scale="smoke")
    folders = Folders(
        sides.RUNS, PUBLISHED, SQL, SCHEMA, PROBES,
        database=here / "new.duckdb", parquet=here / "parquet",
    )  # fmt: skip
    build(folders)
    with contextlib.closing(duckdb.connect(str(folders.database), read_only=True)) as connection:
        asked = connection.execute("from release_change")
        names = [column[0] for column in asked.description]
        expected = [dict(zip(names, row, strict=True)) for row in asked.fetchall()]
    assert {row["change"] for row in expected} == {
        "faster",
        "no change shown",
        "not comparable",
        "not judged",
    }
    assert compared(f"{MAC}/{OLD}", f"{MAC}/26.5").rows == expected


def test_the_records_of_a_release_are_named_in_four_ways(here):
    measured(4.0, runs=RUNS[:1])
    measured(4.0, NEW, runs=RUNS[:1])
    [file] = (
        path.relative_to("data/runs").as_posix()
        for path in Path("data/runs").rglob(f"{OLD}/**/*.json")
    )
    for word in (f"{MAC}/{OLD}", f"{MAC}/26.4", "26.4", f"data/runs/{MAC}/{OLD}"):
        [host] = sides.find(word).hosts
        assert (host.name, host.files) == (MAC, (file,)), word


def test_a_beta_has_the_names_that_pages_print(here):
    betas, release = ("macos-27.0-26A5194q", "macos-27.0-26A5290c"), "macos-27.0-26A300"
    for each in (*betas, release):
        measured(4.0, each, runs=RUNS[:1])
    for word, folders in (
        ("27.0 beta", betas),
        ("27.0 beta (26A5194q)", betas[:1]),
        ("27.0 (26A300)", (release,)),
    ):
        for named in (word, f"{MAC}/{word}"):
            [host] = sides.find(named).hosts
            assert sorted({file.split("/")[1] for file in host.files}) == list(folders), named
    newest, final = compared("27.0 beta", "27.0").machines
    assert [host["release"] for host in (*newest, *final)] == [betas[1], release]


def test_two_macs_are_compared_run_by_run_though_their_hardware_differs(here):
    for host, capacity, speeds in (
        (MAC, 10**12, (4.0, 4.0, 4.0)),
        (OTHER, 2 * 10**12, (4.4, 4.8, 5.2)),
    ):
        made_up.save_runs(
            Path("data/runs"),
            *(made_up.steady(gbps, 6.0) for gbps in speeds),
            parts={
                "host": {
                    "model": f"model of {host}",
                    "storage": {"size_bytes": capacity, "device_model": f"SSD of {host}"},
                }
            },
            **{"host": host, "release": OLD, "format": "UDSB", "driver": "portable"},
        )
    [row] = writes(compared(MAC, OTHER))
    found = [row[name] for name in ("ratio", "ratio_low", "ratio_high")]
    # of 1.1, 1.2 and 1.3 the geometric mean; Student's t of two degrees is 4.30265
    assert found == pytest.approx((1.197216, 0.972822, 1.473369), rel=1e-4)
    assert (row["host"], row["why_not_comparable"]) == (f"{OTHER} / {MAC}", None)


def test_of_a_host_the_newest_release_counts(here):
    measured(9.0, OLD)
    measured(4.0, NEW)
    measured(4.0, NEW, host=OTHER)
    [row] = writes(compared(MAC, OTHER))
    assert (row["earlier_release"], row["ratio"]) == (NEW, pytest.approx(1))


def test_a_copy_of_the_records_is_compared_with_what_was_measured_since(here, capsys):
    measured(4.0)
    shutil.copytree("data/runs", "before")
    measured(5.0)
    measured(9.0, host=OTHER)
    assert main([f"before/{MAC}", MAC]) == 0
    assert "UDSB none fresh write    4.00    5.00   1.25" in capsys.readouterr().out
    assert main(["--csv", f"before/{MAC}", MAC]) == 0
    told = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [float(row["ratio"]) for row in told if row["op"] == "write"] == [pytest.approx(1.25)]
    # as the manual says, for grep
    assert [list(row)[-1] for row in told] == ["change"] * len(told)


def test_what_may_not_be_compared_has_its_reason_and_no_verdict(here, capsys):
    measured(4.0, scale="smoke")
    measured(4.8, NEW, scale="smoke")
    measured(4.0, format="ASIF", runs=RUNS[:2])
    measured(8.0, NEW, format="ASIF", runs=RUNS[:2])
    measured(4.0, format="UDRW")
    measured(4.0, NEW, format="UDRW", driver="apple")
    measured(4.0, format="UDSP")
    assert main(["26.4", "26.5"]) == 0
    told = capsys.readouterr().out
    assert "not comparable  smoke scale" in told
    assert "not comparable, 2: smoke scale only tests the software" in told
    assert "ASIF none fresh write    3.98    7.96   2.00                 too few runs" in told
    assert "only in A, 1 cell: another driver (portable and apple)" in told
    assert "only in A, 1 cell: not measured there" in told
    assert "only in B, 1 cell: another driver (apple and portable)" in told


def test_stand_in_records_are_shown_without_a_verdict(here, capsys):
    for release, speed in ((OLD, 4.0), (NEW, 8.0)):
        parts = {"host": {"stand_in": True}}
        made_up.save_runs(
            Path("data/runs"), made_up.steady(speed, 6.0), parts=parts, release=release
        )
    assert main(["26.4", "26.5"]) == 0
    told = capsys.readouterr().out
    assert "not comparable, 2: stand-ins replaced the programs of macOS" in told
    assert "faster" not in told


def test_nothing_in_common_is_one_line_that_says_what_each_has(here):
    measured(4.0)
    measured(4.0, NEW, scale="tenth")
    with pytest.raises(StudyError, match="no cell in common") as error:
        main(["26.4", "26.5"])
    assert error.value.code == 2
    assert "1 cell of A: another scale (gold and tenth)" in error.value.line


def test_an_unknown_side_is_one_line_with_the_possible_names(here):
    with pytest.raises(StudyError, match="nothing has been measured here yet"):
        main(["a", "b"])
    measured(4.0)
    for word in ("mac", "", ".", ".."):
        with pytest.raises(StudyError, match=f"'{word}' is not a host.*: there are {MAC}"):
            main([word, MAC])
    with pytest.raises(StudyError, match="are the same records"):
        main([MAC, f"data/runs/{MAC}"])
    (here / "empty").mkdir()
    with pytest.raises(StudyError, match="there is no record in empty"):
        main(["empty", MAC])
    for words in ([MAC], [MAC, MAC, "--unknown"]):
        with pytest.raises(StudyError) as error:
            main(words)
        assert error.value.code == 2


def test_a_damaged_record_is_left_out_and_counted(here, capsys):
    measured(4.0, runs=(*RUNS, 1.0))
    measured(4.0, NEW)
    sorted(Path("data/runs", MAC, OLD).rglob("*.json"))[-1].write_text("{")
    assert main(["26.4", "26.5"]) == 0
    assert "damaged records left out: 1" in capsys.readouterr().out
    for file in Path("data/runs", MAC, OLD).rglob("*.json"):
        file.write_text("{")
    with pytest.raises(StudyError) as error:
        main(["26.4", "26.5"])
    assert error.value.code == 6


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    with pytest.MonkeyPatch.context() as monkeypatch:
        project(tmp_path_factory.mktemp("pair"), monkeypatch)
        measured(4.0, disk=DISK)
        measured(5.0, NEW, disk=DISK)
        return compared("26.4", "26.5"), sides.find("26.4"), sides.find("26.5")


@pytest.mark.parametrize(
    ("width", "columns"),
    [
        (200, ["A GB/s", "B GB/s", "B / A", "95 % interval", "verdict"]),
        (80, ["A GB/s", "B GB/s", "B / A", "95 % interval", "verdict"]),
        (64, ["A GB/s", "B GB/s", "B / A", "verdict"]),
        (50, ["B / A", "verdict"]),
    ],
)
def test_a_narrow_terminal_has_fewer_columns_and_no_line_that_wraps(pair, width, columns):
    lines = shown.terminal(*pair, width).splitlines()
    *_, head = (line for line in lines if line.startswith("cell"))
    assert [name for name in shown.COLUMNS[1:] if name in head] == columns
    table = [line for line in lines if line.startswith("UDSB")]
    assert len(table) == 2
    assert max(map(len, table)) <= width
    assert ("│" in table[1]) == (width == 200)


def test_a_bar_reaches_from_the_middle_to_the_ratio_and_is_plain_without_unicode(pair):
    same, faster = [
        line for line in shown.terminal(*pair, 200).splitlines() if line.startswith("UDSB")
    ]
    assert same.endswith(" │")
    # 1.25 times as fast, which is the end of the scale
    assert faster.endswith(" │" + 20 * "█")
    plain = shown.terminal(*pair, 200, ascii_only=True)
    assert plain.isascii()
    assert "|####" in plain


def test_colours_are_for_terminals_that_want_them(pair, monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert shown.is_coloured(Terminal())
    assert not shown.is_coloured(io.StringIO())
    monkeypatch.setenv("NO_COLOR", "1")
    assert not shown.is_coloured(Terminal())
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert not shown.is_coloured(Terminal())
    assert "\x1b[32mUDSB none fresh write" in shown.terminal(*pair, 200, coloured=True)
    assert "\x1b" not in shown.terminal(*pair, 200)


def test_records_that_others_vouch_for_say_so_and_nothing_is_changed_by_looking(here, capsys):
    measured(4.0)
    measured(4.0, NEW)
    voucher.write(Path("data/runs"), MAC, NEW, voucher.COMMUNITY)
    before = sorted(here.rglob("*"))
    assert main(["26.4", "26.5"]) == 0
    assert sorted(here.rglob("*")) == before
    one, other, *_ = capsys.readouterr().out.splitlines()
    assert one.endswith("3 records")
    assert other.endswith("3 records (community)")


def test_two_people_s_macs_of_one_name_are_compared_as_two_macs(here):
    measured(4.0)
    measured(2.0, NEW)
    voucher.write(Path("data/runs"), MAC, NEW, voucher.COMMUNITY)
    [row] = writes(compared("26.4", "26.5"))
    assert row["why_not_comparable"] is None
    assert row["host"] == f"{MAC} / {MAC}"
