"""The public tables: columns, comments, keys."""

import json
import re
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[3]
PROMISED = {
    "published_speed": "article host macos storage format encryption phase condition read_gbps write_gbps quote source",
    "published_size": "article host macos format quantity state value unit quote source",
    "sample": "cell op order set size_bytes elapsed_ns slept",
    "container_size": "cell state allocated_bytes apparent_bytes bands free_bytes",
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
    where = "its file of workflow/sql/marts, or in columns.yaml if many tables have a column of that name"
    assert not silent, f"comment on each of {silent} in {where}"


KEYS = {"host", "macos", "storage", "format", "encryption", "phase", "protocol", "scale", "op"}


@pytest.mark.parametrize(
    ("holds", "said"), [("= 'unstated'", '"unstated"'), ("= 'any'", '"any"'), ("is null", "null")]
)
def test_a_column_that_tells_figures_apart_explains_what_is_not_known(example, holds, said):
    unexplained = []
    for table, column, comment in example.execute("""
        select table_name, column_name, comment from duckdb_columns()
        where not internal and data_type = 'VARCHAR'
    """).fetchall():  # fmt: skip
        if said in comment or (said == "null" and column not in KEYS):
            continue
        [(rows,)] = example.execute(
            f'select count(*) from "{table}" where "{column}" {holds}'
        ).fetchall()
        if rows:
            unexplained.append((table, column))
    assert unexplained == []


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


def test_the_sql_reads_every_key_of_the_schema_in_its_type_and_no_other(folders):
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
            other = sorted(set(part) ^ known)
            assert not other, f"{other} of {place} is in 04_stg_record.sql or the schema alone"
            for key, inner in part.items():
                # of the steps of a phase only their names count
                if place != "record.cell.phases[]":
                    compare(inner, rules["properties"][key], f"{place}.{key}")
        else:
            # whole numbers up to the schema's largest
            kind = {"BIGINT": "integer", "BOOLEAN": "boolean", "VARCHAR": "string"}[part]
            assert kind in rules.get("type", "string"), place

    compare(read, schema, "record")


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


def test_the_dictionary_and_the_schema_describe_a_files_time_alike(folders):
    schema = json.loads(folders.schema.read_text(encoding="utf-8"))
    told = schema["$defs"]["Sample"]["properties"]["elapsed_ns"]["description"]
    assert "flush" in told
    comment = told.replace("'", "''") + "; size_bytes / elapsed_ns is GB/s"
    sql = (folders.sql / "marts" / "21_sample.sql").read_text(encoding="utf-8")
    assert f"comment on column sample.elapsed_ns is '{comment}';" in sql
