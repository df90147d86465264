"""Interleaved rounds of measurements, with rates, and ratios within one round."""

import random

from proofs.support.contenders import Contender, Rates


def interleaved(contenders: list[Contender], rounds: int) -> list[dict[str, Rates]]:
    """Measure every program in each round, in a random order.

    What one leaves behind (files to discard, a warm cache) so meets all others alike; taking turns
    would give each the same one before it in every round. One round before the first warms up and
    is thrown away.
    """
    results = []
    for number in range(rounds + 1):
        order = random.Random(number).sample(contenders, len(contenders))
        results.append({contender.name: contender.measure() for contender in order})
    return results[1:]


def rates(results: list[dict[str, Rates]], op: str, name: str) -> list[float]:
    """The rates of one program in GB/s, by round."""
    return [round_[name][op] / 1e9 for round_ in results]


def ratios(results: list[dict[str, Rates]], op: str, name: str, other: str) -> list[float]:
    """The ratios of one program's rates to another's, each within its round."""
    return [round_[name][op] / round_[other][op] for round_ in results]
