"""Only real faults are planted, and the relevant tests are run."""

import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from proofs import planted
from proofs.planted import trial
from proofs.planted.faults import Fault, drawn, sources
from proofs.planted.mutations import Mutation, changed, mutations
from proofs.planted.trial import REFUSED, SEEN, TIMED_OUT, UNSEEN, Copy, Outcome, batches_for
from proofs.support.repository import commit

PROJECT = Path(__file__).resolve().parents[3]


def texts(language, text):
    return {changed(text, one) for one in mutations(language, text)}


@pytest.mark.parametrize(
    ("language", "text", "fault"),
    [
        (
            "rust",
            "if a > b {\n    return Err(wrong());\n}\n",
            "if false && a > b {\n    return Err(wrong());\n}\n",
        ),
        ("python", "if a:\n    raise Wrong(\n        f('no')\n    )\n", "if a:\n    pass\n"),
        ("python", "def f():\n    os.fsync(a)\n", "def f():\n    pass\n"),
        ("sql", "from a inner join b using (c, d)", "from a inner join b using (c)"),
        ("sql", "where op = 'read'", "where op = 'write'"),
    ],
)
def test_a_fault_is_one_small_change(language, text, fault):
    assert fault in texts(language, text)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("rust", 'say("20 && 30");\n#[cfg(test)]\nmod tests {\n    a + b;\n}\n'),
        ("python", '"""20 < 30 and True."""\nsay(f"{a + b}")  # a - b\n'),
        ("sql", "-- where a = 20\ncomment on column a.b is '20 > 10; and c';\n"),
    ],
)
def test_comments_and_words_are_never_changed(language, text):
    assert not texts(language, text)


def test_no_fault_is_planted_in_a_test():
    core = sources("rust", PROJECT)
    assert not [
        path for path in core if re.search(r"test|/portable/effective|/stand_in", str(path))
    ]
    assert {"format.rs", "identify.rs", "protocol.rs", "transfer.rs"} <= {
        path.name for path in core
    }


def test_the_tests_of_a_fault_are_those_that_test_sh_runs_and_then_the_slow_ones():
    # else a fault is counted as seen by `test.sh` alone that only a slow test sees
    every = list(batches_for(Path("core/diskimage/src/lib.rs"), PROJECT, slow=True))
    assert [(one.cargo, one.quick) for one in every] == [
        (True, True), (False, True), (True, False), (False, False),
    ]  # fmt: skip
    assert "workflow/tests/images/test_readers.py" in every[1].files


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """A project of one module and its tests: one that sees, one that always fails, one that hangs."""
    monkeypatch.setattr(trial, "PROJECT", tmp_path / "project")
    # each worker takes a second to start
    monkeypatch.setattr(trial, "AT_ONCE", ("--numprocesses", "1"))
    tests = tmp_path / "project/workflow/tests/study"
    source = tmp_path / "project/workflow/scripts/study/amounts.py"
    for folder in (tests, source.parent):
        folder.mkdir(parents=True)
    source.write_text("SIZE = 20\nOTHER = 30\nPAUSE = 40\n", encoding="utf-8")
    (tests.parent.parent / "pytest.ini").write_text("[pytest]\nmarkers =\n slow: long\n")
    (tests / "test_amounts.py").write_text(
        "import sys\nsys.path.insert(0, 'workflow/scripts')\nfrom study import amounts\n"
        "def test_broken(): assert False\n"
        "import pytest\n@pytest.mark.parametrize('one', ['x', 'a [b] - c'])\n"
        "def test_size(one): assert amounts.SIZE == 20 or one == 'x'\n"
        "def test_pause():\n    while amounts.PAUSE != 40: pass\n",
        encoding="utf-8",
    )
    commit(tmp_path / "project")
    return Copy(tmp_path / "copy", slow=True)


def planted_at(copy, before, after):
    path = Path("workflow/scripts/study/amounts.py")
    start = (copy.folder / path).read_text().index(before)
    return copy.tried(Fault(path, 1, before, Mutation("unit", start, start + len(before), after)))


def test_a_fault_is_seen_by_a_test_that_passes_without_it_and_whose_time_is_not_up(
    copy, monkeypatch
):
    by = "workflow/tests/study/test_amounts.py::test_size[a [b] - c]"
    assert planted_at(copy, "20", "200") == Outcome(SEEN, by)
    assert planted_at(copy, "30", "300") == Outcome(UNSEEN)
    source = copy.folder / "workflow/scripts/study/amounts.py"
    assert source.read_text() == "SIZE = 20\nOTHER = 30\nPAUSE = 40\n"
    monkeypatch.setattr(trial, "QUICK_SECONDS", 2)
    assert planted_at(copy, "40", "400") == Outcome(TIMED_OUT)


@pytest.fixture
def small(tmp_path):
    """A project of one file, in place of its copy; every fault is seen."""
    source = tmp_path / "workflow/sql/marts/10_sum.sql"
    source.parent.mkdir(parents=True)
    source.write_text("select a + b - c * d from e where op = 'read'", encoding="utf-8")
    return SimpleNamespace(folder=tmp_path, tried=lambda _: Outcome(SEEN, "a test"))


def test_each_fault_is_tried_once_however_often_it_is_called_and_one_that_is_none_replaced(small):
    every = [fault.told() for fault in drawn("sql", small.folder, 1)]

    def called(wanted):
        rows = planted.tried("sql", wanted, 1, small, small.folder / "kept/faults.csv")
        return [(every.index(tuple(row.values())[1:6]), row["result"]) for row in rows]

    assert called(1) == [(0, SEEN)]
    small.tried = lambda fault: Outcome(REFUSED if fault.told() == every[1] else UNSEEN)
    assert called(2) == [(0, SEEN), (1, REFUSED), (2, UNSEEN)]
    small.tried = None
    assert called(2) == [(0, SEEN), (1, REFUSED), (2, UNSEEN)]


def rows(count, of, part="rust", late=0, quick=True):
    results = [SEEN] * count + [TIMED_OUT] * late + [UNSEEN] * (of - count - late)
    return [
        {"part": part, "result": result, "by_test_sh": str(quick and result == SEEN)}
        for result in results
    ]


def test_the_share_of_faults_seen_is_judged_as_that_of_a_sample():
    def told(count):
        return list(planted._figures(rows(count, 150), 150, quick=False))[1].reached

    # the exact interval of 148 of 150 is 95.27 to 99.84 %; 147 are 98 %, and may be 94.3
    assert [told(count) for count in (148, 147, 120)] == [True, None, False]


def test_what_only_slow_tests_see_or_no_test_in_time_is_told():
    some = rows(75, 95, late=15) + rows(5, 5, quick=False)
    count, seen, quickly, late, *_ = planted._figures(some, 150, quick=False)
    assert (count.what, count.value) == ("Faults tried, of 150", 100)
    # who had no time has seen nothing
    assert (seen.value, quickly.value, late.value) == (80, 75, 15)
    assert (seen.goal, quickly.goal) == (">= 95 %", ">= 85 %")
    assert not [
        one for one in planted._figures(some, 150, quick=True) if "by the tests" in one.what
    ]
