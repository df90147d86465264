"""A good folder of records is accepted, and each kind of fault is named with the next step."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sent import changed, deep, found, record, save

import withdrawn
from contribution.__main__ import lines, main
from contribution.check import check
from contribution.plausible import doubtful, impossible
from record import HARNESS_EPOCH


def test_a_good_folder_is_accepted_and_the_answer_is_first(folder, capsys):
    assert main([str(folder)]) == 0
    [answer] = capsys.readouterr().out.splitlines()
    assert answer == "Yes: all 2 records of mac-mini-m4-pro can be accepted."


def test_the_folder_of_the_host_alone_or_a_whole_project_will_do(folder):
    assert found(folder / "mac-mini-m4-pro")[1] == set()
    project = folder.parent / "project" / "data"
    project.mkdir(parents=True)
    folder.rename(project / "runs")
    (project.parent / "package.json").write_text("{}")  # as every project has
    report, kinds = found(project.parent)
    assert (report.records, kinds) == (2, set())


def test_a_folder_may_be_named_from_where_one_is_or_through_a_link(folder, monkeypatch):
    (folder.parent / "link").symlink_to(folder)
    monkeypatch.chdir(folder.parent)
    for name in ("sent", "sent/mac-mini-m4-pro", "link/mac-mini-m4-pro"):
        report = check(Path(name))
        assert (report.records, report.findings) == (2, [])


def test_a_part_of_a_host_checks_the_whole_host_which_will_be_copied(folder):
    bad = save(changed(warnings=["/Users/jane"])(record(20, release="macos-27.0-26A1")), folder)
    (other,) = set((folder / "mac-mini-m4-pro").iterdir()) - {
        folder / "mac-mini-m4-pro/macos-27.0-26A1"
    }
    report, _ = found(other)
    assert report.bad == {bad.relative_to(folder).as_posix()}


def test_a_withdrawn_record_is_named_with_the_reason(folder, monkeypatch):
    monkeypatch.chdir(folder.parent)
    first, _ = sorted(folder.rglob("*.json"))
    name = first.relative_to(folder).as_posix()
    withdrawn.FILE.parent.mkdir()
    key = withdrawn.key(name, first.read_bytes())
    line = ",".join([*key, "2026-11-20", "a backup ran"])
    withdrawn.FILE.write_text(f"{','.join(withdrawn.COLUMNS)}\n{line}\n")
    report, _ = found(folder)
    assert [(one.kind, one.path, one.what) for one in report.findings] == [
        ("withdrawn", name, "a backup ran")
    ]
    assert report.bad == {name}


def test_other_files_beside_records_are_named_because_they_are_copied_too(folder):
    first, _ = sorted(folder.rglob("*.json"))
    near = first.parent.relative_to(folder)
    odd = [".gitattributes", ".mac-b", "mac-c/evil.bin", f"{near}/fresh.superseded-0123abcd.json"]
    for name in odd:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("Jane", encoding="utf-8")
    (folder / ".mac-d").symlink_to("/etc")
    report, kinds = found(folder)
    assert kinds == {"no record"}
    assert {finding.path for finding in report.findings} == {*odd, ".mac-d"}
    assert lines(report)[0].startswith("Yes: all 2 records")
    # of one host, what lies beside it is not copied
    assert {one.path for one in found(folder / "mac-mini-m4-pro")[0].findings} == {odd[-1]}


@pytest.mark.parametrize(
    ("folders", "text", "kinds"),
    [
        (2, "community\n", set()),
        (2, f"community\n{'0' * 64}\n", set()),
        (2, f"hosted runner\n{'0' * 64}\n", {"no record"}),
        (2, "community\n of Jane Doe", {"no record"}),
        (7, "community\n", {"no record"}),
    ],
)
def test_a_label_is_a_file_with_one_word_and_a_hash_beside_the_records_of_a_release(
    folder, folders, text, kinds
):
    first, _ = sorted(folder.rglob("*.json"))
    label = folder.joinpath(*first.relative_to(folder).parts[:folders], "vouched-by")
    label.write_text(text)
    assert found(folder)[1] == kinds
    label.rename(folder.parent / "label")
    label.symlink_to(folder.parent / "label")
    assert found(folder)[1] == {"no record"}


@pytest.mark.parametrize("name", ["a\0b", "\ud800", "x" * 5000, "../.."])
def test_a_name_that_no_folder_can_have_is_damage(folder, name):
    bad = deep(("cell", "host"), name)(record(20, repeat=2)) | {"sha256": "0" * 64}
    (folder / "a.json").write_text(json.dumps(bad), encoding="utf-8")
    report, kinds = found(folder)
    assert (kinds, report.bad) == ({"damaged"}, {"a.json"})


def test_links_that_lead_nowhere_or_to_folders_are_damage_there_and_passed_over_here(folder):
    runs = folder.parent / "runs"
    runs.mkdir()
    for place in (folder, runs):
        (place / "a.json").symlink_to("a.json")
        (place / "b").symlink_to(".")
    report, kinds = found(folder)
    assert (kinds, report.bad) == ({"damaged"}, {"a.json", "b"})


def test_no_folder_and_no_record_are_one_line_and_code_2(tmp_path):
    with pytest.raises(Exception, match="there is no folder") as error:
        check(tmp_path / "none")
    assert error.value.code == 2
    with pytest.raises(Exception, match="there is no record in"):
        check(tmp_path)
    # as in a project that has not measured anything yet
    (tmp_path / "package.json").write_text('{"version": "1.0", "ratio": 0.5}')
    with pytest.raises(Exception, match="there is no record in"):
        check(tmp_path)
    (tmp_path / "cut.json").write_text('{"record_version": 1, "ce')
    assert check(tmp_path).bad == {"cut.json", "package.json"}


def on_linux(made):
    """With the driver of macOS all the same."""
    made["host"]["os"] |= {"name": "debian", "version": "12", "build": "6.1", "kernel": "Linux 6.1"}
    made["cell"]["release"] = "debian-12-6.1"
    return made


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("synthetic", deep(("host", "stand_in"), True)),
        ("synthetic", deep(("host", "model"), "synthetic Mac")),
        ("synthetic", deep(("host", "model"), "Synthetic Mac")),
        ("synthetic", deep(("cell", "host"), "made-up-mac")),
        ("synthetic", deep(("harness", "name"), "otherbench")),
        ("synthetic", deep(("harness", "epoch"), 0)),
        ("synthetic", on_linux),
        ("impossible", deep(("samples", 3, "elapsed_ns"), 0)),
        ("impossible", deep(("samples", 3, "size_bytes"), 12345)),
        ("impossible", deep(("cell", "sizes_bytes", 0), 12345)),
        ("impossible", changed(finished_utc="2026-05-20T18:20:01Z")),
        ("impossible", changed(finished_utc="2026-05-20T17:00:00Z")),
        ("impossible", deep(("conditions", "before", "free_bytes"), 10**15)),
        ("impossible", deep(("sizes", 1, "allocated_bytes"), 10**15)),
        ("impossible", changed(ceiling=None)),
        ("impossible", deep(("steps", 0, "elapsed_ns"), 60_000_000_000)),
        ("synthetic", deep(("cell", "host"), "stand-in-mac")),
        ("doubtful", deep(("ceiling", "write_bytes_per_second"), 5_000_000_000)),
        ("personal", changed(warnings=["/Users/jane was busy"])),
        ("newer", changed(record_version=2)),
        ("newer", deep(("harness", "epoch"), HARNESS_EPOCH + 1)),
        ("damaged", lambda made: {key: one for key, one in made.items() if key != "samples"}),
    ],
)  # fmt: skip
def test_a_bad_record_is_named_for_what_is_wrong_with_it(folder, kind, change):
    bad = save(change(record(20, repeat=2)), folder)
    report, kinds = found(folder)
    assert kinds == {kind}
    assert {finding.path for finding in report.findings} == {bad.relative_to(folder).as_posix()}
    told = "\n".join(lines(report))
    assert told.startswith("Yes" if kind == "doubtful" else "No: 1 of 3 records")
    assert kind in told


def test_smoke_records_are_no_data(folder):
    made = record(20)
    made["cell"] |= {
        "scale": "smoke",
        "sizes_bytes": [n // 200 for n in made["cell"]["sizes_bytes"]],
    }
    for sample in made["samples"]:
        sample["size_bytes"] //= 200
    save(made, folder)
    assert found(folder)[1] == {"smoke"}


def test_a_changed_and_a_moved_record_are_named(folder):
    first, second = sorted(folder.rglob("*.json"))
    first.write_text(first.read_text().replace('"elapsed_ns": 1000000', '"elapsed_ns": 1000001', 1))
    assert found(folder)[1] == {"damaged"}
    second.rename(second.with_name("other.json"))
    assert found(folder)[1] == {"damaged", "misplaced"}


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (deep(("host", "os", "kernel"), "Linux 6.18.44"), "its kernel Linux 6.18.44"),
        (deep(("host", "os", "name"), "debian"), "its kernel Darwin"),
        (deep(("host", "os", "version"), "26.3"), "its release is macos-26.4-25E246"),
        (deep(("cell", "release"), "macos-26.4-25E241"), "its system macos-26.4-25E246"),
    ],
)
def test_a_record_with_another_system_in_its_path_than_in_its_facts_is_refused(folder, change, why):
    save(change(record(5, repeat=3)), folder)
    report, kinds = found(folder)
    assert "impossible" in kinds
    assert any(why in finding.what for finding in report.findings), report.findings


@pytest.mark.parametrize(
    ("host", "release"),
    [("MAC-mini-m4-pro", "macos-26.4-25E246"), ("mac-mini-m4-pro", "macos-26.4-25e246")],
)
@pytest.mark.parametrize("place", ["runs", "sent"])
def test_names_that_differ_by_case_alone_would_be_one_folder_on_a_mac(folder, host, release, place):
    made = record(20, host)
    made["cell"]["release"], made["host"]["os"]["build"] = release, release.split("-")[2]
    other = save(made, folder.parent / place)
    if other.is_relative_to(folder) and len(list(folder.glob("*/*"))) == 1:
        pytest.skip("this file system makes no difference: run this test on Linux")
    report, kinds = found(folder)
    assert kinds == {"no place"}
    assert len(report.bad) == (2 if place == "runs" else 3)


def test_records_in_data_runs_are_not_compared_with_themselves(folder):
    assert found(folder, runs=folder)[1] == set()


def test_a_hostile_text_gives_the_terminal_no_orders(folder):
    orders = "\x1b[2J\x07\u202e\u2066\u200b\ufeff\u2028\U000e0041"
    save(changed(warnings=[f"/Users/jane{orders}doe"])(record(20, repeat=2)), folder)
    told = "\n".join(lines(found(folder)[0]))
    assert "/Users/jane [2J" in told
    assert set(told) & set(orders) == set("[2J")


def test_a_record_of_today_is_not_from_the_future():
    made = record()
    ended = datetime(2026, 5, 20, 18, 0, 50, tzinfo=UTC)
    assert list(impossible(made, ended)) == []
    assert list(impossible(made, ended - timedelta(hours=23))) == []
    assert list(impossible(made, ended - timedelta(hours=25))) == ["its end is in the future"]


def test_more_cannot_be_written_than_the_disk_holds():
    made = record()
    made["host"]["storage"]["size_bytes"] = 53_300_000_000
    made["conditions"]["before"]["free_bytes"] = 53_000_000_000
    made["sizes"] = []
    # ten sets of 16 files are 53.3 GB
    assert list(impossible(made, datetime(2026, 5, 21, tzinfo=UTC))) == []
    made["host"]["storage"]["size_bytes"] = 53_299_000_000
    assert list(impossible(made, datetime(2026, 5, 21, tzinfo=UTC))) == [
        "it wrote more than its disk holds"
    ]


@pytest.mark.parametrize(
    ("scale", "sets"), [("gold", 2), ("gold", 9), ("gold", 11), ("half", 2), ("half", 6)]
)
def test_fewer_or_more_sets_than_those_of_its_scale_are_another_scale(scale, sets):
    # gold are ten passes over the 16 sizes, half are five
    right = {"gold": 10, "half": 5}[scale]
    for given, told in ((right, []), (sets, [f"its files are not those of scale {scale}"])):
        made = record(scale=scale, sets=given)
        made["samples"] = [one for one in made["samples"] if one["set"] <= given]
        assert list(impossible(made, datetime(2026, 5, 21, tzinfo=UTC))) == told


@pytest.mark.parametrize("op", ["write", "read"])
@pytest.mark.parametrize(("times", "kind"), [(0.9, None), (4.4, "doubtful"), (9.5, "doubtful"), (10.5, "impossible")])  # fmt: skip
def test_up_to_ten_times_of_what_memory_did_is_a_doubt(op, times, kind):
    made = record()
    files = [one for one in made["samples"] if one["op"] == op]
    seconds = sum(one["elapsed_ns"] for one in files) / 1e9
    rate = sum(one["size_bytes"] for one in files) / seconds
    made["ceiling"][f"{op}_bytes_per_second"] = round(rate / times)
    assert [bool(list(look(made))) for look in (doubtful, impossible)] == [
        kind == "doubtful",
        kind == "impossible",
    ]


def test_of_many_of_a_kind_one_is_shown_and_the_command_ends_with_6(folder, capsys, monkeypatch):
    bad_ones = []
    for number in range(5):
        bad = changed(warnings=["/Users/jane was busy"])(record(20 + number, repeat=number + 2))
        bad_ones.append(save(bad, folder).relative_to(folder).as_posix())
    monkeypatch.chdir(folder.parent)
    assert main([str(folder)]) == 6
    told = capsys.readouterr().out.splitlines()
    assert told[0] == "No: 5 of 7 records (mac-mini-m4-pro) cannot be accepted."
    assert told[-3:] == [
        "  and 4 more of this kind",
        "The other 2 can be accepted without them.",
        "All 5 findings are listed in .diskbench/logs/contribution.txt",
    ]
    assert len(told) == 6
    listed = Path(".diskbench/logs/contribution.txt").read_text(encoding="utf-8").splitlines()
    assert len(set(listed)) == 5
    assert listed == [f"personal: {path}: a home folder: /Users/jane" for path in sorted(bad_ones)]


def test_where_the_list_cannot_be_written_the_answer_is_given_all_the_same(
    folder, capsys, monkeypatch
):
    (folder / "fifo.json").write_text("{", encoding="utf-8")
    monkeypatch.chdir(folder.parent)
    Path(".diskbench").touch()
    assert main([str(folder)]) == 6
    told = capsys.readouterr().out.splitlines()
    assert told[0].startswith("No: 1 of 3 records")
    assert told[-1].startswith(".diskbench/logs/contribution.txt, a list of all, cannot be written")
