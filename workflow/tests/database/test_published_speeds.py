"""Published speeds in the tables and views are those of the files, each with its kind and quote."""

import csv
from pathlib import Path

PUBLISHED = Path(__file__).parents[3] / "data/published"


def rows(name: str) -> list[dict[str, str]]:
    with (PUBLISHED / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def of_a_known_mac(name: str) -> list[dict[str, str]]:
    return [row for row in rows(name) if "unstated" not in (row["host"], row["macos"])]


def speeds(row: dict[str, str]) -> list[tuple[str, float, float | None]]:
    """Direction, GB/s and the upper end of a range; a direction without a number is left out."""
    return [
        (op, float(row[f"{op}_gbps"]), float(to) if (to := row.get(f"{op}_gbps_to")) else None)
        for op in ("read", "write")
        if row[f"{op}_gbps"]
    ]


def test_the_articles_speeds_stand_with_what_kind_of_number_each_direction_is(example):
    expected = [
        (row["article"], int(row["table_order"]), op, gbps, to,
         row["write_kind"] or row["kind"] if op == "write" else row["kind"], row[f"{op}_as_printed"])
        for row in of_a_known_mac("speeds.csv")
        for op, gbps, to in speeds(row)
    ]  # fmt: skip
    found = example.execute(
        "select article, table_order, op, gbps, gbps_to, kind, as_printed from known_speed "
        "where basis = 'published' and article is not null"
    ).fetchall()
    assert sorted(found) == sorted(expected)
    assert expected


def test_the_speeds_of_other_sources_stand_with_theirs(example):
    expected = [
        (row["source_id"], op, gbps, row["kind"], row[f"{op}_as_printed"], row["read_as"] != "opening")
        for row in of_a_known_mac("elsewhere.csv")
        if row["quantity"] == "speed"
        for op, gbps, _ in speeds(row)
    ]  # fmt: skip
    found = example.execute(
        "select origin, op, gbps, kind, as_printed, second_hand from known_speed "
        "where basis = 'published' and article is null"
    ).fetchall()
    assert sorted(found) == sorted(expected)
    assert expected


def test_a_written_speed_has_the_quote_that_states_it(example):
    quotes = {}
    for row in rows("speeds.csv"):
        place = (row["article"], int(row["table_order"]))
        quotes[*place, "read"] = row["quote"]
        quotes[*place, "write"] = row["write_quote"] or row["quote"]
    found = example.execute("select distinct article, table_order, op, quote from article_table")
    for article, order, op, quote in found.fetchall():
        assert quote == quotes[article, order, op]
