"""Every speed that is known with its Mac and its release: published, and measured over its runs."""

import pandas as pd

from lib.database import query

# printed figures that differ by less are said to be about equal: the articles' own speeds of one
# image in its three phases differ by up to 8 %
NOTABLE = 0.1

# every speed with a Mac and a release: of the articles, of other sources, measured (the mean of the
# runs, and the interval between them)
FIGURES = """
select
    'published' as basis, article as origin, host, macos as release, macos as version, storage,
    'apple' as driver, format, encryption, phase, protocol, scale, tool, condition, op,
    case op when 'write' then coalesce(write_kind, kind) else kind end as kind,
    case op when 'write' then write_gbps else read_gbps end as gbps,
    case op when 'write' then write_gbps_to else read_gbps_to end as gbps_to,
    null::double as gbps_low, null::double as gbps_high, null::integer as runs,
    case op when 'write' then write_as_printed else read_as_printed end as printed,
    second_hand, true as comparable, null as why_not_comparable, note
from published_speed
cross join (select unnest(['write', 'read']) as op)
where host <> 'unstated' and macos <> 'unstated' and gbps is not null
union all by name
select
    'published' as basis, source_id as origin, host, macos as release, macos as version, storage,
    'apple' as driver, format, encryption, phase, 'unstated' as protocol, 'unstated' as scale, tool,
    condition, directions.op, kind,
    case directions.op when 'write' then write_gbps else read_gbps end as gbps,
    case directions.op when 'write' then write_as_printed else read_as_printed end as printed,
    read_as <> 'opening' as second_hand, true as comparable, note
from published_elsewhere
cross join (select unnest(['write', 'read']) as op) as directions
where host <> 'unstated' and macos <> 'unstated' and quantity = 'speed' and gbps is not null
union all by name
select
    'measured' as basis, cell as origin, host, release,
    os_version as version,
    storage, driver, format, encryption, phase, protocol, scale, 'diskbench' as tool, op,
    'exact' as kind, gbps, gbps_low, gbps_high, runs, false as second_hand, true as comparable,
    null as why_not_comparable, vouched_by
from comparable_speed
where band_bytes is null
"""


def every() -> pd.DataFrame:
    """Every speed with a Mac and a release; `place` puts releases in their order."""
    rows = query(
        f"""
        select *, coalesce(release_order(version), [0]) as numbers
        from ({FIGURES})
        order by
            basis desc, origin, host, release, storage, format, encryption desc, phase, condition,
            op desc, gbps
        """
    )
    bare = rows["storage"] == "unstated"
    rows["note"] = rows["note"].mask(
        bare, "on which storage is not stated; " + rows["note"].fillna("")
    )
    return rows.assign(
        # a Mac without a word of its storage stands beside its internal one, and says so
        shelf=rows["storage"].mask(bare, "internal"),
        note=rows["note"].str.removesuffix("; "),
        # a beta or an update beside the release of its number, by name
        place=list(zip(rows["numbers"], rows["version"], strict=True)),
        served=["portable" if driver == "portable" else "macos" for driver in rows["driver"]],
    )


def labels(rows: pd.DataFrame) -> list[str]:
    """Releases in their order: by number, never by letter; a beta before its release."""
    return list(dict.fromkeys(rows.sort_values("place")["version"]))
