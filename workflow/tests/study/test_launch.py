"""Whatever a machine that went down left behind, the next call can be made."""

import pytest

from console import StudyError
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


@pytest.mark.parametrize("folder", ["data", "data/runs", "data/parquet", ".diskbench"])
def test_a_folder_that_cannot_be_written_is_named_before_anything_is_done(
    tmp_path, monkeypatch, folder
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / folder).mkdir(parents=True)
    monkeypatch.setattr(launch.os, "access", lambda asked, _: asked != folder)
    with pytest.raises(StudyError, match=f"folder {folder} cannot be written: make") as error:
        launch._refuse_read_only_folders()
    assert error.value.code == 4
