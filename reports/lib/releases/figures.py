"""Every speed with a known Mac and release: published, and measured over its runs."""

import pandas as pd

from lib.database import query


def every() -> pd.DataFrame:
    """Every speed with a Mac and a release; `place` orders the releases."""
    rows = query(
        """
        select *, coalesce(release_order(macos), [0]) as numbers
        from known_speed
        order by
            basis desc, origin, host, macos, storage, format, encryption desc, phase, condition,
            op desc, gbps
        """
    )
    bare = rows["storage"] == "unstated"
    rows["note"] = rows["note"].mask(bare, "the storage is not stated; " + rows["note"].fillna(""))
    return rows.assign(
        # figures without a stated storage are shown with the internal one, and marked
        shelf=rows["storage"].mask(bare, "internal"),
        note=rows["note"].str.removesuffix("; "),
        # a beta or update follows the release of its number, by name
        place=list(zip(rows["numbers"], rows["macos"], strict=True)),
    )


def labels(rows: pd.DataFrame) -> list[str]:
    """Releases in numeric order; a beta before its release."""
    return list(dict.fromkeys(rows.sort_values("place")["macos"]))
