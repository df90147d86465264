"""Apple's blank images: their facts, and the error for a folder without them."""

import json
import re

import pytest

from console import ExitCode, StudyError
from proofs import asif_templates


def test_the_facts_are_of_19_files_for_disks_as_long_as_their_names_say():
    templates = json.loads(asif_templates.FACTS.read_text(encoding="utf-8"))["templates"]
    assert len({fact["asif_sha256"] for fact in templates}) == 19
    for fact in templates:
        gigabytes = re.fullmatch(r"BlankDisk-(\d+)GB\.asif\.lzfse", fact["name"])
        assert fact["disk_bytes"] == int(gigabytes[1]) * 10**9


def test_a_folder_that_is_no_clone_is_bad_input_and_the_line_names_what_to_clone(tmp_path):
    with pytest.raises(StudyError, match="clone nicholas-lonsinger/kernova") as refused:
        asif_templates.main([str(tmp_path)])
    assert refused.value.code == ExitCode.BAD_INPUT


def test_the_figures_say_how_many_were_read_and_whether_ours_match_them_all():
    for alike in (18, 19):
        read, ours = asif_templates.figures(19, alike)
        assert (read.value, read.unit, read.reached) == (19, "images", None)
        assert (ours.value, ours.goal, ours.reached) == (alike, "all", alike == 19)


def test_a_file_of_another_content_is_named():
    with pytest.raises(StudyError, match=r"x\.lzfse: packed bytes should be"):
        asif_templates._same("x.lzfse", "packed bytes", b"other", 5, "0" * 64)
