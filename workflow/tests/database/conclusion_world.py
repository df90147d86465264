"""Cells for the articles' conclusions, as rows of the measured tables."""

from datetime import datetime, timedelta
from pathlib import Path

import worlds
from asked import make_anew

import vocabulary
from database import load

SQL = Path(__file__).parents[2] / "sql"
# Each answer to a conclusion of an article, by its number there.
ANSWER = """
    select basis, host, outcome, detail from conclusion_evidence
    where article = ? and number = ? order by basis desc, host, release
"""
# of each image under two releases, beyond the disk
CHANGES = """
    insert into release_change by name
    select
        host,
        storage,
        driver,
        protocol,
        scale,
        format,
        encryption,
        earlier.band_bytes,
        phase,
        op,
        earlier.release as earlier_release,
        later.release as later_release,
        later.gbps_low / earlier.gbps_high / $disk as ratio_to_disk_low,
        later.gbps_high / earlier.gbps_low / $disk as ratio_to_disk_high
    from repeated_speed as earlier
    inner join repeated_speed as later using (host, storage, driver, protocol, scale, format, encryption, phase, op)
    where earlier.release < later.release and earlier.band_bytes is not distinct from later.band_bytes
"""
START = datetime(2026, 5, 20, 22)
NOISE = 0.01  # of each measured figure, to either side


class World:
    """Cells as the tables of a measurement have them."""

    def __init__(self, connection, article, noise=NOISE, repeats=3, **other):
        self.connection, self.article = connection, article
        self.noise, self.repeats = noise, repeats
        self.mac, self.macos, self.protocol, self.scale, self.storages = worlds.PLACES[article]
        self.hosts = set()
        self.cells = set()
        self.vouched = {}  # who vouches for a Mac, where that is not the project
        self.synthetic = []  # Macs with synthetic records
        self.methods = {}  # what differs in how a cell, or a run of it, was measured
        self.nights = {}  # hours after the others at which the first and last run of a cell started
        self.spoilt = None  # why no cell is comparable
        self.comparable = True  # whether the speeds of its files are
        self.disk = 1.0  # how fast it is under a later macOS, as a share; None: not measured
        self.number = 1  # of several worlds: each has a build of macOS of its own
        for name, value in other.items():
            setattr(self, name, value)

    def insert(self, table, **row):
        """Keep a row for `add`, which inserts those of one shape together."""
        self.rows.setdefault((table, *row), []).append(row)

    def add(self, cells):
        self.rows = {}
        for key, figures in cells.items():
            if figures is not None:
                self.add_cell(key, figures)
        for (table, *_), rows in self.rows.items():
            # as one value: thousands would take ten times as long
            self.connection.execute(
                f"insert into {table} by name select unnest(?, max_depth := 2)", [rows]
            )

    def release(self, macos=None):
        """Version, build and slug of a release, in this world."""
        macos = macos or self.macos
        version, _, build = macos.replace(" ", "").partition("=")
        build = build or f"25X{self.number}"
        return version, build, f"macos-{version}-{build}"

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
        version, build, release = self.release(macos)
        chip = vocabulary.HOSTS.get(mac, {}).get("chip", "other")
        if (host, release) not in self.hosts:
            self.hosts.add((host, release))
            self.insert("host", host=host, release=release, os_name="macos", os_version=version, os_build=build,
                        chip=chip + (" (Virtual)" if guest else ""), virtual_machine=guest,
                        vouched_by=self.vouched.get(host, "own"), made_up=host in self.synthetic)  # fmt: skip
        phase = state if state and isinstance(figures, tuple) else "fresh"
        sets = 5 if guest or self.scale == "half" else 10
        of_mac = {} if guest else {"machine": "a model, 24 GB", "disk": "2.0 TB"}
        first, last = (START + timedelta(hours=hours) for hours in self.nights.get(key, (0, 0)))
        method = {"epoch": 1, "chip": chip, **of_mac, "guest": "5 cores, 16 GB" if guest else None, "cache": "none", "durability": "fsync",
                  "block_bytes": 1048576, "sets": sets}  # fmt: skip
        for where in [storage] if storage else self.storages:
            # where the cell does not say it
            below = "FileVault" if where == "internal" else "none"
            own = guest or (form == "native" and where == "internal")
            method |= {"disk_encryption": None if own else below}
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
                                statistic="theil_sen", runs=self.repeats,
                                method=method | self.methods.get(key, {}), first_started_utc=first,
                                last_started_utc=last, **described, **ends)  # fmt: skip
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
                        "cell", cell=name, series=series, repeat=repeat, why_not_comparable=self.spoilt,
                        started_utc=last if repeat == self.repeats else first, **described
                    )  # fmt: skip
                    other = self.methods.get(key, {}) | self.methods.get(f"{key} run {repeat}", {})
                    # nothing is read of an image that was filled five times
                    for op in ("write",) if self.protocol == "churn" else ("read", "write"):
                        self.insert("stg_method", cell=name, op=op, method=method | other,
                                    counts=True, comparable=self.comparable)  # fmt: skip
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
            self.insert("sample", cell=cell, op="write", order=order + 1, set=1, size_bytes=size,
                        elapsed_ns=round(size * 1000 / (rate + 1)), slept=False)  # fmt: skip

    def asked(self, article, number, columns="outcome, detail, host"):
        """The verdict of each measured Mac on this conclusion."""
        self.leave((article, number))
        return self.connection.execute(
            f"select {columns} from conclusion_answers() "
            "where basis = 'measured' order by host, release"
        ).fetchall()

    def answers(self, *conclusions):
        """Outcome and detail by article, number and release, of this Mac in every world."""
        self.leave(*conclusions)
        found = self.connection.execute(
            "select article, number, release, outcome, detail from conclusion_answers() where host = ?",
            [self.mac],
        ).fetchall()
        return {row[:3]: row[3:] for row in found}

    def leave(self, *conclusions):
        """Have these conclusions alone, and the figures that they are answered from."""
        for name in ("conclusion", "conclusion_pair"):
            self.connection.execute(
                f"delete from {name} where not list_contains(?, concat(article, ' ', number))",
                [[f"{article} {number}" for article, number in conclusions]],
            )
        self.connection.execute("delete from stg_run_interval; delete from release_change")
        self.connection.execute(CHANGES, {"disk": self.disk})
        for name in ("stg_conclusion_run", "conclusion_figure"):
            make_anew(self.connection, load.sql_file(SQL, name))

    def answer(self, article, number):
        """Outcome and detail of the one answer about the Mac of these cells."""
        own = [row for row in self.asked(article, number) if row[2] in (self.mac, None)]
        # of another macOS there is no verdict
        [found] = [row for row in own if row[0] != "not comparable"] or own
        return found[:2]


def right(world, article, changes=None, **other):
    """A world in which the article is right but for these changes."""
    made = world(article, **other)
    made.add(worlds.RIGHT[article] | (changes or {}))
    return made


def outcomes(world, article, number, changes):
    """The answers in a world each: where the article is right but for this change."""
    made = world(article)
    releases = []
    for made.number, change in enumerate(changes, start=1):
        made.add(worlds.RIGHT[article] | change)
        releases.append(made.release()[-1])
    answers = made.answers((article, number))
    return [answers[article, number, release][0] for release in releases]
