"""Who measured stands beside each verdict on records of others."""

import pytest

from lib.article import cells

MAC = "mac-mini-m4-pro"


@pytest.mark.parametrize("verdict", ["reproduced", "faster", "not comparable"])
def test_a_page_says_so_beside_each_verdict_and_nothing_of_our_own(verdict):
    row = {"verdict": verdict, "measured_host": MAC, "reasons": ["other-machine"]}
    own = cells.why(row | {"vouched_by": "own"})
    assert cells.why(row | {"vouched_by": "community"}) == [*own, "sent by the community"]
    assert cells.why(row | {"vouched_by": "hosted runner"}) == [*own, "measured on a hosted runner"]
    assert cells.why(row | {"vouched_by": None, "measured_host": None}) == own
