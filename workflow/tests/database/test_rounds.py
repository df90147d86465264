"""The speed of every round: churn writes five times to one image."""

import made_up
import pytest

ROUND_BYTES = 53_300_000_000


def test_each_round_of_churn_has_its_own_speed(folders, query):
    made = made_up.rounds(made_up.record(protocol="churn"), 5, 4, 3, 2.5, 1)
    made_up.save(made, folders.runs)
    found = query("select op, round, files, bytes, total_gbps from round_speed")
    assert [row[:4] for row in found] == [("write", n, 160, ROUND_BYTES) for n in (1, 2, 3, 4, 5)]
    assert [row[4] for row in found] == pytest.approx([5, 4, 3, 2.5, 1], rel=1e-6)


def test_a_phase_that_writes_and_reads_once_has_one_round_of_each(folders, query):
    made_up.save(made_up.record(made_up.steady(5, 6, per_file_ns=0)), folders.runs)
    found = query("select op, round, files, bytes, total_gbps from round_speed")
    assert [row[:4] for row in found] == [(op, 1, 160, ROUND_BYTES) for op in ("read", "write")]
    assert [row[4] for row in found] == pytest.approx([6, 5])


def test_a_round_has_as_many_files_as_sets_and_sizes_make(folders, query):
    made = made_up.rounds(made_up.record(protocol="churn", scale="half"), 5, 4)
    made_up.save(made, folders.runs)
    assert query("select round, files from round_speed") == [(1, 80), (2, 80)]


def test_a_cell_that_failed_in_its_second_round_has_what_it_wrote_of_it(folders, query):
    made = made_up.rounds(made_up.record(protocol="churn"), 5, 4)
    made |= {"status": "failed", "reason": "unplugged", "samples": made["samples"][:165]}
    made_up.save(made, folders.runs)
    assert query("select round, files from round_speed") == [(1, 160), (2, 5)]


def test_files_during_which_the_machine_slept_are_in_no_round(folders, query):
    made = made_up.rounds(made_up.record(protocol="churn"), 5, 4)
    made["samples"][200] |= {"slept": True, "elapsed_ns": 10**13}
    made_up.save(made, folders.runs)
    assert query("select round, files from round_speed") == [(1, 160), (2, 159)]
    assert query("select total_gbps > 3.9 from round_speed where round = 2") == [(True,)]
