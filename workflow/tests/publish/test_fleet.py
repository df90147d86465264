"""The page of the fleet: hosts by release, what is due on each, and the commands that complete it."""

import re
import shlex
from pathlib import Path

import hostile
import made_up as records
import pytest
import yaml
from rendered import Tables, tables

from fleet.config import asked_words
from lib import database
from lib.fleet import bars, commands, due, matrix, standing
from study.cells import Machine, plan_cells
from study.config import PROTOCOLS, checked_study, read_protocol
from study.studies import chosen

STUDY = Path(__file__).resolve().parents[2] / "config" / "study.yaml"
OLD, NEW = "macos-26.4-25E246", "macos-27.0-26A5300"
BANDS = 33_554_432
REASON = "the volume <vanished> & `did` not come back"


def fleet():
    """Two Macs of which one was updated, a third that began something of its own, and two others."""
    native = {"driver": "native", "format": "native", "encryption": "FileVault"}
    bundle = {"driver": "apple", "format": "UDSB"}

    def one(host, release, **cell):
        return records.record(host=host, release=release, scale="tenth", **cell)

    for release in (OLD, NEW):
        yield one("mac-mini-m4-pro", release, **native)
        yield one("mac-mini-m4-pro", release, **bundle)
        yield one("mac-mini-m4-pro", release, driver="apple", format="ASIF")
    yield one("mac-studio-m1-max", OLD, **native)
    yield one("mac-studio-m1-max", OLD, **bundle)
    yield one("mac-studio-m1-max", OLD, **bundle, repeat=2)
    yield one("mac-studio-m1-max", OLD, **bundle, storage="shelf", protocol="remounted")
    yield one("mac-studio-m1-max", NEW, **(native | {"encryption": "none"}))
    yield one("macbook-air-m2", OLD, **bundle, band_bytes=BANDS)
    yield records.without_figures(one("macbook-air-m2", OLD, **bundle), "failed", REASON)
    yield one("macbook-air-m2", OLD, driver="apple", format="ASIF")
    yield one("linux-box", "debian-12-6.1", driver="portable", format="UDSB")
    yield records.stand_in(one("stand-in-mac", NEW, **bundle, protocol="churn"))


@pytest.fixture(scope="module")
def fleet_database(built) -> Path:
    return built("fleet", [{k: v for k, v in one.items() if k != "sha256"} for one in fleet()])


@pytest.fixture
def rows(fleet_database, monkeypatch):
    """Every row of the page, from that fleet."""
    return rows_of(fleet_database, monkeypatch)


def rows_of(file, monkeypatch):
    monkeypatch.setenv("DISKBENCH_DATABASE", str(file))
    database.connect.cache_clear()
    return standing.cells()


@pytest.fixture(autouse=True)
def closed():
    """No test leaves its database to the next one."""
    yield
    database.connect.cache_clear()


def text(shown) -> str:
    return shown.bundle["text/markdown"] if shown else ""


def lines(shown, name: str) -> list[dict[str, str]]:
    head, *body = Tables(text(shown)).tables[f"table-{name}"]
    return [dict(zip(head, line, strict=True)) for line in body]


def test_a_fleet_without_records_says_so_in_one_sentence(published_only, monkeypatch):
    rows = rows_of(published_only, monkeypatch)
    assert "No machine has been measured yet" in text(standing.summary(rows))
    assert matrix.shown(rows) is None
    assert bars.shown(rows) is None
    assert text(due.shown(rows, "missing")) == "No records yet."
    assert text(commands.text(rows)) == "No records yet."
    assert commands.shown(rows) is None


def test_the_first_sentences_count_what_is_due(rows):
    told = text(standing.summary(rows))
    assert "**8 of 13 expected cells measured** under the newest release of 5 hosts" in told
    assert "3 out of date, 1 missing and 1 failed" in told
    assert "2 hosts are not complete" in told
    assert (
        "macOS 27.0 is measured, but not on MacBook Air M2: no record tells whether it was updated."
        in told
    )


def test_hosts_stand_by_release_and_each_newest_one_is_marked(rows):
    found = {line["Host"]: line for line in lines(matrix.shown(rows), "fleet-macos")}
    assert list(found["Mac mini M4 Pro"].values()) == ["Mac mini M4 Pro", "● 3 of 3", "3"]
    studio = found["Mac Studio M1 Max"]
    assert studio["macOS 27.0"] == "● 1 of 5 3 out of date and 1 missing"
    assert studio["macOS 26.4"] == "4"
    air = found["MacBook Air M2"]
    assert air["macOS 27.0"] == "\u2013"
    assert air["macOS 26.4"] == "● 2 of 3 1 failed"
    assert found["stand-in-mac (stand-in, no Mac)"]["macOS 27.0"] == "● 1 of 1"
    [linux] = lines(matrix.shown(rows), "fleet-debian")
    assert linux == {"Host": "linux-box", "Debian 12": "● 1 of 1"}


def test_only_the_newest_releases_have_a_column_and_builds_of_one_have_a_line_each(rows):
    one = rows[rows["host"] == "linux-box"]
    many = [
        one.assign(
            release=f"debian-{number}-6.1",
            version=str(number),
            place=[(number,)] * len(one),
            newest=number == 12,
        )
        for number in range(1, 13)
    ]
    many.append(many[-1].assign(release="debian-12-6.0", newest=False))
    [line] = lines(matrix.shown(matrix.pd.concat(many)), "fleet-debian")
    assert list(line) == ["Host", *(f"Debian {n}" for n in (12, 11, 10, 9, 8, 7)), "Older"]
    assert line["Older"] == "6 releases"
    assert line["Debian 12"] == "● 1 of 1 6.11 6.0"


def test_what_is_out_of_date_says_under_which_release_it_was_measured_last(rows):
    found = lines(due.shown(rows, "out of date"), "out-of-date")
    assert [line["Cells"] for line in found] == [
        "Mac Studio M1 Max, macOS 27.0 (26A5300)",
        "2",
        "1",
    ]
    assert {line["Why"] for line in found[1:]} == {"last under macOS 26.4 (25E246)"}
    assert found[1]["Which"] == "sparse bundle (UDSB) new, repeat 1 and 2"
    assert found[2]["Protocol, scale"] == "remounted, tenth shelf, driver apple"


def test_what_is_missing_says_who_has_it_and_what_failed_says_why(rows):
    _, missing = lines(due.shown(rows, "missing"), "missing")
    assert missing["Why"] == "no record; mac-mini-m4-pro and macbook-air-m2 have one"
    _, failed = lines(due.shown(rows, "failed", "skipped"), "failed")
    assert failed["Why"] == f"failed {REASON}"
    assert "&lt;vanished&gt;" in text(due.shown(rows, "failed", "skipped"))


def test_a_long_table_is_folded(rows):
    one = rows[(rows["state"] == "missing")]
    many = matrix.pd.concat([one.assign(host=f"mac-mini-m{number}") for number in range(50)])
    shown = text(due.shown(many, "missing"))
    assert "**50 cells** on 50 hosts." in shown
    assert "<summary>Cells missing, by host, study and reason: 50 lines</summary>" in shown
    assert "<details" not in text(due.shown(rows, "missing"))


def test_the_bars_have_every_expected_cell_and_put_first_who_has_most_to_do(rows):
    counts = due.counted(rows)
    assert counts["size"].sum() == 13
    shown = text(bars.shown(rows))
    assert "2 of 5 hosts not complete" in shown
    assert '"sort":["Mac Studio M1 Max","MacBook Air M2",' in shown


def test_each_kind_of_gap_has_the_command_that_completes_it(rows):
    found = {one.own_config: (one.cells, list(one.hosts)) for one in commands.completing(rows)}
    studio, air = ["Mac Studio M1 Max"], ["MacBook Air M2"]
    assert found == {
        "study=encryption-2026 scale=tenth repeats=2": (
            {"out of date": 2, "missing": 1},
            studio,
        ),
        "study=performance-2024 scale=tenth 'storage=[{slug: shelf, folder: FOLDER}]'": (
            {"out of date": 1},
            studio,
        ),
        "study=encryption-2026 scale=tenth 'retry=[failed]'": ({"failed": 1}, air),
    }
    shown = text(commands.shown(rows))
    assert (
        "<code>bash workflow/run.sh fleet run --config study=performance-2024 scale=tenth" in shown
    )
    assert "<code>bash workflow/run.sh --config study=performance-2024 scale=tenth" in shown
    assert "`FOLDER` is the folder" in text(commands.text(rows))


def test_the_coordinator_takes_every_command_as_it_stands(rows):
    """What is each host's own, its name and storages, stands in fleet.yaml, and is refused there."""
    for one in commands.completing(rows):
        asked = asked_words(shlex.split(one.config))
        assert asked["scale"] == "tenth"
        assert asked["study"] in ("encryption-2026", "performance-2024")
    assert [one.elsewhere for one in commands.completing(rows)].count(True) == 1


def test_cells_of_no_study_get_a_matrix_without_any_image_beside_them(rows):
    odd = rows[rows["format"] == "UDSB"].iloc[[0]].assign(newest=True, state="missing")
    odd = odd.assign(encryption="AES-128", band_bytes=BANDS, driver="portable")
    both = matrix.pd.concat([odd, odd.assign(format="UDSP")])
    [one] = commands.completing(both)
    assert one.config == (
        "'matrix=[{driver: portable, formats: [UDSB, UDSP], encryptions: [AES-128], "
        "band_bytes: 33554432, phases: [fresh]}]' 'protocols=[usage-phases]' scale=tenth"
    )


def test_blocks_of_another_size_have_a_key_of_their_own_in_a_matrix(rows):
    odd = rows[rows["format"] == "UDSB"].iloc[[0]].assign(newest=True, state="missing")
    odd = odd.assign(encryption="none", band_bytes=4096, driver="portable", format="ASIF")
    [one] = commands.completing(odd)
    assert one.config == (
        "'matrix=[{driver: portable, formats: [ASIF], encryptions: [none], "
        "block_bytes: 4096, phases: [fresh]}]' 'protocols=[usage-phases]' scale=tenth"
    )


def test_studies_that_the_same_hosts_need_are_asked_for_in_one_call(rows):
    one = rows[rows["format"] == "ASIF"].iloc[[0]].assign(newest=True, state="missing")
    other = one.assign(format="UDSB", protocol="churn", state="out of date")
    [both] = commands.completing(matrix.pd.concat([one, other]))
    assert both.config == "'study=[encryption-2026,bands-2024]' scale=tenth"
    assert both.cells == {"missing": 1, "out of date": 1}


def test_hosts_that_need_some_of_a_matrix_share_one(rows):
    odd = rows[rows["format"] == "UDSB"].iloc[[0]].assign(newest=True, state="missing")
    odd = odd.assign(encryption="AES-128", driver="apple", system="macos")
    hosts = matrix.pd.concat([odd, odd.assign(host="mac-mini-m1", format="UDRW")])
    [one] = commands.completing(hosts)
    assert "formats: [UDSB, UDRW], encryptions: [AES-128]" in one.config
    assert (one.cells, list(one.hosts)) == ({"missing": 2}, ["linux-box", "Mac mini M1"])


def planned(config: str, machine: Machine) -> set[tuple]:
    """The cells that a study plans with these settings, as Snakemake hands them over."""
    study = yaml.safe_load(STUDY.read_text(encoding="utf-8"))
    for setting in shlex.split(config):
        name, _, value = setting.partition("=")
        # a person names a folder of their own there
        study[name] = yaml.safe_load(value.replace("FOLDER", "/Volumes/Fast/bench"))
    protocols = {path.stem: read_protocol(path.stem) for path in PROTOCOLS.glob("*.yaml")}
    cells = plan_cells(checked_study(study), chosen(study), protocols, machine)
    keys = ("protocol", "scale", "storage", "driver", "format", "encryption", "repeat", "phase")
    return {(*(cell[key] for key in keys), cell.get("band_bytes")) for cell in cells}


@pytest.mark.parametrize("name", ["fleet_database", "macs", "made_up"])
def test_every_due_cell_is_in_the_plan_of_a_command(request, monkeypatch, name):
    """Whatever may be due: every cell under a newest release, taken for missing."""
    rows = rows_of(request.getfixturevalue(name), monkeypatch)
    rows = rows[rows["newest"]].assign(state="missing")
    for slug, part in rows.groupby("host"):
        own = part[part["format"] == "native"]["encryption"]
        # one disk has one encryption, whatever it had when other files were measured
        own = own.iloc[0] if len(own) else "none"
        image = "apple" if part["system"].iloc[0] == "macos" else "portable"
        machine = Machine(str(slug), "r", native_encryption=own, image_driver=image)
        plan = set().union(*(planned(one.own_config, machine) for one in commands.completing(part)))
        for row in part.to_dict("records"):
            bands = None if standing.words.missing(row["band_bytes"]) else int(row["band_bytes"])
            wanted = (row["protocol"], row["scale"], row["storage"], row["driver"], row["format"],
                      row["encryption"], row["repeat"], row["phase"], bands)  # fmt: skip
            assert wanted in plan, (slug, wanted)


def test_the_rendered_page_shows_the_numbers_of_the_database(any_site):
    from rendered import rows as asked

    expected = asked(any_site, "select count(*) from host_cell where newest and state = 'measured'")
    page = (any_site.folder / "fleet.html").read_text(encoding="utf-8")
    named = tables(any_site, "fleet.html")
    shown = [
        int(found[1])
        for name, table in named.items()
        if name.startswith("fleet-")
        for line in table.to_dict("records")
        for cell in line.values()
        if (found := re.search(r"● (\d+) of \d+", cell))
    ]
    assert [(sum(shown),)] == expected
    hosts = asked(any_site, "select count(distinct host) from cell")
    assert [(len(shown),)] == hosts
    if not shown:
        assert "No machine has been measured yet" in page


@pytest.mark.slow
def test_a_reason_that_was_written_to_do_harm_is_text_on_the_page(rendered_site):
    """tests/publish/test_hostile.py looks at every page, this one too."""
    site = rendered_site("hostile_records")
    assert Path("fleet.html") in site.pages
    reasons = " ".join(tables(site, "fleet.html")["failed"]["Why"])
    for attack in ("script", "element", "Markdown link", "template"):
        assert " ".join(database.shown(hostile.ATTACKS[attack]).split()) in reasons
