"""A bench's figures are ratios within one round."""

import pytest

from proofs.images.portable import one_after_the_other
from proofs.support.contenders import interleaved, rates, ratios


def scripted(name, given, log):
    """A contender whose rates are given, in bytes per second, and that tells when it is called."""
    left = iter(given)

    def measure():
        log.append(name)
        rate = next(left)
        return {"write": rate, "read": rate * 2}

    return measure


def test_each_contender_comes_once_a_round_and_each_may_come_after_each_other():
    log = []
    interleaved({name: scripted(name, [1.0] * 41, log) for name in "abc"}, rounds=40)
    rounds = ["".join(log[start : start + 3]) for start in range(0, len(log), 3)]
    assert set(rounds) == {"abc", "acb", "bac", "bca", "cab", "cba"}


def test_a_ratio_is_taken_within_each_round_but_for_the_first_which_warms_up():
    # the machine is twice as fast in the second round, for both
    given = {"ours": [1, 9e9, 20e9], "other": [1, 10e9, 20e9]}
    contenders = {name: scripted(name, of_name, []) for name, of_name in given.items()}
    results = interleaved(contenders, rounds=2)
    assert ratios(results, "write", "ours", "other") == [0.9, 1.0]
    assert rates(results, "read", "ours") == [18.0, 40.0]


def test_bytes_that_wait_for_two_rates_take_the_time_of_both():
    # a GB takes 1/4 s, then 1/3 s: 7/12 s
    assert one_after_the_other(4.0, 3.0) == pytest.approx(12 / 7)
