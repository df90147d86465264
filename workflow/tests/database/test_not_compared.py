"""What may differ from an article's measurement, one build of macOS each, and what the tables say of it."""

import made_up
import pytest
from asked import asking

# UDSB, not encrypted, new: published are 7.62 GB/s of writing, and 32 MB
LIKE_THE_ARTICLE = {"host": "mac-mini-m4-pro", "driver": "apple", "format": "UDSB"}
NOT_REACHED = {"asked": "bypass", "reached": "none"}
# as nothing differs, it is compared; of one run there is no verdict
ALIKE, OTHER_RELEASE, NO_ROW = "too few runs", "another release", None
FAILED = {"status": "failed", "reason": "no room"}
# parts of the cell, and of the record; what is said of the speed of writing, and of the size
CASES = {
    "nothing": ({}, {}, ALIKE, ALIKE),
    "machine": ({"host": "mac-studio-m1-max"}, {}, ["other-machine"], ["other-machine"]),
    "smoke scale": ({"scale": "smoke"}, {}, ["smoke"], ["smoke"]),
    "scale": ({"scale": "tenth"}, {}, ["other-scale"], ["other-scale"]),
    "storage": ({"storage": "usb4-980pro"}, {}, ["other-storage"], ["other-storage"]),
    "a storage of no article": ({"storage": "an-ssd"}, {}, ["other-storage"], ["other-storage"]),
    "driver": ({"driver": "portable"}, {}, ["our-driver"], ["our-driver"]),
    "protocol": ({"protocol": "remounted"}, {}, ["other-protocol"], ["other-protocol"]),
    "two things": ({"host": "made-up-mac", "scale": "smoke"}, {}, *[["other-machine", "smoke"]] * 2),
    "chip": ({}, {"host": {"chip": "Apple M1"}}, ["other-chip"], ["other-chip"]),
    "unknown chip": ({}, {"host": {"chip": None}}, *[["machine-unknown"]] * 2),
    "perhaps a guest": ({}, {"host": {"virtual_machine": None}}, *[["machine-unknown"]] * 2),
    # even with the name of the Mac
    "a guest": ({}, {"host": {"virtual_machine": True}}, *[["virtual-machine"]] * 2),
    # small SSDs are slower: the article's has 2 TB
    "disk": ({}, {"host": {"storage": {"size_bytes": 500_277_792_768}}}, ["other-disk"], ALIKE),
    # the article states FileVault
    "disk without encryption": (
        {}, {"host": {"storage": {"encryption": "none"}}}, ["other-encryption"], ALIKE
    ),
    # the articles' disks count as APFS
    "file system": (
        {}, {"host": {"storage": {"file_system": "exfat"}}}, *[["other-file-system"]] * 2
    ),
    # the articles say nothing of these
    "model of the disk": (
        {}, {"host": {"storage": {"device_model": "an SSD", "bus": "USB"}}}, ALIKE, ALIKE
    ),
    # what a size does not depend on
    "blocks": ({}, {"cell": {"io": {"block_bytes": 4096}}}, ["other-blocks"], ALIKE),
    "cache mode": ({}, {"cache": NOT_REACHED}, ["cache-not-reached"], ALIKE),
    "low power mode": (
        {}, {"warnings": ["low power mode was on: the machine was slowed down"]}, ["low-power"], ALIKE
    ),
    "Rosetta": (
        {}, {"warnings": ["diskbench ran under Rosetta"], "warning_codes": ["translated"]},
        ["translated"], ALIKE,
    ),
    "warm reads": ({}, {"warnings": [made_up.WARM]}, ALIKE, ALIKE),
    "in memory": ({}, {"warnings": [made_up.IN_MEMORY]}, ["in-memory"], NO_ROW),
    "a stand-in": ({}, {"host": {"stand_in": True}}, NO_ROW, NO_ROW),
    "bands": ({"band_bytes": 1 << 20}, {}, NO_ROW, NO_ROW),
    # of this figure writes alone can be compared
    "encryption": ({"encryption": "AES-256"}, {"warnings": [made_up.WARM]}, NO_ROW, NO_ROW),
    "failed": ({}, FAILED, *["could not be measured"] * 2),
    # elsewhere, or under another release, that says nothing of the figure
    "failed elsewhere": ({"host": "mac-studio-m1-max"}, FAILED, *[["failed", "other-machine"]] * 2),
    "failed later": ({"release": "macos-26.4-25E246"}, FAILED, *[["failed"]] * 2),
    # which releases are the same: test_releases.py
    "update": ({"release": "macos-26.3.1-25D125"}, {}, OTHER_RELEASE, OTHER_RELEASE),
    "system": (
        {"release": "debian-26.3.1-25D771280a"}, {"host": {"storage": {"file_system": "apfs"}}},
        OTHER_RELEASE, OTHER_RELEASE,
    ),
}  # fmt: skip
NO_MAC = {"smoke scale", "a storage of no article", "driver", "two things", "a stand-in", "system"}
SPEED = "article_table where article = 'encryption-2026' and format = 'UDSB' and encryption = 'none' and phase = 'fresh'"
SIZE = "article_size_table where article = 'encryption-2026' and format = 'UDSB' and state = 'new'"


def release(name):
    number = [*CASES].index(name)
    return CASES[name][0].get("release", f"macos-26.3.1-25D7712{number:02}a")


@pytest.fixture(scope="module")
def query(without_records, project_folders, tmp_path_factory):
    """Asks a database of all these."""
    folders = project_folders(tmp_path_factory.mktemp("different"))
    for name, (cell, parts, *_) in CASES.items():
        made = made_up.record(parts=parts, **LIKE_THE_ARTICLE | {"release": release(name)} | cell)
        made_up.save(made_up.sized(made, ("new", 32_000_000, 4, None)), folders.runs)
    with asking(without_records, folders) as ask:
        yield ask


@pytest.mark.parametrize(("table", "which"), [(f"{SPEED} and op = 'write'", 2), (SIZE, 3)])
def test_what_differs_is_said_and_has_no_ratio(query, table, which):
    found = query(
        f"select measured_release, verdict, reasons, ratio is null, measured_reason from {table}"
    )
    expected = []
    for name, case in CASES.items():
        failed = case[1].get("reason")
        if isinstance(case[which], list):
            expected.append((release(name), "not comparable", case[which], True, failed))
        elif case[which] is not NO_ROW:
            expected.append((release(name), case[which], None, bool(failed), failed))
    assert sorted(found) == sorted(expected)


def test_nothing_else_has_a_ratio_either(query):
    for table in ("article_table", "article_size_table"):
        found = query(f"from {table} where verdict = 'not comparable' and ratio is not null")
        assert found == []
    statistics = "select count(least_ratio) + count(largest_ratio) from article_table"
    assert query(f"{statistics} where verdict = 'not comparable'") == [(0,)]


def test_reads_that_may_be_of_memory_are_not_comparable_while_writes_are(query):
    warm = f"where release = '{release('warm reads')}' order by op"
    assert query(f"select op, why_not_comparable from measured_speed {warm}") == [
        ("read", ["read-from-memory"]),
        ("write", None),
    ]
    assert query(f"select op from comparable_speed {warm}") == [("write",)]
    reads = query(
        f"select verdict, reasons from {SPEED} and op = 'read' "
        f"and measured_release = '{release('warm reads')}'"
    )
    assert reads == [("not comparable", ["read-from-memory"])]


def test_what_was_not_measured_on_a_mac_is_in_no_view_of_what_can_be_compared(query):
    shown = {release(name) for name in CASES} - {release(name) for name in NO_MAC}
    failed = {release(name) for name in CASES if name.startswith("failed")}
    sizeless = {release(name) for name in ("perhaps a guest", "a guest", "in memory")} | failed
    assert query("select distinct release from comparable_size order by all") == [
        (one,) for one in sorted(shown - sizeless)
    ]
    spoilt = {
        release(one) for one in ("cache mode", "low power mode", "Rosetta", "in memory")
    } | failed
    assert query("select distinct release from comparable_speed order by all") == [
        (one,) for one in sorted(shown - spoilt)
    ]
    for table in ("article", "article_size"):
        beside = query(f"select distinct measured_release, verdict from comparable_{table}")
        assert {one for one, _ in beside} <= {None, *shown}
        assert "not comparable" not in {verdict for _, verdict in beside}


@pytest.mark.parametrize("table", ["article", "article_size"])
def test_each_published_figure_has_a_row_there_all_the_same(query, table):
    key = "article, table_order" + (", op" if table == "article" else "")
    counts = [
        query(f"select count(*), count(distinct ({key})) from {view}")
        for view in (f"{table}_table", f"comparable_{table}")
    ]
    assert counts[0][0][1] == counts[1][0][1]
    unmeasured = f"from comparable_{table} where verdict = 'not measured yet'"
    assert query(f"select count(*) {unmeasured}") == query(f"select count(distinct ({key})) {unmeasured}")  # fmt: skip
