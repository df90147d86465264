"""The public tables: columns, comments, contents."""

import json
import re

import made_up
import pytest

import strict_yaml
from database.load import sql_files

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


@pytest.mark.parametrize(
    ("table", "further"), [("sample", []), ("container_size", ["order", "volume_free_bytes"])]
)
def test_a_new_key_of_a_record_does_not_become_a_column_by_itself(example, table, further):
    assert columns(example, table) == [*PROMISED[table].split(), *further]


def test_measured_speed_has_every_summary_with_its_interval(example):
    found = set(columns(example, "measured_speed"))
    for statistic in ("total", "mean", "median", "trimmed_mean", "regression", "theil_sen"):
        assert {f"{statistic}_gbps{end}" for end in ("", "_low", "_high")} <= found
    assert {"files", "bytes", "elapsed_ns", "scale", "driver", "status", "comparable"} <= found


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
    needless = {"record_version", "sha256"}
    of_cell = {"cell_version", "phases"}

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
                compare(inner, rules["properties"][key], f"{place}.{key}")

    compare(read, schema, "record")


# what a record may lack: it is older than them, or there is nothing to say of them
MAY_LACK = {
    "Ceiling": {
        "null_write_bytes_per_second",
        "null_read_bytes_per_second",
        "content_bytes_per_second",
    },
    "Cell": {"band_bytes", "block_bytes"},
    "Host": {"stand_in"},
    "ProcessUse": {"ended"},
    "Record": {"access", "image", "quiet", "warning_codes"},
    "SizeRecord": {"volume_free_bytes"},
    "StepRecord": {"commands", "serving"},
    "Storage": {"description"},
}


def test_the_keys_that_a_record_may_lack_are_known(folders):
    schema = json.loads(folders.schema.read_text(encoding="utf-8"))
    kinds = schema["$defs"] | {"Record": schema}
    found = {
        name: set(kind["properties"]) - set(kind["required"])
        for name, kind in kinds.items()
        if "properties" in kind
    }
    assert {name: keys for name, keys in found.items() if keys} == MAY_LACK


def test_what_could_not_be_found_out_is_null(folders, query):
    made = made_up.record()
    made["host"] |= {"chip": None, "memory_bytes": None, "virtual_machine": None, "cores": []}
    made |= {"ceiling": None, "position": None, "planned": None}
    made_up.save(made_up.signed(made), folders.runs)
    assert query("select position, ceiling_write_gbps, status from cell") == [
        (None, None, "measured")
    ]
    assert query("select chip, cores, memory_bytes, virtual_machine from host") == [(None,) * 4]


def test_the_limit_of_the_harness_is_in_the_table_of_cells_and_older_records_lack_a_part(
    folders, query
):
    whole = made_up.record()
    whole["ceiling"] |= {
        "null_write_bytes_per_second": 400_000_000_000,
        "null_read_bytes_per_second": 900_000_000_000,
        "content_bytes_per_second": 7_500_000_000,
    }
    made_up.save(made_up.signed(whole), folders.runs)
    made_up.save(made_up.record(repeat=2), folders.runs)
    assert query(
        """
        select repeat, ceiling_write_gbps, ceiling_read_gbps, ceiling_null_write_gbps,
            ceiling_null_read_gbps, ceiling_content_gbps, ceiling_clock_ns
        from cell order by repeat
        """
    ) == [(1, 12.0, 15.0, 400.0, 900.0, 7.5, 63), (2, 12.0, 15.0, None, None, None, 63)]


def test_the_way_of_reading_and_writing_is_in_the_table_of_cells(folders, query):
    told = [
        {"cipher_threads": 3, "ahead_bytes": 4_194_304},
        {"cipher_threads": 0, "ahead_bytes": None},
    ]
    for repeat, access in enumerate([*told, None], start=1):
        record = made_up.record(repeat=repeat) | {"access": access}
        made_up.save(made_up.signed(record), folders.runs)
    made_up.save(made_up.record(repeat=4), folders.runs)
    assert query("select repeat, cipher_threads, ahead_bytes from cell order by repeat") == [
        (1, 3, 4_194_304), (2, 0, None), (3, None, None), (4, None, None),
    ]  # fmt: skip


# the made-up limits are 12 GB/s of writing and 15 GB/s of reading
@pytest.mark.parametrize(
    ("write_gbps", "read_gbps", "spoilt"),
    [
        (9.5, 11.9, []),
        (9.7, 11.9, ["write"]),
        (9.5, 12.1, ["read"]),
        (30, 30, ["read", "write"]),
    ],
)
def test_a_direction_within_80_percent_of_the_harness_s_own_limit_is_not_comparable(
    folders, query, write_gbps, read_gbps, spoilt
):
    made_up.save(made_up.record(made_up.steady(write_gbps, read_gbps, 0)), folders.runs)
    found = {op: rest for op, *rest in query(
        "select op, comparable, why_not_comparable, ceiling_share from measured_speed"
    )}  # fmt: skip
    assert [op for op in ("read", "write") if not found[op][0]] == spoilt
    for op, limit, speed in (("write", 12, write_gbps), ("read", 15, read_gbps)):
        comparable, why, share = found[op]
        assert why == (None if comparable else ["near-limit"])
        assert share == pytest.approx(speed / limit, rel=1e-4)
    assert query("select comparable from cell") == [(True,)]


def test_without_a_limit_no_speed_is_near_it(folders, query):
    for repeat, ceiling in ((1, None), (2, {"write_bytes_per_second": 0})):
        made = made_up.record(made_up.steady(90, 90), repeat=repeat)
        made["ceiling"] = ceiling and made["ceiling"] | ceiling
        made_up.save(made_up.signed(made), folders.runs)
    assert query(
        "select repeat, comparable, ceiling_share is null from measured_speed where op = 'write' order by repeat"
    ) == [(1, True, True), (2, True, True)]


def test_a_sample_is_there_for_every_file(folders, query):
    made_up.save(made_up.record(made_up.steady(5, 6)), folders.runs)
    assert query("select count(*), count(distinct size_bytes) from sample") == [(320, 16)]
    # 10 sets of 5.33 GB
    assert query("select sum(size_bytes) from sample where op = 'write'") == [(53_300_000_000,)]
    first = query('select "order", "set", size_bytes, elapsed_ns, slept from sample limit 1')
    assert first == [(1, 1, 2_000_000, 500_000 + 333_333, False)]


def test_a_cell_of_known_speed_has_that_speed(folders, query):
    made_up.save(made_up.record(made_up.steady(5, 6, per_file_ns=1_000_000)), folders.runs)
    [(theil_sen, low, high, total, count, size, time)] = query(
        """
        select theil_sen_gbps, theil_sen_gbps_low, theil_sen_gbps_high, total_gbps, files, bytes, elapsed_ns
        from measured_speed where op = 'write'
        """
    )
    assert theil_sen == pytest.approx(5)
    assert low == pytest.approx(5)
    assert high == pytest.approx(5)
    assert (count, size) == (160, 53_300_000_000)
    assert time == 160 * 1_000_000 + 53_300_000_000 // 5
    assert total == pytest.approx(size / time)


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
    made_up.save(made_up.signed(made), folders.runs)
    assert query("select count(*) from sample") == [(5,)]
    assert query("select files, total_gbps from measured_speed where op = 'write'") == [(5, None)]
    assert query("select count(*) from speed_statistic") == [(0,)]


def test_files_during_which_the_machine_slept_are_left_out_and_counted(folders, query):
    made = made_up.record(made_up.steady(5, 6))
    for sample in made["samples"][:3]:
        sample |= {"slept": True, "elapsed_ns": 10**13}
    made_up.save(made_up.signed(made), folders.runs)
    [(files, slept, speed, comparable, why)] = query(
        """
        select files, slept_files, total_gbps, comparable, why_not_comparable
        from measured_speed where op = 'write'
        """
    )
    assert (files, slept, comparable) == (157, 3, False)
    assert speed > 4
    assert why == ["slept"]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({}, None),
        ({"cache": {"asked": "bypass", "reached": "none"}}, ["cache-not-reached"]),
        ({"durability": {"asked": "full", "reached": "fsync"}}, ["durability-not-reached"]),
    ],
)
def test_a_cell_is_comparable_if_it_ran_as_requested(folders, query, change, why):
    made_up.save(made_up.signed(made_up.record() | change), folders.runs)
    assert query("select comparable, why_not_comparable from cell") == [(why is None, why)]


def test_smoke_scale_is_never_comparable(folders, query):
    made_up.save(made_up.record(scale="smoke"), folders.runs)
    assert query("select comparable, why_not_comparable from cell") == [(False, ["smoke"])]


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
    ).fetchall() == [("before", 0.12, None), ("after", 1.2, None)]
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


@pytest.mark.parametrize(
    ("host", "model", "chip", "made_up_data"),
    [
        ("mac-mini-m4-pro", "Mac16,11", "Apple M4 Pro", False),
        ("linux-box", None, None, False),
        ("made-up-linux", None, "Apple M4 Pro", True),
        ("mac-mini-m4-pro", None, "made-up chip", True),
        ("mac-mini-m4-pro", "synthetic", "Apple M4 Pro", True),
    ],
)
def test_records_that_a_test_made_mark_their_host(folders, query, host, model, chip, made_up_data):
    made = made_up.record(host=host)
    made["host"] |= {"model": model, "chip": chip}
    made_up.save(made_up.signed(made), folders.runs)
    assert query("select made_up from host") == [(made_up_data,)]


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("12.4", "15.0.1"),
        ("26.9", "26.10"),
        ("26.3.1 (a)", "26.4"),
        ("26 beta", "26.0"),
        ("macos-26.4-25E246", "macos-27.0-26A100"),
        ("macos-9.2-1", "10.0"),
    ],
)
def test_releases_are_in_numeric_order(example, earlier, later):
    asked = "select release_order(?) < release_order(?)"
    assert example.execute(asked, [earlier, later]).fetchone() == (True,)


def test_releases_of_a_host_are_numbered_by_version_and_builds_by_their_first_day(folders, query):
    measured = [
        ("macos-26.10-25K", 1),
        ("macos-26.9-25J", 3),
        ("macos-26.10-25L", 2),
        ("macos-26.10-25K", 4),
    ]
    for release, day in measured:
        made = made_up.record(host="a", release=release, scale="tenth", repeat=day)
        made |= {f"{end}_utc": f"2026-11-0{day}T10:00:00Z" for end in ("started", "finished")}
        made_up.save(made_up.signed(made), folders.runs)
    assert query(
        "select release, release_number, day(first_started_utc), day(last_finished_utc) from host order by 2"
    ) == [
        ("macos-26.9-25J", 1, 3, 3),
        ("macos-26.10-25K", 2, 1, 4),
        ("macos-26.10-25L", 3, 2, 2),
    ]


def test_a_word_has_no_place_in_the_order_of_releases(example):
    asked = "select release_order('unstated'), release_order('Monterey'), release_order(null)"
    assert example.execute(asked).fetchone() == (None, None, None)


def test_the_dictionary_and_the_schema_describe_a_files_time_alike(folders):
    schema = json.loads(folders.schema.read_text(encoding="utf-8"))
    told = schema["$defs"]["Sample"]["properties"]["elapsed_ns"]["description"]
    assert "flush" in told
    comment = told.replace("'", "''") + "; size_bytes / elapsed_ns is GB/s"
    sql = (folders.sql / "marts" / "21_sample.sql").read_text(encoding="utf-8")
    assert f"comment on column sample.elapsed_ns is '{comment}';" in sql
