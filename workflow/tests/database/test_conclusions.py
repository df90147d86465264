"""What the figures say of the articles' conclusions: a supporting, a contradicting and an undecided world of each."""

import math
import re
import statistics
from collections.abc import Iterator
from pathlib import Path

import duckdb
import made_up
import pytest
import worlds

from database import load, published, run_intervals
from database.load import sql_file

ANSWER = """
    select basis, host, outcome, detail from conclusion_evidence
    where article = ? and number = ? order by basis desc, host, release
"""
SQL = Path(__file__).parents[2] / "sql"
NOISE = 0.01  # of each measured figure, to either side


@pytest.fixture(scope="module")
def empty(tmp_path_factory, project_folders) -> Iterator[duckdb.DuckDBPyConnection]:
    """A database without a record, with everything that a build has at hand."""
    folders = project_folders(tmp_path_factory.mktemp("worlds"))
    folders.database.parent.mkdir(parents=True)
    with load.database(folders.database) as connection:
        load.raw_tables(connection, published.read(folders.published), [], [])
        load.objects(connection, folders.sql)
        yield connection


class World:
    """Cells as the tables of a measurement have them."""

    def __init__(self, connection, article, noise=NOISE, repeats=3, **other):
        self.connection, self.article, self.noise, self.repeats = (
            connection,
            article,
            noise,
            repeats,
        )
        self.mac, self.macos, self.protocol, self.scale, self.storages = worlds.PLACES[article]
        self.hosts = set()
        self.cells = set()
        self.vouched = {}  # who vouches for a Mac, where that is not the project
        self.methods = {}  # what differs in how a cell, or a run of it, was measured
        self.spoilt = None  # why no cell is comparable
        for name, value in other.items():
            setattr(self, name, value)

    def insert(self, table, **row):
        """Keep a row for `add`, which inserts those of one shape together."""
        self.rows.setdefault((table, *row), []).append(list(row.values()))

    def add(self, cells):
        self.rows = {}
        for key, figures in cells.items():
            if figures is not None:
                self.add_cell(key, figures)
        for (table, *names), rows in self.rows.items():
            one = f"({', '.join('?' * len(names))})"
            self.connection.execute(
                f"insert into {table} by name "
                f"select * from (values {', '.join([one] * len(rows))}) as t({', '.join(names)})",
                [value for row in rows for value in row],
            )

    def add_cell(self, key, figures):
        cell, _, storage = key.partition(" on ")
        cell, _, what = cell.partition(" ")
        cell, _, mac = cell.partition("#")
        cell, _, macos = cell.partition("@")
        cell, _, band = cell.partition("~")
        cell, _, state = cell.partition("/")
        form, _, encryption = cell.partition("+")
        mac, macos = mac or self.mac, macos or self.macos
        guest = form == "VM"
        host = f"virtualmac-{mac}" if guest else mac
        version, _, build = macos.removesuffix("(a)").strip().partition("=")
        build = "25D771280a" if "(a)" in macos else build or "25X1"
        release = f"macos-{version}-{build}"
        chip = worlds.CHIPS.get(mac, "other")
        if (host, release) not in self.hosts:
            self.hosts.add((host, release))
            self.insert("host", host=host, release=release, os_name="macos", os_version=version, os_build=build,
                        chip=chip + (" (Virtual)" if guest else ""), virtual_machine=guest,
                        vouched_by=self.vouched.get(host, "own"))  # fmt: skip
        phase = (
            state
            if state in ("partly-filled",) or (state and isinstance(figures, tuple))
            else "fresh"
        )
        sets = 5 if guest or self.scale == "half" else 10
        of_mac = {} if guest else {"machine": "a model, 24 GB", "disk": "2.0 TB"}
        method = {"epoch": 1, "chip": chip, **of_mac, "guest": "5 cores, 16 GB" if guest else None, "cache": "none", "durability": "fsync",
                  "block_bytes": 1048576, "sets": sets}  # fmt: skip
        for where in [storage] if storage else self.storages:
            described = {"host": host, "release": release, "os_version": version, "os_build": build,
                         "protocol": "restart" if guest else self.protocol, "scale": "half" if guest else self.scale,
                         "storage": where, "driver": "native" if form in ("native", "VM") else "apple", "format": form,
                         "encryption": encryption or ("FileVault" if form == "native" else "none"),
                         "band_bytes": int(band) if band else None, "phase": phase, "status": "measured",
                         "stand_in": False, "comparable": True}  # fmt: skip
            if isinstance(figures, tuple):
                for op, value in zip(("read", "write"), figures, strict=True):
                    ends = {} if value is None else {
                        "gbps": value, "gbps_low": value * (1 - self.noise), "gbps_high": value * (1 + self.noise)}  # fmt: skip
                    self.insert("repeated_speed", cell=f"{host}/{release}/{where}/{key}", op=op,
                                statistic="theil_sen", runs=self.repeats, **described, **ends)  # fmt: skip
                    self.insert("stg_method", cell=f"{host}/{release}/{where}/{key}", op=op,
                                method=method | self.methods.get(key, {}), counts=True)  # fmt: skip
            for repeat in range(1, self.repeats + 1):
                # the sizes of an image in all its states are of one cell
                of = (
                    key
                    if isinstance(figures, tuple) or what
                    else f"{key.replace(f'/{state}', '')} sizes"
                )
                name = f"{host}/{release}/{where}/{of}/{repeat}"
                if name not in self.cells:
                    self.cells.add(name)
                    series = name.rpartition("/")[0]
                    self.insert(
                        "cell", cell=name, series=series, repeat=repeat, why_not_comparable=self.spoilt, **described
                    )  # fmt: skip
                    other = self.methods.get(key, {}) | self.methods.get(f"{key} run {repeat}", {})
                    for op in ("read", "write"):
                        self.insert(
                            "stg_method", cell=name, op=op, method=method | other, counts=True
                        )
                one = figures[repeat - 1] if isinstance(figures, list) else figures
                self.add_figures(name, state, what, one, 1 + self.noise * (repeat - 2))

    def add_figures(self, cell, state, what, figures, factor):
        if isinstance(figures, tuple):
            return
        if not what:
            self.insert(
                "container_size",
                cell=cell,
                state=state,
                allocated_bytes=round(figures * factor * 1e9),
            )
            return
        self.insert("measured_speed", cell=cell, op="write", comparable=True)
        if what == "spread":
            self.insert(
                "file_summary", cell=cell, op="write", p5_gbps=1.0, p95_gbps=figures * factor
            )
        elif what == "rounds":
            for number, speed in ((1, 1.0), (2, figures * factor)):
                self.insert("round_speed", cell=cell, op="write", round=number, total_gbps=speed)
        elif what == "relation":
            self.add_files(cell, figures)

    def add_files(self, cell, correlation):
        """80 files whose rate follows their size as closely as that."""
        for order in range(80):
            other = order * 37 % 80  # another order, which has nothing to do with the size
            rate = correlation * order + (1 - correlation**2) ** 0.5 * other
            size = 1_000_000 * (order + 1)
            self.insert("sample", cell=cell, op="write", **{'"order"': order + 1, '"set"': 1}, size_bytes=size,
                        elapsed_ns=round(size * 1000 / (rate + 1)), slept=False)  # fmt: skip

    def asked(self, article, number, columns="outcome, detail, host"):
        """The answer of each measured Mac to this conclusion."""
        connection = self.connection
        for name in ("conclusion", "conclusion_pair"):
            connection.execute(
                f"delete from {name} where (article, number) <> (?, ?)", [article, number]
            )
        connection.execute("delete from stg_run_interval")
        for name in ("stg_conclusion_run", "conclusion_figure"):
            file = sql_file(SQL, name)
            query = file.read_text(encoding="utf-8").partition(load.FIRST_COMMENT)[0]
            connection.execute(f"delete from {name}")
            connection.execute(
                re.sub(rf"create (temp )?table {name} as", f"insert into {name}", query)
            )
            if name.startswith("stg"):
                run_intervals.fill(name, connection)
        return connection.execute(
            f"select {columns} from conclusion_answers() "
            "where basis = 'measured' order by host, release"
        ).fetchall()


@pytest.fixture
def world(empty):
    """A world to put cells in; what is put there is gone after the test."""
    empty.begin()
    yield lambda article, **other: World(empty, article, **other)
    empty.rollback()


def outcome(world, article, number, *cells, **other):
    """The one answer about the article's own Mac."""
    whose = other.pop("whose", "") or article
    made = world(whose, **other)
    merged = {}
    for some in cells or (worlds.RIGHT[whose],):
        merged |= some
    made.add(merged)
    mac = worlds.PLACES[whose][0]
    answers = [row for row in made.asked(article, number) if row[2] in (mac, None)]
    # of another macOS there is no verdict
    [found] = [row for row in answers if row[0] != "not comparable"] or answers
    return found[:2]


CASES = [
    pytest.param(article, number, whose, changes, expected, id=f"{article}-{number:02}-{expected}")
    for article, number, whose, right, wrong, open_ in worlds.WORLDS
    for expected, changes in (
        ("supported", right),
        ("contradicted", right | wrong),
        ("undecided", right | open_),
    )
]


@pytest.mark.parametrize(("article", "number", "whose", "changes", "expected"), CASES)
def test_each_conclusion_follows_the_world(world, article, number, whose, changes, expected):
    base = worlds.RIGHT[whose or article]
    found, detail = outcome(world, article, number, base, changes, whose=whose)
    assert found == expected, detail


def test_each_conclusion_that_a_study_measures_has_its_worlds(empty):
    asked = empty.execute("select article, number from conclusion where study is not null")
    assert sorted(asked.fetchall()) == sorted(
        (article, number) for article, number, *_ in worlds.WORLDS
    )


@pytest.mark.parametrize(
    ("vouched", "by"),
    [
        ({}, "own"),
        ({"imac-pro": "community"}, "community and own"),
        ({worlds.STUDIO: "hosted runner"}, "hosted runner and own"),
        (
            dict.fromkeys([worlds.STUDIO, "imac-pro", "macbook-pro-m1-pro"], "community"),
            "community",
        ),
    ],
)
def test_who_vouches_for_any_record_behind_an_answer_is_named(world, vouched, by):
    # three Macs are compared
    made = world("slow-writes-2022", vouched=vouched)
    made.add(worlds.RIGHT["slow-writes-2022"])
    found = made.asked("slow-writes-2022", 5, "host, outcome, vouched_by")
    assert [row[1:] for row in found if row[0] == worlds.STUDIO] == [("supported", by)]


# What keeps a verdict from being one


@pytest.mark.parametrize("number", [2, 5, 13, 14])
def test_fewer_than_three_repeats_are_no_verdict(world, number):
    found, detail = outcome(world, "encryption-2026", number, repeats=2)
    assert found == "undecided"
    assert detail.startswith("2 of 3 repeats: no verdict; ")


@pytest.mark.parametrize("missing", ["UDRW", "UDSB+AES-256"])
def test_a_missing_cell_is_named_and_leaves_it_undecided(world, missing):
    base = worlds.RIGHT["encryption-2026"]
    found, detail = outcome(world, "encryption-2026", 2, base, {missing: None})
    assert found == "undecided"
    cell = missing.replace("+", " ")
    assert detail.startswith(f"not measured: {cell} read on internal, {cell} write on internal; ")


def test_a_direction_that_is_missing_is_named(world):
    base = worlds.RIGHT["encryption-2026"]
    found, detail = outcome(world, "encryption-2026", 13, base, {"ASIF+AES-256": (None, 1.6)})
    assert found == "undecided"
    assert detail.startswith("not measured: ASIF AES-256 read on internal; ")


@pytest.mark.parametrize("why", ["image-unknown", "in-memory"])
def test_sizes_of_what_may_be_no_such_image_or_was_in_memory_decide_nothing(world, why):
    found, _ = outcome(world, "bands-2024", 3, spoilt=[why])
    assert found == "not measured yet"
    # what spoils speeds alone does not change a size
    found, _ = outcome(world, "bands-2024", 3, spoilt=["slept"])
    assert found == "supported"


def test_a_missing_cell_does_not_mend_one_that_contradicts(world):
    base = worlds.RIGHT["encryption-2026"]
    changes = {"ASIF": (5.9, 9.9), "UDRW": None}
    found, told = outcome(world, "encryption-2026", 2, base, changes)
    assert found == "contradicted"
    assert told.startswith("not measured: UDRW read on internal")


@pytest.mark.parametrize(("noise", "expected"), [(0.5, "undecided"), (0.1, "supported")])
def test_an_interval_that_reaches_across_is_undecided(world, noise, expected):
    # 5.1 / 2.84 and 5.2 / 1.58, but each may be half as fast again
    assert outcome(world, "encryption-2026", 13, noise=noise)[0] == expected


def test_the_interval_of_an_open_end_is_undecided(world):
    made = world("encryption-2026")
    made.add(worlds.RIGHT["encryption-2026"])
    made.connection.execute(
        "update repeated_speed set gbps_low = null where cell like '%/UDSB+AES-256'"
    )
    [(found, detail, _)] = [
        row
        for row in made.asked("encryption-2026", 13)
        if row[2] == worlds.MINI and row[0] != "not comparable"
    ]
    assert found == "undecided"
    assert "[open, " in detail


@pytest.mark.parametrize(
    ("other", "why"),
    [
        ({"macos": "26.4"}, "another macOS"),
        ({"macos": "26.3.1"}, "the release before the update (a)"),
        ({"mac": "made-up-mac"}, "another Mac"),
    ],
)
def test_of_another_macos_or_mac_the_figures_stand_without_a_verdict(world, other, why):
    base = worlds.RIGHT["encryption-2026"]
    made = world("encryption-2026", **other)
    made.add({key: value for key, value in base.items() if "@" not in key and "#" not in key})
    [(found, detail, _)] = made.asked("encryption-2026", 13)
    assert found == "not comparable", why
    assert detail.startswith("another Mac or macOS than that of the article; ")
    assert "5.2 / 1.58 = 3.29" in detail


@pytest.mark.parametrize(
    "other",
    [{"scale": "tenth"}, {"scale": "smoke"}, {"scale": "half"}, {"protocol": "remounted"}, {"storages": ["usb-stick"]}],
)  # fmt: skip
def test_cells_measured_in_another_way_are_no_evidence(world, other):
    made = world("encryption-2026", **other)
    made.add(worlds.RIGHT["encryption-2026"])
    [(found, detail, host)] = made.asked("encryption-2026", 13)
    assert (found, host) == ("not measured yet", None)
    assert detail == "bash workflow/run.sh --config study=encryption-2026 scale=gold repeats=3"


@pytest.mark.parametrize(
    "change",
    [
        "comparable = false",
        "stand_in = true",
        "driver = 'portable'",
        "scale = 'smoke'",
        "gbps = null",
        "band_bytes = 1048576",
    ],
)
def test_what_is_not_comparable_is_no_evidence(world, change):
    made = world("encryption-2026")
    made.add(worlds.RIGHT["encryption-2026"])
    made.connection.execute(f"update repeated_speed set {change}")
    assert [row[0] for row in made.asked("encryption-2026", 13)] == ["not measured yet"]


def test_a_guest_of_another_chip_does_not_answer_for_the_mac(world):
    made = world("vm-2026")
    made.add(worlds.RIGHT["vm-2026"])
    made.connection.execute("update host set chip = 'Apple M2 (Virtual)' where virtual_machine")
    [(found, detail, _)] = [
        row
        for row in made.asked("vm-2026", 1)
        if row[2] == worlds.MINI and row[0] != "not comparable"
    ]
    assert found == "undecided"
    assert detail.startswith("not measured: VM read on internal, VM write on internal; ")


@pytest.mark.parametrize(("article", "number"), [("encryption-2026", 13), ("bands-2024", 3)])
def test_images_measured_in_a_guest_decide_nothing(world, article, number):
    made = world(article)
    made.add(worlds.RIGHT[article])
    assert "supported" in [row[0] for row in made.asked(article, number)]
    made.connection.execute("update host set virtual_machine = true")
    assert [row[0] for row in made.asked(article, number)] == ["not measured yet"]


OTHER_MAC = "ASIF+AES-256@{}#macbook-pro-m3-pro"


def test_two_macs_are_compared_under_the_same_update_only(world):
    # 1.72 and 2.82 GB/s under 26.3.1 (a), the same on the other Mac, but before the update
    made = world("encryption-2026")
    made.add({"ASIF+AES-256": (2.82, 1.72), OTHER_MAC.format("26.3.1"): (2.82, 1.72)})
    [(found, detail)] = [
        row[:2] for row in made.asked("encryption-2026", 6) if row[2] == worlds.MINI
    ]
    assert found == "undecided"
    assert detail.startswith("not measured: ASIF AES-256 @macbook-pro-m3-pro read on internal, ")


def test_the_figure_before_an_update_is_not_pooled_with_the_one_after_it(world):
    # the other Mac was as fast before the update and is half as fast after it
    made = world("encryption-2026")
    made.add({
        "ASIF+AES-256": (2.82, 1.72), OTHER_MAC.format("26.3.1"): (2.82, 1.72), OTHER_MAC.format("26.3.1(a)"): (1.41, 0.86),
    })  # fmt: skip
    [(found, detail)] = [
        row[:2] for row in made.asked("encryption-2026", 6) if row[2] == worlds.MINI
    ]
    assert found == "contradicted"
    assert "0.86 / 1.72 = 0.50" in detail


def test_of_two_builds_of_another_release_the_newest_counts_and_not_a_mean_of_both(world):
    # written to at 2 and at 6 GB/s under two builds of 26.0; 6 / 1.6 is much more, 2 / 1.6 is not
    base = {
        "UDRW+AES-256": (2.84, 1.6),
        "ASIF+AES-256": (2.82, 1.6),
        "ASIF+AES-256@26.0=25A354": (4.4, 6.0),
    }
    for older, newer, expected in ((2.0, 6.0, "supported"), (6.0, 2.0, "contradicted")):
        made = world("encryption-2026")
        made.connection.execute("delete from repeated_speed; delete from host")
        made.add(
            base
            | {"UDRW+AES-256@26.0=25A353": (4.5, older), "UDRW+AES-256@26.0=25A354": (4.5, newer)}
        )
        [found] = [
            row[:2] for row in made.asked("encryption-2026", 7) if row[0] != "not comparable"
        ]
        assert found[0] == expected, found[1]


@pytest.mark.parametrize(
    ("emptied", "compacted", "expected"),
    [
        # of 104 GB hardly anything was left to give back, a fifth of that little, and less than nothing
        (1.12, 1.06, "supported"),
        (1.12, 0.90, "supported"),
        (1.12, 1.30, "supported"),
        # 9 and 11 of 100 GB
        (13.0, 4.0, "supported"),
        (15.0, 4.0, "contradicted"),
        # emptying gave back nothing, compaction all
        (104.0, 1.06, "contradicted"),
    ],
)
@pytest.mark.parametrize("number", [4, 8])
def test_what_compaction_gives_back_is_held_against_what_was_freed(
    world, number, emptied, compacted, expected
):
    changes = {"UDSB/emptied": emptied, "UDSB/compacted": compacted}
    base = worlds.RIGHT["bands-2024"]
    found, detail = outcome(world, "bands-2024", number, base, changes)
    assert found == expected, detail


@pytest.mark.parametrize(
    ("before", "expected"), [(0.2, "contradicted"), (0.5, "contradicted"), (0.65, "supported")]
)
def test_almost_ten_times_is_not_thirty_times(world, before, expected):
    # 6 GB/s now: 30, 12 and 9.2 times as fast
    changes = {"VM@12": (4.4, before), "VM@13": (5.4, before)}
    found, detail = outcome(world, "vm-2026", 2, worlds.RIGHT["vm-2026"], changes)
    assert found == expected, detail


def of_the_mini(made, number):
    """The answer about the Mac mini under its own macOS."""
    asked = made.asked("encryption-2026", number)
    [found] = [row[:2] for row in asked if row[2] == worlds.MINI and row[0] != "not comparable"]
    return found


@pytest.mark.parametrize(
    ("other", "told"),
    [
        ({"epoch": 2}, "with the harness of another epoch"),
        ({"cache": "bypass"}, "in another cache mode"),
        ({"durability": "full"}, "with another durability"),
        ({"block_bytes": 4096}, "in blocks of another size"),
        ({"sets": 2}, "with another number of sets of files"),
        ({"chip": "Apple M1"}, "on another chip"),
        ({"machine": "a model, 64 GB"}, "on another kind of machine"),
        ({"disk": "1.0 TB"}, "on a disk of another capacity"),
    ],
)
def test_two_cells_measured_in_two_ways_have_their_figures_and_no_verdict(world, other, told):
    made = world("encryption-2026", methods={"UDSB+AES-256": other})
    made.add(worlds.RIGHT["encryption-2026"])
    found, detail = of_the_mini(made, 13)
    assert found == "undecided"
    assert detail.startswith("not measured alike: ")
    assert told in detail.partition("; read, ")[0]
    assert "5.2 / 1.58 = 3.29" in detail


@pytest.mark.parametrize(
    ("other", "told"),
    [
        ({"durability": "full"}, "with another durability"),
        ({"cache": "bypass"}, "in another cache mode"),
        ({"block_bytes": 4096}, "in blocks of another size"),
        # the article's SSD has 2 TB
        ({"disk": "0.5 TB"}, "on a disk of another capacity"),
    ],
)
def test_cells_that_were_all_measured_in_another_way_than_the_articles_have_no_verdict(
    world, other, told
):
    base = worlds.RIGHT["encryption-2026"]
    made = world("encryption-2026", methods=dict.fromkeys(base, other))
    made.add(base)
    found, detail = of_the_mini(made, 13)
    assert found == "undecided"
    assert detail.startswith(f"not measured alike: {told}; read, ")


@pytest.mark.parametrize("epoch", [2, 7])
def test_a_study_measured_in_one_later_epoch_has_its_verdict(world, epoch):
    base = worlds.RIGHT["encryption-2026"]
    made = world("encryption-2026", methods={key: {"epoch": epoch} for key in base})
    made.add(base)
    assert "supported" in [row[0] for row in made.asked("encryption-2026", 13)]


def test_a_size_does_not_depend_on_cache_mode_durability_or_blocks(world):
    other = {"cache": "bypass", "durability": "full", "block_bytes": 4096}
    made = world("encryption-2026", methods={"UDSB/emptied-again": other})
    made.add(worlds.RIGHT["encryption-2026"])
    assert "supported" in [row[0] for row in made.asked("encryption-2026", 14)]


def test_a_run_of_an_older_epoch_does_not_count_among_those_of_a_size(world):
    newer = {f"UDSB/emptied-again run {repeat}": {"epoch": 2} for repeat in (2, 3)}
    made = world("encryption-2026", noise=0.0, methods=newer)
    made.add({"UDSB/emptied-again": [1.0, 4.0, 4.0]})
    [(value, _, _, repeats)] = figures(made, "size")
    assert (value, repeats) == (pytest.approx(4e9), 2)


@pytest.mark.parametrize("told", ["chip = 'Apple M1'", "chip = null", "virtual_machine = null"])
def test_a_machine_with_the_name_of_a_mac_that_may_be_another_decides_nothing(world, told):
    made = world("encryption-2026")
    made.add(worlds.RIGHT["encryption-2026"])
    made.connection.execute(f"update host set {told}")
    assert [row[0] for row in made.asked("encryption-2026", 13)] == ["not measured yet"]


# What the articles' own figures say


@pytest.mark.parametrize(
    ("article", "number", "outcome", "figures"),
    [
        # what we read out of figures, they do not prove
        ("encryption-2026", 13, "undecided", "the conclusion is our own reading of these figures; "),
        ("encryption-2026", 13, "undecided", "UDSB AES-256 / UDRW AES-256: 5.23 / 1.58 = 3.31"),
        # unencrypted it is not the fastest
        ("encryption-2026", 2, "contradicted", "UDSB / UDRW: 7.62 / 10.11 = 0.75"),
        # nor those that the tolerance of the word was taken from
        ("encryption-2026", 5, "undecided", "the tolerance was set with these figures in view; "),
        ("encryption-2026", 5, "undecided", "1.72 / 1.58 = 1.09"),
        ("encryption-2026", 3, "undecided", "ASIF partly-filled / ASIF: 8.93 / 9.55 = 0.94"),
        ("encryption-2026", 14, "undecided", "3.99 / 0.621 GB = 6.43"),
        ("encryption-2026", 6, "supported", "1.52 / 1.72 = 0.88"),
        ("encryption-2026", 7, "supported", "4.3 / 1.58 = 2.72"),
        # a figure of the SSD's read speed is missing
        ("encryption-2026", 1, "undecided", "not stated: native read on internal; "),
        ("vm-2026", 1, "undecided", "5.91 / 7.66 = 0.77"),
        ("vm-2026", 5, "undecided", "3.11 / 1.59 = 1.96"),
        ("vm-2026", 2, "undecided", "5.91 / 0.7, 0.84 of the stated 10.0"),
        ("vm-2026", 9, "undecided", "3.11 / 5.91, 1.05 of the stated 0.5"),
        ("vm-2026", 4, "supported", "1.59 / 1.58 = 1.01"),
        ("vm-2026", 8, "undecided", "not stated: "),
        # 0.06 GB of 103.02 GB
        ("bands-2024", 4, "supported", "UDSB: 0.0005824; required: below 0.10"),
        ("bands-2024", 3, "undecided", "104.1 / 91.63 GB = 1.14"),
        ("bands-2024", 9, "undecided", "3.2 / 1 = 3.20"),
        # fastest: not without the read speeds
        ("performance-2024", 6, "undecided", "not stated: "),
        ("performance-2024", 3, "undecided", "the only figure in the text is the claim itself"),
        ("performance-2024", 15, "undecided", "the only figure in the text is the claim itself"),
        # the text states the quotient beside the two
        ("performance-2024", 5, "undecided", "the only figure in the text is the claim itself"),
        # one that contradicts is not mended by others that are missing
        ("performance-2024", 12, "contradicted", "write, internal, UDRW / UDSP: 1 / 2 = 0.50"),
        ("performance-2024", 9, "supported", "2 / 0.9 = 2.22"),
        ("slow-writes-2022", 5, "supported", "0.071 / 0.057 = 1.25"),
        ("slow-writes-2022", 10, "undecided", "the only figure in the text is the claim itself"),
        ("explainer-2026", 4, "undecided", "the text does not state the figures"),
        ("repair-2026", 1, "undecided", "no figure decides this"),
    ],
)  # fmt: skip
def test_the_articles_own_figures_are_asked_too(query, article, number, outcome, figures):
    [published, *_] = query(ANSWER, article, number)
    assert (published[0], published[2]) == ("published", outcome)
    assert figures in published[3]


def test_each_conclusion_has_one_answer_of_its_article(query):
    assert query(
        """
        select article, number, count(*) filter (where basis = 'published') from conclusion
        left join conclusion_evidence using (article, number)
        group by all having count(*) filter (where basis = 'published') <> 1
        """
    ) == []  # fmt: skip


def test_when_nothing_was_measured_each_conclusion_that_figures_decide_says_so(query):
    found = query(
        "select host, release, outcome, detail from conclusion_evidence where basis = 'measured'"
    )
    assert len(found) == len(worlds.WORLDS) + 2
    assert {row[:3] for row in found} == {(None, None, "not measured yet")}
    for *_, detail in found:
        assert re.fullmatch(
            r"bash workflow/run\.sh --config study=[a-z-]+-20\d\d scale=(gold|half) repeats=3|no command measures it",
            detail,
        )


def test_our_own_readings_are_marked(query):
    assert query("select article, number from conclusion where ours order by all") == [
        ("bands-2024", 9),
        ("encryption-2026", 3),
        ("encryption-2026", 4),
        ("encryption-2026", 13),
        ("encryption-2026", 14),
    ]


def test_a_conclusion_that_set_a_tolerance_is_one_that_there_is(query):
    named = query("select distinct unnest(set_by) from verdict_rule order by all")
    there = query("select concat(article, ' ', number) from conclusion")
    assert len(named) == 10
    assert set(named) <= set(there)


# The words that decide


def test_each_word_stands_for_one_number_with_its_reason_and_day(query):
    rules = query(
        "select rule, tolerance, reason, set_on from verdict_rule where comparison = 'conclusion'"
    )
    assert {rule for rule, *_ in rules} >= {
        rule for (rule,) in query("select distinct rule from conclusion where rule is not null")
    }
    assert all(reason and day for *_, reason, day in rules)
    # words that say the same have the same number
    same = {rule: number for rule, number, *_ in rules}
    assert same["almost"] == same["similar"] == same["slightly more"]
    assert same["no more"] == same["the same"]


@pytest.mark.parametrize(
    ("rule", "inside", "outside"),
    [
        ("more", [1.01, 9], [0.99, 0.5]),
        ("less than", [0.99, 0.01], [1.01]),
        ("no more", [1.10, 0.2], [1.12, 2]),
        ("the same", [0.92, 1.08], [0.88, 1.13]),
        ("about", [0.85, 1.15], [0.75, 1.25]),
        ("just under", [0.85, 0.99], [0.75, 1.01]),
        ("almost", [0.77, 0.99, 3], [0.73]),
        ("almost a figure", [0.77, 0.99, 1.10], [0.73, 1.12, 3]),
        ("similar", [0.77, 1.30], [0.73, 1.36]),
        ("slightly more", [1.01, 1.30], [0.99, 1.36]),
        ("significantly more", [1.12, 9], [1.10, 0.5]),
        ("high", [0.52, 2], [0.48]),
        ("much more", [1.55, 9], [1.45]),
        ("little", [0.09, 0, -0.2], [0.11, 1]),
        ("no relationship", [-0.45, 0.45], [-0.55, 0.55]),
    ],
)
def test_what_a_word_means(query, rule, inside, outside):
    asked = """select judged(?::double, ?::double, supported_from, supported_to) from verdict_rule
        where comparison = 'conclusion' and rule = ?"""
    for value in inside:
        assert query(asked, value, value, rule) == [("supported",)], value
    for value in outside:
        assert query(asked, value, value, rule) == [("contradicted",)], value


@pytest.mark.parametrize(
    ("published", "system", "version", "build", "same"),
    [
        ("26.4", "macos", "26.4", "25E246", True),
        ("26.4", "macos", "26.4.1", "25E300", False),
        ("26.3.1 (a)", "macos", "26.3.1", "25D771280a", True),
        ("26.3.1 (a)", "macos", "26.3.1", "25D771280b", False),
        ("26.3.1 (a)", "macos", "26.3.1", "25D2128", False),
        ("26.3.1 (a)", "macos", "26.3.1 (a)", None, True),
        ("26.3.1", "macos", "26.3.1", "25D2128", True),
        ("26.3.1", "macos", "26.3.1", "25D771280a", False),
        # a major release alone is any of it
        ("12", "macos", "12.4", "21F79", True),
        ("12", "macos", "13.4", "22F66", False),
        # betas: the fifth of 26.4, one of 26.3.1, one of 12.4
        ("26.4", "macos", "26.4", "25E5207k", False),
        ("26.3.1 (a)", "macos", "26.3.1", "25D5112a", False),
        ("26.3.1", "macos", "26.3.1", "25D5112a", False),
        ("12", "macos", "12.4", "21F5048e", False),
        # another system that counts alike
        ("26.4", "debian", "26.4", "trixie", False),
        ("26.4", "debian", "26.4", "25E246", False),
        ("26.4", None, "26.4", "25E246", False),
    ],
)
def test_a_release_is_the_same_to_the_patch_level_and_no_beta_is_one(
    query, published, system, version, build, same
):
    asked = "select same_macos(?, ?, ?, ?)"
    assert query(asked, published, system, version, build) == [(same,)]


def test_another_system_of_the_same_number_is_no_evidence(world):
    made = world("vm-2026")
    made.add({"UDRW+AES-256": (2.8, 1.6), "native": (6.6, 7.6)})
    assert len(made.asked("vm-2026", 5)) == 1
    made.connection.execute("update host set os_name = 'debian'")
    assert [row[0] for row in made.asked("vm-2026", 5)] == ["not measured yet"]


# The interval of what is measured


def figures(made, comparison):
    """Value, ends and repeats of each measured figure of this comparison."""
    made.asked("encryption-2026", 14)
    return made.connection.execute(
        "select value, low, high, repeats from conclusion_figure "
        "where basis = 'measured' and comparison = ? order by value",
        [comparison],
    ).fetchall()


def test_the_interval_of_a_size_is_students_between_runs_and_not_the_range_of_the_repeats(world):
    made = world("encryption-2026", noise=0.1)
    made.add({"ASIF/emptied-again": 10.0})
    [(value, low, high, repeats)] = figures(made, "size")
    # runs of 9, 10 and 11 GB; Student's t of two degrees is 4.30265
    logs = [math.log(size * 1e9) for size in (9, 10, 11)]
    mean = statistics.fmean(logs)
    reach = 4.30265 * statistics.stdev(logs) / math.sqrt(3)
    assert (low, value, high) == pytest.approx(
        [math.exp(mean - reach), math.exp(mean), math.exp(mean + reach)], rel=1e-5
    )
    assert low < 9e9 and high > 11e9
    assert repeats == 3


@pytest.mark.parametrize("what", ["spread", "rounds"])
def test_a_ratio_of_one_run_has_the_same_interval_between_runs(world, what):
    made = world("bands-2024", noise=0.1)
    made.add({f"UDRW {what}": 2.0})
    [(value, low, high, _)] = figures(made, what)
    ratios = [1.8, 2.0, 2.2] if what == "spread" else [1 / 1.8, 1 / 2.0, 1 / 2.2]
    logs = [math.log(ratio) for ratio in ratios]
    reach = 4.30265 * statistics.stdev(logs) / math.sqrt(3)
    assert math.log(value) == pytest.approx(statistics.fmean(logs))
    assert math.log(high / low) == pytest.approx(2 * reach, rel=1e-5)


def test_sizes_that_do_not_differ_have_an_interval_without_width(world):
    made = world("encryption-2026", noise=0.0)
    made.add({"ASIF/emptied-again": 10.0})
    [(value, low, high, _)] = figures(made, "size")
    assert low == high == value == pytest.approx(10e9)


def test_with_two_runs_there_is_a_figure_and_no_interval(world):
    made = world("encryption-2026", repeats=2)
    made.add({"ASIF/emptied-again": 10.0})
    assert [row[1:] for row in figures(made, "size")] == [(None, None, 2)]


# The whole way from records


def test_records_of_three_repeats_decide(folders, query_built):
    for form, speed in (("UDSB", 5.0), ("UDRW", 1.6), ("ASIF", 1.7)):
        for repeat in (1, 2, 3):
            made = made_up.record(
                made_up.noisy(speed, speed, spread=0.001), format=form, encryption="AES-256", driver="apple",
                host=worlds.MINI, release="macos-26.3.1-25D771280a", repeat=repeat,
            )  # fmt: skip
            made["host"]["virtual_machine"] = False
            made_up.save(made_up.signed(made), folders.runs)
    [answer] = [row for row in query_built(ANSWER, "encryption-2026", 13) if row[0] == "measured"]
    assert answer[1:3] == (worlds.MINI, "supported")
    queries = query_built("select article, number, sql from conclusion where sql is not null")
    assert len(queries) == len(worlds.WORLDS) + 2
    kept = query_built(
        "select article, number, basis, host, outcome from conclusion_evidence order by all"
    )
    for article, number, sql in queries[::9]:
        again = query_built(sql)
        expected = [row[2:] for row in kept if row[:2] == (article, number)]
        assert sorted((row[0], row[1], row[3]) for row in again) == sorted(expected)


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("UDSB AES-256 / UDSB", "UDSX AES-256 / UDSB", "has 'UDSX AES-256', which is no cell"),
        (",much more,", ",very much more,", "rule: 'very much more' is none of"),
        (",0.2,less than,", ",0,less than,", "stated: '0' is not above 0"),
    ],
)
def test_a_slip_in_the_parameters_is_refused(changed, old, new, complaint):
    with pytest.raises(load.StudyError) as error:
        published.read(changed("conclusions.csv", old, new).published)
    assert complaint in error.value.line


def test_a_guest_with_other_cores_or_memory_decides_nothing(world):
    made = world("vm-2026", methods={"VM": {"guest": "4 cores, 16 GB"}})
    made.add(worlds.RIGHT["vm-2026"])
    [(found, detail)] = [row[:2] for row in made.asked("vm-2026", 1) if row[0] != "not comparable"]
    assert found == "undecided"
    assert "in a guest with other cores or memory" in detail
