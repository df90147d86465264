"""Whatever a machine that went down left behind, the next call can be made."""

import pytest

from study import launch


@pytest.mark.parametrize("content", [b"", b"\0" * 64, b'{"storages": ['])
def test_a_plan_that_was_cut_is_passed_over_and_leaves_the_rest_to_the_next_plan(
    tmp_path, monkeypatch, content
):
    monkeypatch.chdir(tmp_path)
    for path in (launch.PLAN, launch.CORE):
        path.parent.mkdir(parents=True)
        path.write_bytes(content)
    assert list(launch._sweep()) == []
