"""The page of demonstration runs says what it leaves out."""

import made_up
from rendered import text

from lib import this_machine


def test_reads_that_may_have_come_from_memory_are_counted(built, asked):
    warm = [
        made_up.record(scale="smoke", repeat=1, protocol=protocol) | {"warnings": [made_up.WARM]}
        for protocol in ("remounted", "as-created")
    ]
    asked(built("warm", [*warm, made_up.record(scale="smoke")]))
    said = text(this_machine.left_out())
    assert said.startswith("2 reads that may have come from memory are not shown")
    assert "(hosts.html)" in said
    # the writes of both stay
    assert sorted(this_machine.rows()["op"]) == ["read", "write", "write", "write"]


def test_nothing_is_said_where_every_read_is_shown(built, asked):
    asked(built("cold", [made_up.record(scale="smoke")]))
    assert this_machine.left_out() is None
