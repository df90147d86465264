"""The answer first: which format for which need, from the newest release that has them all."""

from dataclasses import dataclass

import pandas as pd

from lib import show, words
from lib.database import query
from lib.tables import markup

SINGLE_FILE = {"UDRW", "ASIF"}  # a sparse bundle is a folder of bands
EQUAL = 0.1  # speeds this close are about equal: repeats of one cell differ by up to 8 %
# what an article itself advises, in our words
RECOMMENDED = {
    "encryption-2026": "The article recommends sparse bundles, encrypted or not, wherever a folder "
    "of files will do, and sees little to choose between RAW and ASIF."
}


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
    def formats(self) -> list[str]:
        """The formats tested, by their short names."""
        return [_short(form) for form in dict.fromkeys(self.rows["format"])]

    @property
    def recommended(self) -> str:
        """What the article itself advises, if anything."""
        return RECOMMENDED.get(self.article, "")

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
    """One card for each need: the fastest format, its speeds, the runner-up, and any doubt."""
    plain = base.rows[base.rows["encryption"] == "none"].sort_values("write_gbps", ascending=False)
    coded = base.rows[base.rows["encryption"] == "AES-256"]
    coded = coded.sort_values("write_gbps", ascending=False)
    single = coded[coded["format"].isin(SINGLE_FILE)]
    cards = [
        ("Fastest encrypted", coded),
        ("Fastest encrypted, in a single file", single),
        ("Fastest not encrypted", plain),
    ]
    body = "\n".join(_card(need, ranked) for need, ranked in cards)
    return show.html(f'<ul class="answers" aria-label="Fastest by need">\n{body}\n</ul>')


def equals(ranked: pd.DataFrame) -> pd.DataFrame:
    """The rows that write about as fast as the first."""
    return ranked[ranked["write_gbps"] >= (1 - EQUAL) * ranked["write_gbps"].iloc[0]]


def _short(form: str) -> str:
    return words.name(words.FORMATS, form).partition(" (")[0]


def _card(need: str, ranked: pd.DataFrame) -> str:
    row, level = ranked.iloc[0], equals(ranked)
    choice = words.listed([_short(form) for form in level["format"]], "or")
    why = [_others(ranked, len(level)), *_doubts(level)]
    return (
        f'<li><span class="need">{markup(need)}</span>'
        f'<span class="choice">{markup(choice[0].upper() + choice[1:])}</span>'
        f'<span class="speeds"><span><b>{markup(row["write_as_printed"])} GB/s</b>write</span>'
        f"<span><b>{markup(row['read_as_printed'])} GB/s</b>read</span></span>"
        + "".join(f'<span class="why">{markup(line)}</span>' for line in why if line)
        + "</li>"
    )


def _others(ranked: pd.DataFrame, level: int) -> str:
    """What else there is: formats about equal to the first, and the next one behind them."""
    said = [
        f"{_short(row['format'])} writes {row['write_as_printed']} GB/s" for row in _rows(ranked)
    ]
    if level > 1:
        first = _short(ranked["format"].iloc[0])
        return f"speeds of {first}; about equal: {', '.join(said[1:level])}"
    return f"next: {said[1]}" if len(said) > 1 else ""


def _doubts(level: pd.DataFrame) -> list[str]:
    """The notes on the figures shown, each once."""
    notes = dict.fromkeys(row["note"] for row in _rows(level) if not words.missing(row["note"]))
    return [f"Doubt: {note}" for note in notes]


def _rows(table: pd.DataFrame) -> list[dict]:
    return table.to_dict("records")
