"""The public tables: columns, comments, contents."""

import json
import re
from pathlib import Path

import made_up
import pytest

import strict_yaml
from database.load import sql_files

PROJECT = Path(__file__).parents[3]
PROMISED = {
    "published_speed": "article host macos storage format encryption phase condition read_gbps write_gbps quote source",
    "published_size": "article host macos format quantity state value unit quote source",
    "measured_speed": "cell op",
    "sample": "cell op order set size_bytes elapsed_ns slept",
    "container_size": "cell state allocated_bytes apparent_bytes bands free_bytes",
    "article_table": "article",
    "release_change": "host",
}


def columns(example, table):
    found = example.execute(
        "select column_name from duckdb_columns() where table_name = ? order by column_index",
        [table],
    )
    return [name for (name,) in found.fetchall()]


@pytest.mark.parametrize("table", PROMISED)
def test_the_promised_tables_begin_with_the_promised_columns(example, table):
    promised = PROMISED[table].split()
    assert columns(example, table)[: len(promised)] == promised


def test_measured_speed_shows_every_figure_of_every_summary(example):
    figures = example.execute("select * exclude reason from speed_statistic").fetchall()
    assert len(figures) == 2 * 2 * 6
    for cell, op, statistic, *expected in figures:
        name = f"{statistic}_gbps"
        shown = (
            f"select {name}, {name}_low, {name}_high from measured_speed where cell = ? and op = ?"
        )
        assert example.execute(shown, [cell, op]).fetchall() == [tuple(expected)]


def test_every_table_and_column_has_a_comment(example):
    silent = example.execute(
        """
        select table_name, null as column_name from duckdb_tables() where comment is null
        union all
        select view_name, null from duckdb_views() where not internal and comment is null
        union all
        select table_name, column_name from duckdb_columns()
        where database_name = current_database() and coalesce(comment, '') = ''
        """
    ).fetchall()
    # each needs one: in its file of workflow/sql/marts, or in workflow/sql/columns.yaml if many tables have a column of that name
    assert silent == []


@pytest.mark.parametrize("word", ["unstated", "any"])
def test_a_column_with_a_word_for_what_is_not_known_explains_it(example, word):
    unexplained = []
    for table, column, comment in example.execute("""
        select table_name, column_name, comment from duckdb_columns()
        where not internal and data_type = 'VARCHAR'
    """).fetchall():  # fmt: skip
        holds = f'select count(*) from "{table}" where "{column}" = ?'
        [(words,)] = example.execute(holds, [word]).fetchall()
        if words and f'"{word}"' not in comment:
            unexplained.append((table, column))
    assert unexplained == []


def test_a_column_that_tells_figures_apart_explains_its_nulls(example):
    silent = []
    for table, column, comment in example.execute("""
        select table_name, column_name, comment from duckdb_columns()
        where not internal and column_name in
            ('host', 'macos', 'storage', 'format', 'encryption', 'phase', 'protocol', 'scale', 'op')
    """).fetchall():  # fmt: skip
        holds = f'select count(*) from "{table}" where "{column}" is null'
        [(nulls,)] = example.execute(holds).fetchall()
        if nulls and "null" not in comment:
            silent.append((table, column))
    assert silent == []


def test_durations_are_whole_nanoseconds_but_for_estimates(example):
    parts = example.execute("""
        select distinct column_name from duckdb_columns()
        where column_name like '%\\_ns' escape '\\' and data_type <> 'BIGINT' order by all
    """).fetchall()  # fmt: skip
    page = (PROJECT / "reports" / "data.qmd").read_text(encoding="utf-8")
    [said] = re.findall(r"integers, except the estimates ([^.]+)\.", page)
    assert [name for (name,) in parts] == sorted(set(re.findall(r"`(\w+_ns)`", said)))


def test_every_whole_number_fits_into_parquet(example):
    """Parquet has none of 128 bits: DuckDB would write a floating-point number."""
    wide = example.execute("""
        select table_name, column_name from duckdb_columns()
        where not internal and data_type like '%HUGEINT%'
    """).fetchall()
    assert wide == []


def test_nothing_but_tables_with_meaning_is_left_in_the_database(example):
    names = [name for (name,) in example.execute("show tables").fetchall()]
    assert not [name for name in names if name.startswith(("stg_", "raw_"))]
    views = "select view_name from duckdb_views() where not internal order by 1"
    assert example.execute(views).fetchall() == [
        ("comparable_article",),
        ("comparable_article_size",),
        ("comparable_size",),
        ("comparable_speed",),
        ("known_speed",),
    ]


def test_each_sql_file_makes_and_comments_the_one_object_that_it_is_named_for(folders):
    files = sql_files(folders.sql)
    assert len(files) > 20
    for file in files:
        text = re.sub("--.*", "", file.read_text(encoding="utf-8"))
        macros = re.findall(r"create macro (\w+)", text)
        assert set(re.findall(r"comment on macro (?:table )?(\w+)", text)) == set(macros)
        made = re.findall(r"create (?:temp )?(?:table|view) (\w+)", text)
        assert (made or macros[-1:]) == [re.sub(r"^\d+_", "", file.stem)]
        # the staging tables are gone with the connection that builds
        kept = {name for name in made if not name.startswith("stg_")}
        assert set(re.findall(r"comment on (?:table|view) (\w+)", text)) == kept
        assert set(re.findall(r"comment on column (\w+)\.", text)) <= kept


def test_what_a_column_means_is_written_once(folders, example):
    of_published, of_any = strict_yaml.read_yaml(folders.sql / "columns.yaml").values()
    for file in sql_files(folders.sql):
        said = r"comment on column \w+\.(\w+) is '((?:[^']|'')*)';"
        for name, words in re.findall(said, file.read_text(encoding="utf-8")):
            general = (of_published.get(name), of_any.get(name))
            assert words.replace("''", "'") not in general, (file.name, name)
    for name, words in (*of_published.items(), *of_any.items()):
        [(tables,)] = example.execute(
            "select count(*) from duckdb_columns() where column_name = ? and comment = ?",
            [name, words],
        ).fetchall()
        assert tables > 1, name


def test_comments_are_last_in_each_file_so_that_they_can_be_left_out(folders):
    for file in sql_files(folders.sql):
        _, *comments = re.split(r"(?=\ncomment on )", file.read_text(encoding="utf-8"), maxsplit=1)
        for text in comments:
            rest = re.sub(r"'(?:[^']|'')*'", "", text)
            assert re.fullmatch(r"(\s*comment on [^;]+;)+\s*", rest), file.name


def test_the_sql_reads_every_key_of_the_schema_and_no_other(folders):
    schema = json.loads(folders.schema.read_text(encoding="utf-8"))
    text = (folders.sql / "staging/04_stg_record.sql").read_text(encoding="utf-8")
    read = json.loads(text[text.index("'{") + 1 : text.index("}'") + 1])
    needless = {"record_version"}
    of_cell = {"cell_version"}

    def compare(part, rules, place):
        while "$ref" in rules or "anyOf" in rules:
            if "anyOf" in rules:
                [rules] = [one for one in rules["anyOf"] if one.get("type") != "null"]
            else:
                rules = schema["$defs"][rules["$ref"].rpartition("/")[2]]
        if isinstance(part, list):
            compare(part[0], rules["items"], f"{place}[]")
        elif isinstance(part, dict):
            known = set(rules["properties"])
            if place == "record":
                known -= needless
            if place == "record.cell":
                known -= of_cell
            if place == "record.cell.io":
                known -= {"cache", "durability"}
            assert set(part) == known, place
            for key, inner in part.items():
                # of the steps of a phase only their names count
                if place != "record.cell.phases[]":
                    compare(inner, rules["properties"][key], f"{place}.{key}")

    compare(read, schema, "record")


def test_what_a_record_does_not_know_or_is_older_than_is_null(save, query):
    unknown = dict.fromkeys(("chip", "memory_bytes", "virtual_machine")) | {"cores": []}
    nothing = dict.fromkeys(("ceiling", "position", "planned", "access")) | {"host": unknown}
    save(parts=nothing, release="debian-13-6.12.1")
    save(repeat=2)
    newer = {
        f"{what}_bytes_per_second": speed * 10**9
        for what, speed in (("null_write", 400), ("null_read", 900), ("content", 75))
    }
    for repeat, access in ((3, (3, 4_194_304)), (4, (0, None))):
        keys = ("cipher_threads", "ahead_bytes")
        save(
            parts={"ceiling": newer, "access": dict(zip(keys, access, strict=True))}, repeat=repeat
        )
    limits = "ceiling_write_gbps, ceiling_null_write_gbps, ceiling_null_read_gbps, ceiling_content_gbps, ceiling_clock_ns"
    assert query(f"select position, {limits}, cipher_threads, ahead_bytes from cell order by repeat") == [
        (None,) * 8,
        (1, 12.0, None, None, None, 63, None, None),
        (1, 12.0, 400.0, 900.0, 75.0, 63, 3, 4_194_304),
        (1, 12.0, 400.0, 900.0, 75.0, 63, 0, None),
    ]  # fmt: skip
    facts = (
        "select chip, cores, memory_bytes, virtual_machine from host order by release desc limit 1"
    )
    assert query(facts) == [(None,) * 4]


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


def test_facts_of_the_record_reach_their_tables(example):
    one = example.execute(
        """
        select host, release, os_name, os_version, protocol, harness_epoch, cache_reached,
            ceiling_write_gbps, cast(started_utc as varchar), seed, position, planned
        from cell where cell = 'made-up-linux/debian-12-6.1.147/usage-phases-gold/internal/native/native-none/1/fresh'
        """
    ).fetchall()
    assert one == [
        ("made-up-linux", "debian-12-6.1.147", "debian", "12", "usage-phases", 1, "none", 12.0,
         "2026-11-20 18:48:19", 305419896, 1, 5)
    ]  # fmt: skip
    machine = "select chip, cores, memory_bytes, virtual_machine, tools, cells from host where os_version = '12'"
    assert example.execute(machine).fetchall() == [
        ("made-up chip", "2 performance", 25_769_803_776, True, None, 3)
    ]
    assert example.execute("select distinct bus, file_system from storage_device").fetchall() == [
        ("virtio", "ext4")
    ]
    assert example.execute(
        "select moment, load_1min, low_power_mode from condition limit 2"
    ).fetchall() == [("before", 0.12, False), ("after", 1.2, False)]
    assert example.execute(
        'select "order", step, elapsed_ns, note from step limit 2'
    ).fetchall() == [(1, "create", 1234, None), (2, "detach", 1, "nothing to detach")]
    sizes = "select state, allocated_bytes, apparent_bytes, bands, free_bytes from container_size"
    assert example.execute(f"{sizes} limit 1").fetchall() == [("new", 4096, 0, None, 1)]


@pytest.mark.parametrize(
    ("table", "key"),
    [
        ("cell", "cell"),
        ("sample", 'cell, op, "order"'),
        ("measured_speed", "cell, op"),
        ("speed_statistic", "cell, op, statistic"),
        ("host", "host, release"),
        ("storage_device", "host, release, storage"),
        ("condition", "cell, moment"),
        ("published_speed", "article, table_order"),
        ("published_size", "article, table_order"),
        ("published_table", "article, table_name"),
        ("published_table", "article, table_number"),
        ("published_figure", "article, table_order"),
        ("published_elsewhere", "source_id, source_order"),
        ("published_format", "article, format"),
        ("conclusion", "article, number"),
        ("article_table", "article, table_order, op, measured_host, measured_release"),
        ("release_change", "earlier_cell, later_cell, op"),
        ("command", 'cell, step_order, "order"'),
        ("process_use", "cell, step_order, process"),
        ("round_speed", "cell, op, round"),
        ("quiet", "cell"),
        ("image_fact", "cell, fact"),
    ],
)
def test_each_table_has_one_row_per_key(example, table, key):
    doubled = example.execute(f"select {key} from {table} group by all having count(*) > 1")
    assert doubled.fetchall() == []


def test_records_that_a_test_made_mark_their_host(save, query):
    marked = [
        ("mac-mini-m4-pro", "Mac16,11", "Apple M4 Pro", False),
        ("linux-box", None, None, False),
        ("made-up-linux", None, "Apple M4 Pro", True),
        ("mac-mini-m4-pro", None, "made-up chip", True),
        ("mac-mini-m4-pro", "synthetic", "Apple M4 Pro", True),
    ]
    for number, (host, model, chip, _) in enumerate(marked):
        save(parts={"host": {"model": model, "chip": chip}}, host=host, release=f"macos-26.{number}-25A")  # fmt: skip
    found = query("select made_up from host order by release")
    assert found == [(mark,) for *_, mark in marked]


def test_of_records_that_differ_the_latest_describes_the_machine_and_its_disk(save, query):
    for day, bus in ((2, "usb4"), (3, "apple-fabric"), (1, "virtio")):
        facts = {"memory_bytes": day << 30, "storage": {"bus": bus}}
        parts = {"started_utc": f"2026-11-0{day}T10:00:00Z", "host": facts}
        save(parts=parts, scale="tenth", repeat=day)
    found = "select memory_bytes, bus from host inner join storage_device using (host, release)"
    assert query(found) == [(3 << 30, "apple-fabric")]


def test_releases_are_in_numeric_order(example):
    for earlier, later in (
        ("12.4", "15.0.1"),
        ("26.9", "26.10"),
        ("26.3.1 (a)", "26.4"),
        ("26 beta", "26.0"),
        ("macos-26.4-25E246", "macos-27.0-26A100"),
        ("macos-9.2-1", "10.0"),
        # betas follow each earlier release, in the order of their builds
        ("26.3.1 (a)", "26.4 beta"),
        ("27.2", "macos-28.0-27A5194q"),
        ("macos-28.0-27A5194q", "macos-28.0-27A5290c"),
        ("macos-28.0-27A5290c", "macos-28.0-27A300"),
        ("28.0 beta (27A5290c)", "28.0"),
    ):
        asked = "select release_order(?) < release_order(?)"
        assert example.execute(asked, [earlier, later]).fetchone() == (True,), earlier
    # a word has no place
    asked = "select release_order('unstated'), release_order('Monterey'), release_order(null)"
    assert example.execute(asked).fetchone() == (None, None, None)


def test_releases_of_a_host_are_numbered_by_version_and_build_whenever_measured(save, query):
    # the last beta was measured after the release, and the update before it
    measured = [
        ("macos-26.10-25K771280a", 1),
        ("macos-26.10-25K5207k", 2),
        ("macos-26.9-25J90", 3),
        ("macos-26.10-25K246", 2),
        ("macos-26.10-25K5210a", 4),
        ("macos-26.10-25K246", 4),
    ]
    for release, day in measured:
        parts = {f"{end}_utc": f"2026-11-0{day}T10:00:00Z" for end in ("started", "finished")}
        save(parts=parts, host="a", release=release, scale="tenth", repeat=day)
    assert query(
        "select release, release_number, day(first_started_utc), day(last_finished_utc) from host order by 2"
    ) == [
        ("macos-26.9-25J90", 1, 3, 3),
        ("macos-26.10-25K5207k", 2, 2, 2),
        ("macos-26.10-25K5210a", 3, 4, 4),
        ("macos-26.10-25K246", 4, 2, 4),
        ("macos-26.10-25K771280a", 5, 1, 1),
    ]


def test_builds_of_another_system_are_numbered_by_their_first_day(save, query):
    for day, kernel in ((1, "6.9.1"), (2, "6.12.1"), (3, "6.1.147")):
        parts = {f"{end}_utc": f"2026-11-0{day}T10:00:00Z" for end in ("started", "finished")}
        save(parts=parts, release=f"debian-12-{kernel}", scale="tenth")
    assert query("select os_build, macos from host order by release_number") == [
        ("6.9.1", None),
        ("6.12.1", None),
        ("6.1.147", None),
    ]


def test_the_dictionary_and_the_schema_describe_a_files_time_alike(folders):
    schema = json.loads(folders.schema.read_text(encoding="utf-8"))
    told = schema["$defs"]["Sample"]["properties"]["elapsed_ns"]["description"]
    assert "flush" in told
    comment = told.replace("'", "''") + "; size_bytes / elapsed_ns is GB/s"
    sql = (folders.sql / "marts" / "21_sample.sql").read_text(encoding="utf-8")
    assert f"comment on column sample.elapsed_ns is '{comment}';" in sql
