"""Rows from Python are inserted unchanged, with NaN as null."""

import math

import duckdb
import pytest

from database import rows


@pytest.fixture
def table():
    with duckdb.connect() as connection:
        connection.execute("create table told (name varchar, rate double, files integer)")
        yield connection


def test_texts_numbers_and_nothing_keep_their_kind(table):
    given = [("a", 1.5, 2), (None, 2.0, 3), ("nan", 0.1 + 0.2, 0)]
    rows.insert(table, "told", given)
    assert table.execute("from told").fetchall() == given


def test_nan_becomes_null(table):
    rows.insert(table, "told", [("a", None, 1), ("b", math.nan, 2), ("c", math.inf, 3)])
    assert table.execute("select rate from told").fetchall() == [(None,), (None,), (math.inf,)]
    # nothing is counted, and no average is spoilt
    assert table.execute("select count(rate) from told").fetchone() == (1,)


def test_a_column_of_nothing_and_no_rows_at_all_are_taken_too(table):
    rows.insert(table, "told", [])
    rows.insert(table, "told", [(None, None, 1), (None, None, 2)])
    assert table.execute("from told").fetchall() == [(None, None, 1), (None, None, 2)]


def test_rows_of_another_width_are_refused(table):
    with pytest.raises(ValueError):
        rows.insert(table, "told", [("a", 1.0)])
