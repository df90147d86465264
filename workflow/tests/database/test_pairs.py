"""Two cells are one pair only if they differ in nothing else: in release, in encryption, or in having an image."""

import made_up
import pytest
from asked import asking

from proofs.support.records import merged

RELEASE, LATER, LATEST = "macos-26.5-25F71", "macos-27.0-26A100", "macos-27.1-26B50"
# why a pair has no ratio, by host
TABLES = {
    "release_change": "select distinct host, ratio, why_not_comparable from release_change",
    "encryption_cost": f"select distinct host, ratio, why_not_comparable from encryption_cost where release = '{RELEASE}'",
    "format_cost": f"select distinct host, ratio, reasons from format_cost where release = '{RELEASE}' and encryption = 'none'",
}
EVERY = {*TABLES}
BANDS, BLOCKS = {"band_bytes": 1 << 20}, {"format": "ASIF", "block_bytes": 4096}
OF_IMAGES = ("driver", "format", "band_bytes", "block_bytes")
# what a cell and three others are like, what the others are like beside, and the tables that have a pair
CELLS = [
    ({}, {}, EVERY),
    (BANDS, {}, EVERY),
    (BLOCKS, {}, EVERY),
    ({}, {"host": "made-up-other"}, set()),
    ({}, {"release": LATEST}, {"release_change"}),
    ({}, {"storage": "usb4-980pro"}, set()),
    ({}, {"protocol": "remounted"}, set()),
    ({}, {"scale": "half"}, set()),
    ({}, {"phase": "emptied"}, set()),
    ({}, {"repeat": 2}, set()),
    # the disk has neither
    ({}, {"driver": "apple"}, {"format_cost"}),
    ({}, {"format": "UDRW"}, {"format_cost"}),
    ({}, BANDS, {"format_cost"}),
    ({"format": "ASIF"}, BLOCKS, {"format_cost"}),
]
# what differs in how the others were measured, and its code
SETTINGS = [
    ({"harness": {"epoch": 2}}, "other-epoch"),
    ({"cell": {"io": {"block_bytes": 4096}}}, "other-blocks"),
    ({"cell": {"sets": 5}}, "other-sets"),
    ({"cache": {"asked": "bypass", "reached": "bypass"}}, "other-cache"),
    ({"durability": {"asked": "full", "reached": "full"}}, "other-durability"),
    ({"host": {"chip": "another chip"}}, "other-chip"),
    # two Macs of one kind have one slug
    ({"host": {"model": "another model"}}, "other-machine"),
    ({"host": {"memory_bytes": 8 << 30}}, "other-machine"),
    ({"host": {"storage": {"size_bytes": 500_277_792_768}}}, "other-disk"),
    # two SSDs of one capacity
    ({"host": {"storage": {"device_model": "another model"}}}, "other-disk"),
    ({"host": {"storage": {"bus": "USB"}}}, "other-disk"),
    ({"host": {"storage": {"file_system": "hfs"}}}, "other-file-system"),
]


def stalled(op, order, size):
    """Times of files of which every fourth is far slower, in reading as in writing."""
    return made_up.stalled(5.0, 5.0)("write", order, size)


def save_four(runs, host, alike, other, parts, time=None, others=None):
    """A cell, the same under a later release and encrypted, and the disk of the same run."""
    usual = {"host": host, "release": RELEASE, "scale": "tenth", "driver": "portable", "format": "UDSB"}  # fmt: skip
    model = {"host": {"model": "made-up model", "storage": {"device_model": "made-up SSD"}}}
    made_up.save_runs(runs, time, parts=model, **usual | alike)
    of_disk = {key: value for key, value in other.items() if key not in OF_IMAGES}
    for cell in (
        usual | alike | {"release": LATER} | other,
        usual | alike | {"encryption": "AES-256"} | other,
        usual | of_disk | {"driver": "native", "format": "native"},
    ):
        made_up.save_runs(runs, others, parts=merged(model, parts), **cell)


@pytest.fixture(scope="module")
def query(without_records, project_folders, tmp_path_factory):
    """Asks a database with a host for each case."""
    folders = project_folders(tmp_path_factory.mktemp("pairs"))
    for number, (alike, other, _) in enumerate(CELLS):
        save_four(folders.runs, f"made-up-cell-{number}", alike, other, {})
    for number, (parts, _) in enumerate(SETTINGS):
        save_four(folders.runs, f"made-up-setting-{number}", {}, {}, parts)
    # bytes / time and the slope of either side differ
    save_four(folders.runs, "made-up-one-differs", {}, {}, {}, time=stalled)
    save_four(folders.runs, "made-up-others-differ", {}, {}, {}, others=stalled)
    with asking(without_records, folders) as ask:
        yield ask


@pytest.mark.parametrize("table", TABLES)
def test_cells_that_differ_in_anything_else_are_no_pair(query, table):
    found = {host for host, ratio, _ in query(TABLES[table]) if ratio is not None}
    pairs = [number for number, (*_, tables) in enumerate(CELLS) if table in tables]
    assert found == {f"made-up-cell-{number}" for number in pairs}


@pytest.mark.parametrize("table", TABLES)
def test_cells_that_were_measured_in_two_ways_are_a_pair_without_a_ratio(query, table):
    found = query(TABLES[table])
    for number, (_, code) in enumerate(SETTINGS):
        of_host = [row[1:] for row in found if row[0] == f"made-up-setting-{number}"]
        assert of_host == [(None, [code])]


@pytest.mark.parametrize("table", TABLES)
def test_a_ratio_that_depends_on_the_statistic_is_none(query, table):
    found = [row for row in query(TABLES[table]) if row[0].endswith(("-differs", "-differ"))]
    why = ["statistics-differ"]
    assert sorted(found) == [
        ("made-up-one-differs", None, why),
        ("made-up-others-differ", None, why),
    ]
