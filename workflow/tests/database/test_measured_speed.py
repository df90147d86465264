"""The speeds of a cell, what they leave out, and whether they may be compared."""

import made_up
import pytest


def test_a_cell_of_known_speed_has_that_speed_and_a_sample_for_every_file(save, query):
    save(made_up.steady(5, 6, per_file_ns=1_000_000))
    [(theil_sen, low, high, total, count, size, time)] = query(
        """
        select theil_sen_gbps, theil_sen_gbps_low, theil_sen_gbps_high, total_gbps, files, bytes, elapsed_ns
        from measured_speed where op = 'write'
        """
    )
    assert (theil_sen, low, high) == pytest.approx((5, 5, 5))
    # 10 sets of 5.33 GB
    assert (count, size) == (160, 53_300_000_000)
    assert time == 160 * 1_000_000 + 53_300_000_000 // 5
    assert total == pytest.approx(size / time)
    assert query("select count(*), count(distinct size_bytes) from sample") == [(320, 16)]
    first = query('select "order", "set", size_bytes, elapsed_ns, slept from sample limit 1')
    assert first == [(1, 1, 2_000_000, 1_000_000 + 333_333, False)]


def test_measured_speed_shows_every_figure_of_every_summary(example):
    figures = example.execute("select * exclude reason from speed_statistic").fetchall()
    assert len(figures) == 2 * 2 * 6
    for cell, op, statistic, *expected in figures:
        name = f"{statistic}_gbps"
        shown = (
            f"select {name}, {name}_low, {name}_high from measured_speed where cell = ? and op = ?"
        )
        assert example.execute(shown, [cell, op]).fetchall() == [tuple(expected)]


# the made-up limits are 12 GB/s of writing and 15 GB/s of reading
NEAR_THE_LIMIT = [
    # GB/s written and read, and the directions that are too fast
    (9.5, 11.9, set()),
    (9.7, 11.9, {"write"}),
    (9.5, 12.1, {"read"}),
    (30, 30, {"write", "read"}),
]


def test_a_direction_within_80_percent_of_the_harness_s_own_limit_is_not_comparable(save, query):
    save(*(made_up.steady(write, read, 0) for write, read, _ in NEAR_THE_LIMIT))
    found = query("select repeat, op, comparable, why_not_comparable, ceiling_share from measured_speed")  # fmt: skip
    assert len(found) == 2 * len(NEAR_THE_LIMIT)
    for repeat, op, comparable, why, share in found:
        write, read, spoilt = NEAR_THE_LIMIT[repeat - 1]
        assert (comparable, why) == ((False, ["near-limit"]) if op in spoilt else (True, None))
        assert share == pytest.approx({"write": write / 12, "read": read / 15}[op], rel=1e-4)
    assert query("select distinct comparable from cell") == [(True,)]


def test_the_larger_of_headline_and_bytes_by_time_is_compared_with_the_limit(save, query):
    # 9.9 of 12 GB/s, but every fourth file at 0.02
    save(made_up.stalled(9.9, 6.0))
    [(why, total, share)] = query(
        "select why_not_comparable, total_gbps, ceiling_share from measured_speed where op = 'write'"
    )
    assert why == ["near-limit"]
    assert total < 0.1
    assert share == pytest.approx(9.9 / 12, rel=0.01)


@pytest.mark.parametrize("ceiling", [None, {"write_bytes_per_second": 0}])
def test_without_a_limit_no_speed_is_near_it(save, query, ceiling):
    save(made_up.steady(90, 90), parts={"ceiling": ceiling})
    found = "select comparable, ceiling_share from measured_speed where op = 'write'"
    assert query(found) == [(True, None)]


def test_a_cell_that_failed_or_was_skipped_has_rows_with_its_reason(example):
    found = example.execute(
        """
        select op, status, reason, theil_sen_gbps, files, comparable, theil_sen_reason
        from measured_speed where status <> 'measured' order by status, op
        """
    ).fetchall()
    failed = ("failed", "the disk was full", None, 0, False, "failed: the disk was full")
    why = "this system cannot make ASIF"
    skipped = ("skipped", why, None, 0, False, f"skipped: {why}")
    assert found == [(op, *row) for row in (failed, skipped) for op in ("read", "write")]


def test_the_files_of_a_failed_cell_are_kept_but_give_no_speed(folders, query):
    made = made_up.record()
    made |= {"status": "failed", "reason": "unplugged", "samples": made["samples"][:5]}
    made_up.save(made, folders.runs)
    assert query("select count(*) from sample") == [(5,)]
    assert query("select files, total_gbps from measured_speed where op = 'write'") == [(5, None)]
    assert query("select count(*) from speed_statistic") == [(0,)]


def test_files_during_which_the_machine_slept_are_left_out_and_counted(folders, query):
    made = made_up.record(made_up.noisy(5, 6))
    made["samples"][10] |= {"slept": True, "elapsed_ns": 10**13}
    made_up.save(made, folders.runs)
    columns = "files, slept_files, total_gbps > 4, comparable, why_not_comparable"
    found = query(f"select {columns} from measured_speed where op = 'write'")
    assert found == [(159, 1, True, False, ["slept"])]
    found = query("select files, total_gbps > 4 from round_speed where op = 'write'")
    assert found == [(159, True)]
    assert query("select files from file_summary where op = 'write'") == [(159,)]
    assert query("from file_outlier") == []


def test_where_the_machine_slept_during_every_file_the_speed_says_so(folders, query):
    made = made_up.record()
    made_up.save(
        made | {"samples": [one | {"slept": True} for one in made["samples"]]}, folders.runs
    )
    found = query("select distinct files, slept_files, theil_sen_reason from measured_speed")
    assert found == [(0, 160, "the machine slept during every file")]


def test_a_direction_without_files_is_no_speed_and_is_compared_with_nothing(folders, query):
    for release in ("macos-26.3-25D125", "macos-26.4-25E246"):
        for repeat in (1, 2, 3):
            made = made_up.record(protocol="churn", release=release, repeat=repeat)
            made_up.save(made_up.rounds(made, 5, 4), folders.runs)
    for table in ("measured_speed", "repeated_speed", "release_change"):
        assert query(f"select distinct op from {table}") == [("write",)], table


@pytest.mark.parametrize("status", ["failed", "skipped"])
def test_a_run_that_failed_has_no_row_of_a_direction_that_its_protocol_lacks(
    folders, query, status
):
    for repeat in (1, 2):
        made = made_up.rounds(made_up.record(protocol="churn", repeat=repeat), 5, 4)
        if repeat == 2:
            made |= {"status": status, "reason": "the disk was full", "samples": []}
        made_up.save(made, folders.runs)
    found = query("select repeat, op, status from measured_speed order by repeat")
    assert found == [(1, "write", "measured"), (2, "write", status)]
    assert query("select distinct op, status from repeated_speed") == [("write", "measured")]


def test_a_cell_is_comparable_if_it_ran_as_requested_and_at_scale_by_the_programs_of_macos(
    save, query
):
    save()
    save(parts={"cache": {"asked": "bypass", "reached": "none"}}, repeat=2)
    save(parts={"durability": {"asked": "full", "reached": "fsync"}}, repeat=3)
    save(parts={"host": {"stand_in": True}}, scale="smoke", repeat=4)
    for table in ("cell", "measured_speed"):
        columns = "distinct repeat, stand_in, comparable, why_not_comparable"
        assert query(f"select {columns} from {table} order by repeat") == [
            (1, False, True, None),
            (2, False, False, ["cache-not-reached"]),
            (3, False, False, ["durability-not-reached"]),
            (4, True, False, ["smoke", "stand-in"]),
        ]
    # one such record marks the machine, and not its other records
    assert query("select stand_in from host") == [(True,)]
