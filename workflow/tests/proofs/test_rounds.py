"""A bench's figures are ratios within one round, with their median and spread."""

from proofs.support.contenders import Contender
from proofs.support.goals import at_least
from proofs.support.rounds import against_goal, interleaved, ratio, table


def scripted(name, rates, log):
    """A contender whose rates are given, in bytes per second, and that tells when it is called."""
    given = iter(rates)

    def measure():
        log.append(name)
        rate = next(given)
        return {"write": rate, "read": rate * 2}

    return Contender(name, measure)


def test_contenders_take_turns_in_going_first():
    log = []
    interleaved([scripted(name, [1.0] * 3, log) for name in "abc"], rounds=2)
    assert "".join(log) == "abc" + "bca" + "cab"


def test_the_first_round_warms_up_and_does_not_count():
    results = interleaved([scripted("a", [100.0, 1.0, 2.0], [])], rounds=2)
    assert [result["a"]["write"] for result in results] == [1.0, 2.0]


def test_a_ratio_is_taken_within_each_round():
    # the machine is twice as fast in the second round, for both
    contenders = [scripted("ours", [0, 9, 20], []), scripted("other", [0, 10, 20], [])]
    found = ratio(interleaved(contenders, rounds=2), "write", "ours", "other")
    assert (found.median, found.lowest, found.highest) == (0.95, 0.9, 1.0)


def test_a_goal_is_judged_by_the_interval_of_the_ratio():
    def said(rates):
        contenders = [scripted("ours", [0, *rates], []), scripted("other", [10.0] * 10, [])]
        found = ratio(interleaved(contenders, len(rates)), "write", "ours", "other")
        return against_goal(found, at_least(0.9))

    assert said([9.1] * 9) == "0.91 [0.91 to 0.91]   goal >= 0.9: reached"
    assert said([9.1] * 7 + [8.8] * 2).endswith("[0.88 to 0.91]   goal >= 0.9: no verdict")
    assert said([8.8] * 9).endswith("missed")
    assert said([9.1] * 5) == "0.91 [too few rounds]   goal >= 0.9: no verdict"


def test_the_table_shows_median_and_spread():
    contenders = [
        scripted("ours", [0, 1e9, 2e9, 3e9], []),
        scripted("other", [0, 2e9] + [4e9] * 2, []),
    ]
    lines = table(interleaved(contenders, rounds=3), ["ours", "other"])
    assert lines[0].split() == ["write", "ours", "2.00", "GB/s", "(1.00", "to", "3.00)"]
    assert lines[1].endswith("ours / other: 0.500 (0.500 to 0.750)")
    assert len(lines) == 4
