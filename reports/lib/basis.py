"""The start page's data: the newest release with every format, plain and encrypted."""

from dataclasses import dataclass

import pandas as pd

from lib import words
from lib.database import query

# Speeds by the articles' newest protocol at full scale, over all runs; to select from. Of each
# machine, release and storage those of the night in which most was measured, and measured alike, so
# that they may be compared; of its native files those of the volume as it is below the images.
ALIKE = """(
    with speed as (
        from comparable_speed
        where protocol = 'usage-phases' and scale = 'gold' and band_bytes is null and newest_build
    ),

    beside as (
        select
            one.*,
            (
                select count(*)
                from speed as other
                where other.host = one.host and other.release = one.release
                    and other.storage = one.storage
                    and same_night(other.first_started_utc, one.first_started_utc)
                    and same_night(other.last_started_utc, one.last_started_utc)
            ) as speeds
        from speed as one
    ),

    chosen as (
        from beside
        qualify row_number() over (
            partition by host, release, storage
            -- of native files on the internal storage it is no part of the method
            order by
                method.epoch desc, method.disk_encryption is null, speeds desc,
                last_started_utc desc, cell, op
        ) = 1
    )

    select speed.*
    from speed
    inner join chosen using (host, release, storage)
    where same_night(speed.first_started_utc, chosen.first_started_utc)
        and same_night(speed.last_started_utc, chosen.last_started_utc)
        and unlike(speed.method, chosen.method) is null
        and (
            speed.format <> 'native' or chosen.method.disk_encryption is null
            or speed.encryption = chosen.method.disk_encryption
        )
)"""
ENOUGH_RUNS = """(
    select tolerance from verdict_rule where comparison = 'every comparison' and rule = 'runs'
)"""
# Published and measured rows have the same columns. Measured: new images made by macOS on internal
# storage. Virtual machines are left out: their disk is a file of the host.
FIGURES = f"""
with figure as (
    select
        'published' as origin, article, host, macos, null as release, format, encryption,
        write_gbps, null as write_low, null as write_high, read_gbps,
        write_as_printed, read_as_printed, table_order as place,
        null as runs, null as files, true as enough_runs, false as depends, null as vouched_by
    from published_speed
    where phase = 'fresh' and protocol = 'usage-phases' and scale = 'gold' and kind = 'exact'
        and write_gbps is not null and read_gbps is not null and not second_hand
    union all
    select
        'measured', null, host, macos, release, format, encryption,
        max(gbps) filter (where op = 'write'),
        max(gbps_low) filter (where op = 'write'),
        max(gbps_high) filter (where op = 'write'),
        max(gbps) filter (where op = 'read'),
        null, null, null,
        min(runs),
        min(files / runs),
        min(runs) >= {ENOUGH_RUNS},
        count(statistics_differ) > 0,
        any_value(vouched_by)
    from {ALIKE}
    where driver = 'apple' and storage = 'internal' and phase = 'fresh' and not virtual_machine
    group by host, macos, release, format, encryption
    having count(*) = 2
)
"""
# Complete: three formats or more, each with and without AES-256, and each with enough runs for a
# verdict and speeds that do not depend on the statistic
COMPLETE = """
select origin, host, macos, release
from figure
where encryption in ('none', 'AES-256') and {which}
group by origin, host, macos, release
having count(distinct format) filter (where encryption = 'none') >= 3
    and count(distinct format) filter (where encryption = 'AES-256') >= 3
order by
    release_order(macos) desc nulls last,
    -- updates have the numbers of their release
    macos desc,
    origin = 'published' desc,
    -- the Mac of the articles first: their figures are at hand to compare
    host in (select host from published_speed where protocol = 'usage-phases') desc,
    count(*) desc, host
limit 1
"""
IMAGES = """
select *
from figure
where origin = $origin and host = $host and macos = $macos
    and (release = $release or $release is null)
    and encryption in ('none', 'AES-256')
    and (enough_runs and not depends or not $judged)
order by place, format, encryption
"""
SSD_PUBLISHED = """
select gbps, as_printed
from known_speed
where article = $article and host = $host and macos = $macos and storage = 'internal'
    and format = 'native' and op = 'write' and kind = 'exact' and not second_hand
    and phase in ('fresh', 'unstated') and unit_as_printed = 'GB/s'
order by gbps desc
limit 1
"""
SSD_MEASURED = f"""
select gbps
from {ALIKE}
where host = $host and release = $release and storage = 'internal'
    and format = 'native' and op = 'write' and phase = 'fresh'
    and runs >= {ENOUGH_RUNS} and statistics_differ is null
"""
# Of a newer release that was measured in as many formats, but without a verdict
NEWER = "origin = 'measured' and release_order(macos) > release_order($version)"


@dataclass(frozen=True)
class Basis:
    """New images of every format, plain and encrypted, of one Mac and release."""

    rows: pd.DataFrame

    @property
    def first(self) -> pd.Series:
        """Any row, for what all have in common: `origin`, `article`, `host`, `release`."""
        return self.rows.iloc[0]

    @property
    def measured(self) -> bool:
        """Whether this was measured here; else an article states it."""
        return self.first["origin"] == "measured"

    @property
    def where(self) -> str:
        """The Mac and its release, in words."""
        said = words.mac(self.first["host"], self.first["macos"])
        return words.measured_by(said, self.rows["vouched_by"])

    @property
    def plain(self) -> pd.DataFrame:
        """Unencrypted images, fastest writes first."""
        return self._ranked("none")

    @property
    def coded(self) -> pd.DataFrame:
        """Images with AES-256, fastest writes first."""
        return self._ranked("AES-256")

    def _ranked(self, encryption: str) -> pd.DataFrame:
        part = self.rows[self.rows["encryption"] == encryption]
        return part.sort_values("write_gbps", ascending=False)


def newest() -> Basis:
    """The newest complete release; measured only if newer than the published ones.

    Measured figures need as many runs as a verdict, and may not depend on the statistic.
    """
    found = query(FIGURES + COMPLETE.format(which="enough_runs and not depends")).iloc[0]
    return Basis(query(FIGURES + IMAGES, **_place(found), judged=True))


def _place(found: pd.Series) -> dict[str, str | None]:
    return {
        name: None if words.missing(found[name]) else str(found[name])
        for name in ("origin", "host", "macos", "release")
    }


def ssd(base: Basis) -> pd.Series | None:
    """The write speed of the SSD itself: of the same article or measurement, Mac and release.

    A measured one needs as many runs as a verdict, and may not depend on the statistic.
    """
    one = base.first
    if base.measured:
        found = query(SSD_MEASURED, host=one["host"], release=one["release"])
    else:
        found = query(SSD_PUBLISHED, **{name: one[name] for name in ("article", "host", "macos")})
    return None if found.empty else found.iloc[0]


def not_judged(base: Basis) -> Basis | None:
    """The images of a newer release, of which some have no verdict."""
    found = query(FIGURES + COMPLETE.format(which=NEWER), version=base.first["macos"])
    if found.empty:
        return None
    return Basis(query(FIGURES + IMAGES, **_place(found.iloc[0]), judged=False))


def left_out(base: Basis) -> pd.DataFrame:
    """The images of the same release whose speeds depend on the statistic."""
    rows = query(FIGURES + IMAGES, **_place(base.first), judged=False)
    return rows[rows["depends"].astype(bool)]


def runs_of(rows: pd.DataFrame) -> str:
    """How often the images were measured: `3 runs of 160 files`."""
    rows = rows[rows["origin"] == "measured"]
    return words.runs_of(list(rows["runs"]), list(rows["files"]))
