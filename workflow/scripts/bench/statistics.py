"""Do the statistics hold what they claim? `bash workflow/bench.sh statistics [CELLS] [--save]`.

On made-up machines whose truth is known: how often each interval of 95 % holds it, how often
`release_change` sees a change where there is none, how often it finds one that is there, and how
long all statistics of a series take.
"""

import time
from collections.abc import Iterator

import numpy as np

from arguments import Parser, whole_number
from bench import alarms, compared, coverage, proof
from bench.proof import Figure
from bench.simulated import MACHINES, design
from database.statistics import STATISTICS
from database.statistics.summaries import summaries
from database.statistics.theil_sen import theil_sen

LOW, HIGH = 0.93, 0.97  # of intervals that claim 95 %
WITHIN = f"{100 * LOW:.0f} % to {100 * HIGH:.0f} %"
ALARMS = 0.05
SERIES_MS = 1.0
FAMILIES = 200
POWER_FAMILIES = 10  # of 32 pairs each
CHANGES = (0.1, 0.15, 0.2, 0.3, 0.5)
SEED = 20_261_121


def main(words: list[str]) -> None:
    """Print each figure as it is found; keep them with --save."""
    parser = Parser(prog="bash workflow/bench.sh statistics", description=__doc__)
    parser.add_argument("cells", nargs="?", type=whole_number, default=2_000)
    parser.add_argument("--save", action="store_true", help="write data/proofs/statistics.json")
    asked = parser.parse_args(words)
    families = max(1, FAMILIES * asked.cells // 2_000)
    figures = []
    for figure in _figures(asked.cells, families):
        figures.append(figure)
        spread = "" if figure.low is None else f" ({figure.low:.4g} to {figure.high:.4g})"
        reached = {None: "", True: "reached", False: "MISSED"}[figure.reached]
        print(f"{figure.what:<90} {figure.value:.4g} {figure.unit}{spread}  {reached}", flush=True)
    if asked.save:
        command = " ".join(["bash workflow/bench.sh statistics", *words])
        title = "Statistics on made-up machines whose truth is known"
        print(proof.save("statistics", title, command, figures))


def _figures(cells: int, families: int) -> Iterator[Figure]:
    yield from _coverage(cells)
    yield from _alarms(families)
    yield from _power()
    yield from _speed()


def _coverage(cells: int) -> Iterator[Figure]:
    """For each scale and statistic all machines, with the lowest and highest of them."""
    found = [*coverage.coverages(cells, SEED), *compared.coverages(cells, SEED)]
    for scale in coverage.SCALES:
        for name in (*STATISTICS, compared.FORMAT_COST, compared.DRIFT):
            of_it = [one for one in found if (one.scale, one.statistic) == (scale, name)]
            plain = [one for one in of_it if "outliers" not in one.machine]
            for what, some in (
                (f"{len(plain)} machines", plain),
                ("5 % gross outliers", [one for one in of_it if one not in plain]),
            ):
                if some:
                    shares = [one.share for one in some]
                    yield Figure(
                        f"Intervals that hold the truth: {scale}, {name}, {what}",
                        100 * sum(shares) / len(shares),
                        "%",
                        100 * min(shares),
                        100 * max(shares),
                        f"{WITHIN} each",
                        all(LOW <= share <= HIGH for share in shares),
                    )


def _alarms(families: int) -> Iterator[Figure]:
    goal = "at most 5 %, but for chance (2 standard errors)"
    for scale in ("gold", "half", "tenth"):
        same = alarms.told(scale, 0.0, False, families, SEED)
        runs = alarms.told(scale, 0.0, True, families, SEED)
        for what, share in (
            ("pairs with p < 0.05, nothing changed", same.pairs_below),
            ("families with an adjusted p < 0.05, nothing changed", same.families_below),
            ("families with a change said, nothing changed", same.families_changed),
            ("families with a change said, runs differ by up to 8 %", runs.families_changed),
        ):
            # two standard errors of a share of so many: more would not be chance
            count = families * (alarms.PAIRS if what.startswith("pairs") else 1)
            allowed = ALARMS + 2 * (ALARMS * (1 - ALARMS) / count) ** 0.5
            yield Figure(
                f"False alarms: {scale}, {what}",
                100 * share,
                "%",
                None,
                None,
                goal,
                share <= allowed,
            )
        yield Figure(
            f"Intervals that hold the truth: {scale}, release_change, {same.families} families",
            100 * same.pairs_held,
            "%",
            goal=WITHIN,
            reached=LOW <= same.pairs_held <= HIGH,
        )


def _power() -> Iterator[Figure]:
    for scale in ("gold", "half", "tenth"):
        for change in CHANGES:
            found = alarms.told(scale, change, False, POWER_FAMILIES, SEED + 1)
            yield Figure(
                f"Changes found: {scale}, {100 * change:.0f} % more time, 10 % noise",
                100 * found.pairs_changed,
                "%",
            )


def _speed() -> Iterator[Figure]:
    """All statistics of a series of 160 files, of the fastest of several rounds, one core."""
    sizes = design("gold")
    times = MACHINES[1].times(sizes, 64, np.random.default_rng(SEED))
    rounds = []
    for _ in range(10):
        began = time.thread_time()
        summaries(sizes, times)
        theil_sen(sizes, times)
        rounds.append((time.thread_time() - began) / len(times) * 1e3)
    best = min(rounds)
    yield Figure(
        "All statistics of a series of 160 files, processor time",
        float(np.median(rounds)),
        "ms",
        best,
        max(rounds),
        "at most 1 ms",
        float(np.median(rounds)) <= SERIES_MS,
    )
