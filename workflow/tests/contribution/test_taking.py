"""Importing records checks and labels them; it overwrites only what the study would measure again."""

import errno
import gzip
import io
import tarfile
from pathlib import Path

import pytest
from archives import EARLIER, EPOCH_3, HOST, RELEASE, packed, record, save, sent, taken
from harmful import HARMFUL, file_of
from tree import below

import durable
import lock
import voucher
import withdrawn
from console import StudyError
from contribution import archive, submitting, taking
from proofs.support import bulk
from record import RUNS, path_of


def test_taking_in_twice_changes_nothing_and_more_of_the_same_mac_is_added(here):
    first = taken(sent())
    before = below(RUNS)
    assert (first.new, first.here) == (2, 0)
    again = taken(sent())
    assert (again.new, again.here) == (0, 2)
    assert below(RUNS) == before
    more = taken(sent(numbers=(1, 2)))
    assert (more.new, more.here) == (1, 1)
    assert before.items() <= below(RUNS).items()


@pytest.mark.parametrize("left", ["folder", "half a label", "another label"])
def test_what_a_full_disk_left_of_an_archive_does_not_keep_it_out(here, left):
    folder = Path("data/runs", HOST, RELEASE)
    folder.mkdir(parents=True)
    if left != "folder":
        (folder / voucher.FILE).write_text("" if left == "half a label" else "community\n")
    assert taken(sent(), voucher.RUNNER).new == 2
    assert voucher.of(RUNS, HOST, RELEASE) == voucher.RUNNER


@pytest.mark.parametrize("works", [0, 1])
@pytest.mark.parametrize(
    ("module", "call"), [(taking, "sync"), (taking, "link"), (durable, "sync")]
)
def test_of_an_archive_that_cannot_be_filed_nothing_stays(here, monkeypatch, module, call, works):
    path, real, calls = sent(), getattr(module, call), []

    def until_the_disk_is_full(*words):
        calls.append(words)
        if len(calls) > works:
            raise OSError(errno.ENOSPC, "no space", str(words[0]))
        real(*words)

    monkeypatch.setattr(module, call, until_the_disk_is_full)
    with pytest.raises(OSError, match="no space"):
        taken(path)
    assert list(RUNS.rglob("*")) == []
    monkeypatch.undo()
    monkeypatch.chdir(here)
    # as a call that was killed leaves it
    (RUNS / f"{taking.WAITING}x").mkdir()
    assert taken(path).new == 2
    assert not list(RUNS.glob(".*"))


def test_two_do_not_take_records_in_at_once(here):
    archive_of_two = sent()
    taking.LOCK.parent.mkdir()
    with (
        lock.held(taking.LOCK, ""),
        pytest.raises(StudyError, match="another call is importing") as error,
    ):
        taking.main([str(archive_of_two)])
    assert error.value.code == 5
    assert not RUNS.exists()


@pytest.mark.parametrize(("main", "words"), [(taking.main, ["sent.tgz"]), (submitting.main, [])])
def test_records_on_a_disk_that_is_not_connected_are_not_taken_for_none(here, main, words):
    sent()
    Path("data").mkdir()
    RUNS.symlink_to("/Volumes/unplugged")
    with pytest.raises(StudyError, match="data/runs leads to /Volumes/unplugged, which") as error:
        main(words)
    assert error.value.code == 4


def test_a_refusal_counts_more_than_a_file_that_is_not_there(here):
    Path("odd.tgz").write_bytes(b"no archive")
    assert taking.main(["odd.tgz", "missing.tgz"]) == 6
    assert taking.main(["missing.tgz"]) == 2


def withdraw(name, content, reason="a backup ran"):
    """A line for a file in a list of withdrawn records, which is made."""
    withdrawn.FILE.parent.mkdir(exist_ok=True)
    line = ",".join([*withdrawn.key(name, content), "2026-11-20", reason])
    withdrawn.FILE.write_text(f"{','.join(withdrawn.COLUMNS)}\n{line}\n")


def test_a_withdrawn_record_is_neither_taken_again_nor_keeps_the_others_of_its_archive_out(
    here, capsys
):
    path = sent()
    assert taken(path).new == 2
    name, content = file_of(record(HOST, 0))
    (RUNS / name).unlink()
    withdraw(name, content)
    assert taking.main([str(sent(numbers=(0, 1, 2)))]) == 0
    said = "1 records imported as community, 1 here already, 1 withdrawn"
    assert said in capsys.readouterr().err
    assert not (RUNS / name).exists()


def test_a_withdrawn_record_that_is_still_here_is_not_sent(here):
    wrong, right = (save(number).relative_to(RUNS).as_posix() for number in (0, 1))
    assert set(submitting._files(HOST)) == {wrong, right}
    withdraw(wrong, (RUNS / wrong).read_bytes())
    assert set(submitting._files(HOST)) == {right}


def test_a_label_that_stays_is_not_said_to_have_changed(here, capsys):
    path = sent()
    assert taking.main([str(path)]) == 0
    assert "2 records imported as community" in capsys.readouterr().err
    assert taking.main([str(path), "--hosted-runner"]) == 0
    assert "0 records imported, no label is changed, 2 here already" in capsys.readouterr().err


def kinds(path, **words):
    return {one.kind for one in taken(path, **words).refused.findings}


def test_another_record_of_a_cell_that_is_here_is_refused_and_nothing_is_overwritten(here, capsys):
    assert taken(sent()).new == 2
    before = below(RUNS)
    other = packed("other.tgz", "a", record(HOST, 0, seed=9), record(HOST, 1))
    assert kinds(other) == {"cell taken"}
    assert below(RUNS) == before
    # the one that is here already would be left out
    taking.main([str(other)])
    assert f"No: 1 of 2 records ({HOST}) cannot be accepted." in capsys.readouterr().out


@pytest.mark.parametrize("release", bulk.RELEASES)
def test_smoke_records_of_ones_own_are_to_be_moved_not_the_sender_to_measure_again(here, release):
    made = save(9, scale="smoke", release=release)
    assert kinds(sent()) == {"no place"}
    made.unlink()
    assert taken(sent()).new == 2


def test_nothing_is_added_to_records_with_another_label(here):
    save()
    assert kinds(sent(numbers=(4, 5)), same_mac=True) == {"another label"}
    assert taken(sent(host="mac-b"), voucher.RUNNER).new == 2
    assert kinds(sent(host="mac-b", numbers=(7,)), same_mac=True) == {"another label"}
    assert len(below(RUNS)) == 4  # and the label of mac-b


def of_release(release, number, **changes):
    made = record(HOST, number)
    made["cell"]["release"] = release
    version, build = release.split("-")[1:]
    made["host"]["os"] |= {"version": version, "build": build}
    return made | changes


@pytest.mark.parametrize("release", bulk.RELEASES)
def test_a_sender_adds_to_a_host_what_another_sender_cannot(here, capsys, release):
    assert taken(sent(sender="a")).new == 2
    assert taken(packed("more.tgz", "a", of_release(release, 5))).new == 1
    # everybody who has a clone has these records and can repeat them
    before = below(RUNS)
    repeated = record(HOST, 0), record(HOST, 1), of_release(release, 6)
    assert taking.main([str(packed("other.tgz", "b", *repeated))]) == 6
    assert below(RUNS) == before
    told = capsys.readouterr().out
    assert "measured under another host name (--config host=" in told
    assert f"data/runs/{HOST} has records of another sender" in told
    assert taking.main(["other.tgz", "--same-mac"]) == 0
    assert below(RUNS).keys() - before.keys() == {path_of(repeated[2]["cell"])}
    # from now on, the mark is that of this Mac
    assert taken(packed("next.tgz", "b", of_release(release, 7))).new == 1


@pytest.mark.parametrize("label", [None, "community\n"], ids=["our own", "an older label"])
def test_records_of_a_host_whose_sender_is_not_known_need_an_option(here, label):
    path = save()
    if label:
        (path.parents[5] / voucher.FILE).write_text(label)
    other = packed("other.tgz", "a", of_release(bulk.RELEASES[0], 5))
    assert kinds(other) == {"another sender"}
    assert taken(other, same_mac=True).new == 1
    assert taken(packed("next.tgz", "a", of_release("macos-26.5-25F71", 6))).new == 1


@pytest.mark.parametrize("changes", EARLIER.values(), ids=EARLIER)
def test_a_result_that_the_study_would_measure_again_is_replaced_by_the_new_one(here, changes):
    first = packed("first.tgz", "a", record(HOST, 0) | changes, record(HOST, 1))
    assert taken(first).new == 2
    before = below(RUNS)
    again = record(HOST, 0, seed=9) | {"harness": EPOCH_3}
    assert kinds(packed("other.tgz", "b", again)) == {"another sender"}
    other_mac = again | {"host": again["host"] | {"memory_bytes": 8 * 2**30}}
    assert kinds(packed("other.tgz", "a", other_mac)) == {"cell taken"}
    assert below(RUNS) == before
    second = packed("second.tgz", "a", again, record(HOST, 1))
    assert (taken(second).new, taken(second).here) == (1, 2)
    name = path_of(again["cell"])
    now = below(RUNS)
    [aside] = now.keys() - before.keys()
    assert aside.startswith(f"{name.removesuffix('.json')}.superseded-")
    assert now[aside] == before[name]
    assert now[name] == file_of(again)[1]
    # nothing is changed by the earlier archive
    assert taken(first).here == 2
    assert below(RUNS) == now


def test_a_withdrawn_record_that_is_still_here_is_replaced_by_the_new_one_of_its_machine(here):
    first = packed("first.tgz", "a", record(HOST, 0), record(HOST, 1))
    assert taken(first).new == 2
    name, content = file_of(record(HOST, 0))
    again = record(HOST, 0, seed=9)
    second = packed("second.tgz", "a", again)
    assert kinds(second) == {"cell taken"}
    withdraw(name, content)
    assert kinds(packed("other.tgz", "b", again)) == {"another sender"}
    assert taken(second).new == 1
    assert (RUNS / name).read_bytes() == file_of(again)[1]
    assert (taken(first).new, taken(first).here, taken(first).withdrawn) == (0, 1, 1)


def test_a_replacement_is_undone_with_the_rest_of_its_archive(here, monkeypatch):
    taken(packed("first.tgz", "a", record(HOST, 0) | EARLIER["failed"]))
    before = below(RUNS)

    def full(*_):
        raise OSError(errno.ENOSPC, "no space")

    monkeypatch.setattr(taking, "link", full)
    second = packed("second.tgz", "b", record(HOST, 0, seed=9), record(HOST, 1))
    with pytest.raises(OSError, match="no space"):
        taken(second, same_mac=True)
    assert below(RUNS) == before


def test_a_host_that_differs_by_case_alone_or_a_link_on_the_way_is_refused(here):
    def why(host):
        [finding] = taken(sent(host=host, numbers=(5,))).refused.findings
        assert finding.kind == "no place"
        return finding.what

    assert taken(sent()).new == 2
    assert "differs from it by case alone" in why(HOST.upper())
    (here / "elsewhere").mkdir()
    Path("data/runs/mac-b").symlink_to(here / "elsewhere")
    assert "is a link" in why("mac-b")
    assert not list((here / "elsewhere").iterdir())
    Path("data/runs/mac-c").write_text("")
    assert "is not a folder" in why("mac-c")
    Path("data/runs", path_of(record("mac-d", 5)["cell"])).mkdir(parents=True)
    assert "is not a record" in why("mac-d")


@pytest.mark.parametrize(("made_of", "why"), HARMFUL.values(), ids=HARMFUL)
def test_a_hostile_archive_is_refused_in_one_line_and_leaves_nothing(here, capsys, made_of, why):
    Path("hostile.tgz").write_bytes(made_of(record("edited", 0)))
    before = below(here)
    assert taking.main(["hostile.tgz"]) == 6
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("diskbench: hostile.tgz is refused: ")
    assert why in line
    assert len(line) < 1000
    assert below(here).keys() - {str(taking.LOCK)} == before.keys()


def test_an_archive_that_a_browser_has_decompressed_is_taken_in_whatever_its_name(here):
    # as Safari leaves it: .tgz becomes .tar, or nothing
    packed = sent()
    Path("sent").write_bytes(gzip.decompress(packed.read_bytes()))
    assert taking.main(["sent"]) == 0
    assert taken(packed).here == 2


def test_a_file_that_is_too_long_or_missing_is_refused_before_it_is_unpacked(here, capsys):
    Path("long.tgz").write_bytes(b"\x1f\x8b" + bytes(archive.MOST_BYTES))
    Path("long.tar").write_bytes(bytes(archive.MOST_UNPACKED + 1))
    for name in ("long.tgz", "long.tar"):
        assert taking.main([name]) == 6
        assert "is longer than" in capsys.readouterr().err
    assert taking.main(["none.tgz"]) == 2
    assert taking.main(["."]) == 2


def test_equal_records_give_an_equal_archive_without_personal_data(here):
    files = dict(file_of(record(HOST, number)) for number in range(2))
    assert archive.pack(files) == archive.pack(dict(reversed(files.items())))
    with tarfile.open(fileobj=io.BytesIO(archive.pack(files))) as packed:
        assert {(one.uid, one.gid, one.uname, one.gname, one.mtime) for one in packed} == {
            (0, 0, "", "", 0)
        }
