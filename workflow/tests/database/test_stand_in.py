"""Records of stand-ins are shown, marked, and never compared."""

import made_up
import pytest

CELL = {
    "host": "mac-mini-m4-pro",
    "release": "macos-26.3.1-25D125",
    "driver": "apple",
    "format": "UDSB",
    "encryption": "AES-256",
}


@pytest.fixture
def saved(folders):
    """Save a record of a stand-in."""

    def save(**cell):
        return made_up.save(made_up.stand_in(made_up.record(**(CELL | cell))), folders.runs)

    return save


def test_it_is_never_comparable_and_says_why_beside_other_reasons(query, saved):
    saved(scale="smoke")
    told = [(True, False, ["smoke", "stand-in"])]
    for table in ("cell", "measured_speed"):
        columns = "distinct stand_in, comparable, why_not_comparable"
        assert query(f"select {columns} from {table}") == told


def test_one_record_of_a_stand_in_marks_the_machine_and_not_the_other_records(
    folders, query, saved
):
    saved()
    made_up.save(made_up.record(**(CELL | {"encryption": "none"})), folders.runs)
    assert query("select stand_in from host") == [(True,)]
    assert query("select encryption, comparable from cell order by all") == [
        ("AES-256", False),
        ("none", True),
    ]


def test_it_is_compared_with_no_figure_of_an_article(query, saved):
    saved()
    assert query("select distinct verdict from article_table") == [("not measured yet",)]
    assert query("select count(*) from article_table where cell is not null") == [(0,)]


def test_a_real_record_is_used_although_a_stand_in_was_measured_under_another_release(
    folders, query, saved
):
    saved(release="macos-27.0-26A100")
    made_up.save(made_up.record(**CELL), folders.runs)
    assert query("select distinct measured_release from article_table where cell is not null") == [
        ("macos-26.3.1-25D125",)
    ]


def test_a_stand_in_is_not_compared_across_releases(folders, query, saved):
    saved(release="macos-27.0-26A100")
    made_up.save(made_up.record(**CELL), folders.runs)
    assert query("select count(*) from release_change") == [(0,)]
