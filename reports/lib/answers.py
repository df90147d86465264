"""The answer first: which format for which need, from the newest release that has them all."""

from dataclasses import dataclass

import pandas as pd

from lib import show, words
from lib.database import query
from lib.tables import markup

SINGLE_FILE = {"UDRW", "ASIF"}  # a sparse bundle is a folder of bands


@dataclass(frozen=True)
class Basis:
    """New images of every format, plain and encrypted, of one article, Mac and release."""

    article: str
    host: str
    macos: str
    rows: pd.DataFrame

    @property
    def loss(self) -> pd.DataFrame:
        """Part of the speed that AES-256 takes, by format."""
        plain, coded = (
            self.rows[self.rows["encryption"] == kind].set_index("format")
            for kind in ("none", "AES-256")
        )
        return pd.DataFrame(
            {op: 1 - coded[f"{op}_gbps"] / plain[f"{op}_gbps"] for op in ("write", "read")}
        )

    @property
    def only_bundle_stays_fast(self) -> bool:
        """Whether the sparse bundle keeps over half its write speed and nothing else does."""
        kept = 1 - self.loss["write"]
        return kept["UDSB"] > 0.5 and (kept.drop("UDSB") < 0.5).all()


def newest() -> Basis:
    """The newest release of macOS with published speeds of new images, plain and with AES-256."""
    rows = query(
        """
        with complete as (
            select article, host, macos
            from published_speed
            where phase = 'fresh' and protocol <> 'unstated' and scale = 'gold'
                and encryption in ('none', 'AES-256') and write_gbps is not null
            group by article, host, macos
            having count(distinct format) filter (where encryption = 'none') >= 3
                and count(distinct format) filter (where encryption = 'AES-256') >= 3
            order by try_cast(string_split(macos, '.') as integer[]) desc, article
            limit 1
        )
        select speed.*
        from published_speed as speed
        inner join complete using (article, host, macos)
        where phase = 'fresh' and scale = 'gold' and encryption in ('none', 'AES-256')
        order by table_order
        """
    )
    first = rows.iloc[0]
    return Basis(first["article"], first["host"], first["macos"], rows)


def answers(base: Basis) -> show.Shown:
    """One card for each need: the format to take, how fast it writes and reads, and why."""
    plain = base.rows[base.rows["encryption"] == "none"].sort_values("write_gbps", ascending=False)
    coded = base.rows[base.rows["encryption"] == "AES-256"]
    coded = coded.sort_values("write_gbps", ascending=False)
    single = coded[coded["format"].isin(SINGLE_FILE)]
    steady = base.loss["write"].idxmin()
    cards = [
        ("Encrypted", coded.iloc[0], _next(coded)),
        ("Encrypted, in a single file", single.iloc[0], _next(single)),
        ("Not encrypted", plain.iloc[0], _next(plain)),
    ]
    body = "\n".join(_card(*card) for card in cards)
    note = f"A {words.FORMATS[steady]} loses least to encryption."
    return show.html(f'<ul class="answers" aria-label="{note}">\n{body}\n</ul>')


def _next(ranked: pd.DataFrame) -> str:
    """How far behind the runner-up is."""
    if len(ranked) < 2:
        return ""
    second = ranked.iloc[1]
    return (
        f"next: {words.name(words.FORMATS, second['format'])}, "
        f"writes {words.gbps(second['write_gbps'])} GB/s"
    )


def _card(need: str, row: pd.Series, why: str) -> str:
    kind, _, code = words.name(words.FORMATS, row["format"]).partition(" (")
    code = f" <small>{markup(code.rstrip(')'))}</small>" if code else ""
    return (
        f'<li><span class="need">{markup(need)}</span>'
        f'<span class="choice">{markup(kind[0].upper() + kind[1:])}{code}</span>'
        f'<span class="speeds"><span><b>{words.gbps(row["write_gbps"])} GB/s</b>write</span>'
        f"<span><b>{words.gbps(row['read_gbps'])} GB/s</b>read</span></span>"
        f'<span class="why">{markup(why)}</span></li>'
    )
