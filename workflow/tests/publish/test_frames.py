"""What a query gives to the pages, and to people who ask questions of their own in the notebook."""

import pytest

from lib import database


@pytest.mark.parametrize(
    ("value", "given"),
    [
        ("{'a': 1}", {"a": 1}),
        ("map {'a': 1}", {"a": 1}),
        ("'x'::blob", b"x"),
        ("['b', 'a']", ("b", "a")),
        ("'a' || chr(7)", "a\ufffd"),
        ("null::varchar", None),
        ("1.5", 1.5),
    ],
)
def test_a_column_of_any_type_can_be_asked_for(asked, published_only, value, given):
    asked(published_only)
    [found] = database.query(f"select {value} as one")["one"]
    assert found == given or (given is None and found != found)
