"""Faults are planted where they are faults, and asked of the tests that may see them."""

from itertools import islice
from pathlib import Path

import pytest

from proofs import planted
from proofs.planted.mutations import changed, mutations

PROJECT = Path(__file__).resolve().parents[3]


def texts(language, text):
    return {changed(text, one) for one in mutations(language, text)}


@pytest.mark.parametrize(
    ("language", "text", "fault"),
    [
        ("rust", "let a = b + c;\n", "let a = b - c;\n"),
        (
            "rust",
            "if a > b {\n    return Err(wrong());\n}\n",
            "if false && a > b {\n    return Err(wrong());\n}\n",
        ),
        ("rust", "    file.sync_all()?;\n", "\n"),
        ("python", "if a:\n    raise Wrong(\n        f('no')\n    )\n", "if a:\n    pass\n"),
        ("python", "def f():\n    os.fsync(a)\n", "def f():\n    pass\n"),
        ("python", "a = b / c\n", "a = b * c\n"),
        ("sql", "from a inner join b using (c, d)", "from a left join b using (c, d)"),
        ("sql", "from a inner join b using (c, d)", "from a inner join b using (c)"),
        ("sql", "where op = 'read'", "where op = 'write'"),
        ("sql", "where a\n    and b = 2\n", "where a\n    \n"),
    ],
)
def test_a_fault_is_one_small_change(language, text, fault):
    assert fault in texts(language, text)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("rust", "// a + b, and 20 < 30\n"),
        ("rust", 'say("20 && 30");\n#[cfg(test)]\nmod tests {\n    a + b;\n}\n'),
        ("python", '"""20 < 30 and True."""\nsay(f"{a + b}")  # a - b\n'),
        ("sql", "-- where a = 20\ncomment on column a.b is '20 > 10; and c';\n"),
    ],
)
def test_comments_and_words_are_never_changed(language, text):
    assert not texts(language, text)


def test_the_same_seed_draws_the_same_faults_and_another_seed_others():
    first, again, other = ([*islice(planted.drawn("sql", PROJECT, seed), 20)] for seed in (1, 1, 2))
    assert first == again != other
    assert len({(one.path, one.mutation) for one in first}) == 20


def test_the_tests_that_speak_of_a_file_come_first_and_its_whole_room_is_asked():
    asked = planted.tests_of(Path("workflow/sql/62_format_cost.sql"), PROJECT)
    assert asked[0] == "workflow/tests/database/test_format_cost.py"
    room = (PROJECT / "workflow/tests/database").glob("test_*.py")
    assert {str(test.relative_to(PROJECT)) for test in room} <= set(asked)


def seen(count, of):
    return [(None, planted.Seen("a test" if number < count else "")) for number in range(of)]


def test_faults_are_a_sample_and_judged_by_the_whole_interval_of_their_share():
    def told(count, of):
        return next(planted._figures({"rust": seen(count, of)}))

    # the exact interval of 148 of 150 is 95.27 to 99.84 %
    assert (told(148, 150).low, told(148, 150).high) == pytest.approx((95.27, 99.84), abs=0.01)
    assert told(148, 150).reached is True
    # 147 are 98 %, and may be 94.3
    assert told(147, 150).reached is None
    assert told(120, 150).reached is False


def test_what_only_the_slow_tests_see_is_told_apart():
    late = [(None, planted.Seen("a test", quickly=False))] * 30
    by_all, by_few, *_ = planted._figures({"rust": seen(120, 120) + late})
    assert (by_all.value, by_all.goal) == (100, ">= 95 %")
    assert (by_few.value, by_few.goal) == (80, ">= 85 %")
    # the exact interval of 120 of 150 is 72.70 to 86.08 %
    assert (by_few.low, by_few.high) == pytest.approx((72.70, 86.08), abs=0.01)


def test_a_part_of_the_faults_has_an_interval_and_no_goal():
    told = planted._figures({"rust": seen(50, 50), "sql": seen(10, 10)})
    every, part, other = (one for one in told if "by the tests" in one.what)
    assert every.goal and every.reached is None
    assert (part.goal, part.reached, other.goal) == (None, None, None)
    # of ten that were all seen: 2.5 % of the time three in ten are not
    assert other.low == pytest.approx(69.15, abs=0.01)
