"""Synthetic machines with known true speeds, to test statistics.

A file takes (latency + size / speed) x noise. The noise multiplies, so that large files vary by
more nanoseconds than small ones, as they do; its logarithm is normal, or has heavy tails (one in
ten with three times the spread). With outliers, each file has a 5 % chance to take 5 to 20 times
as long.
"""

from dataclasses import dataclass

import numpy as np

from study.scales import SCALES, sizes_bytes

OUTLIERS = 0.05
POPULATION = 20_000  # files of each size


@dataclass(frozen=True)
class Machine:
    """Speed in GB/s, what each file costs, the standard deviation of the noise's logarithm."""

    name: str
    spread: float
    latency_ns: float = 1e6
    heavy_tails: bool = False
    outliers: bool = False
    gbps: float = 5.0

    def times(
        self, size_bytes: np.ndarray, cells: int, generator: np.random.Generator
    ) -> np.ndarray:
        """Nanoseconds, (cells, files)."""
        shape = (cells, len(size_bytes))
        noise = self.spread * generator.standard_normal(shape)
        if self.heavy_tails:
            noise *= np.where(generator.random(shape) < 0.1, 3, 1)
        times = (self.latency_ns + size_bytes / self.gbps) * np.exp(noise)
        if self.outliers:
            hit = generator.random(shape) < OUTLIERS
            times *= np.where(hit, generator.uniform(5, 20, shape), 1)
        return times


MACHINES = (
    Machine("quiet, 2 % noise", 0.02),
    Machine("10 % noise", 0.1),
    Machine("20 % noise", 0.2),
    Machine("heavy tails", 0.1, heavy_tails=True),
    Machine("5 % outliers", 0.1, outliers=True),
)


def design(scale: str) -> np.ndarray:
    """The sizes of a scale's files, ascending, in bytes."""
    return np.repeat(np.array(sizes_bytes(SCALES[scale])), SCALES[scale].sets)


def truth(machine: Machine, scale: str) -> dict[str, float]:
    """What each statistic would be of very many files of these sizes, GB/s.

    That is what an interval claims to hold. Outliers are part of it, since the machine makes them.
    """
    sizes = np.array(sizes_bytes(SCALES[scale]))
    generator = np.random.default_rng(1)
    times = machine.times(np.repeat(sizes, POPULATION), 1, generator)[0].reshape(len(sizes), -1)
    rates = np.sort((sizes[:, None] / times).ravel())
    cut = len(rates) // 5
    slopes = [
        (np.roll(times[larger], shift) - times[smaller]) / (sizes[larger] - sizes[smaller])
        for shift in (1, 2, 3)
        for larger in range(len(sizes))
        for smaller in range(larger)
    ]
    return {
        "total": sizes.sum() * POPULATION / times.sum(),
        "mean": rates.mean(),
        "median": float(np.median(rates)),
        "trimmed_mean": rates[cut : len(rates) - cut].mean(),
        # the covariance of time and size over the variance of the size, by the times' means
        "regression": sizes.var() / np.cov(sizes, times.mean(axis=1), bias=True)[0, 1],
        "theil_sen": 1 / float(np.median(np.concatenate(slopes))),
    }
