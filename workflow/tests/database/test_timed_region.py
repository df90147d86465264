"""What the time of a file covers stands in the dictionary in the words of the core."""

import json
from pathlib import Path

WORKFLOW = Path(__file__).parents[2]


def test_the_dictionary_says_of_a_files_time_what_the_schema_of_records_says():
    schema = json.loads((WORKFLOW / "schemas" / "record.schema.json").read_text(encoding="utf-8"))
    told = schema["$defs"]["Sample"]["properties"]["elapsed_ns"]["description"]
    assert "flush" in told
    comment = told.replace("'", "''") + "; size_bytes / elapsed_ns is GB/s"
    sql = (WORKFLOW / "sql" / "marts" / "21_sample.sql").read_text(encoding="utf-8")
    assert f"comment on column sample.elapsed_ns is '{comment}';" in sql
