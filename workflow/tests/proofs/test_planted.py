"""Only real faults are planted, and the relevant tests are run."""

import ast
import os
import re
import signal
import subprocess
import sys
import threading
from itertools import islice
from pathlib import Path

import pytest

from proofs import planted
from proofs.planted import Queue, ran
from proofs.planted.faults import SOURCES, Fault, drawn, sources
from proofs.planted.mutations import Mutation, changed, mutations
from proofs.planted.stages import Stage, stages
from proofs.planted.trial import REFUSED, SEEN, TIMED_OUT, UNSEEN, Children, Copy, Outcome

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
    first, again, other = ([*islice(drawn("sql", PROJECT, seed), 20)] for seed in (1, 1, 2))
    assert first == again != other
    assert len({(one.path, one.mutation) for one in first}) == 20


def test_no_fault_is_planted_in_a_test():
    core = sources("rust", PROJECT)
    assert Path("core/diskbench-core/src/effective.rs") not in core  # of tests, wherever it lies
    assert not [
        path for path in core if re.search(r"test|/portable/effective|/stand_in", str(path))
    ]
    assert {"format.rs", "identify.rs", "protocol.rs", "transfer.rs"} <= {
        path.name for path in core
    }


def test_the_tests_that_name_a_file_come_first_then_the_rest_of_its_room():
    first, second, whole, late = stages(Path("workflow/sql/marts/62_format_cost.sql"), 1, PROJECT)
    assert first.tests[0] == "workflow/tests/database/test_format_cost.py"
    assert [one.name for one in (first, second, whole, late)] == ["A", "B", "C", "D"]
    assert [one.quick for one in (first, second, whole, late)] == [True, True, True, False]
    assert "workflow/tests/e2e/test_study.py" in whole.tests
    room = {str(test.relative_to(PROJECT)) for test in
            (PROJECT / "workflow/tests/database").glob("test_*.py")}  # fmt: skip
    assert room <= {*first.tests, *second.tests}
    assert not {*first.tests} & {*second.tests}
    assert not [one for one in first.tests if "/e2e/" in one or "/mac/" in one]


@pytest.mark.parametrize(
    ("crate", "others"),
    [("diskimage", [["--workspace", "--exclude", "diskimage"]]), ("diskbench-core", [])],
)
def test_the_core_is_asked_of_its_crate_then_of_what_uses_it_and_what_takes_long_last(
    crate, others
):
    asked = list(stages(Path(f"core/{crate}/src/lib.rs"), 1, PROJECT))
    quick = ["--", "--skip", "slow::"]
    cargo = [list(one.tests) for one in asked if one.cargo and one.quick]
    # no kind of target is named: Cargo would leave out the examples, which tests start
    assert cargo == [["--package", crate, *quick], *([*other, *quick] for other in others)]
    python = [one for one in asked if not one.cargo]
    assert [one.quick for one in python] == [True, False]
    assert "workflow/tests/images/test_readers.py" in python[0].tests
    assert [one.quick for one in asked] == sorted((one.quick for one in asked), reverse=True)


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """A project of one module and its tests: one that sees, one that always fails, one that hangs."""
    monkeypatch.setattr("proofs.planted.trial.PROJECT", tmp_path / "project")
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
    git = ["git", "-C", str(tmp_path / "project"), "-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "x"]):
        subprocess.run([*git, *words], check=True)
    return Copy(tmp_path / "copy", Children(), slow=True)


def planted_at(copy, before, after):
    path = Path("workflow/scripts/study/amounts.py")
    start = (copy.folder / path).read_text().index(before)
    return copy.tried(Fault(path, 1, before, Mutation("unit", start, start + len(before), after)))


def test_a_test_that_fails_without_the_fault_sees_nothing(copy):
    by = "workflow/tests/study/test_amounts.py::test_size[a [b] - c]"
    assert planted_at(copy, "20", "200") == Outcome(SEEN, by, "A")
    assert planted_at(copy, "30", "300") == Outcome(UNSEEN)
    source = copy.folder / "workflow/scripts/study/amounts.py"
    assert source.read_text() == "SIZE = 20\nOTHER = 30\nPAUSE = 40\n"


def test_the_rooms_whose_tests_share_what_they_make_are_those_of_the_tests_themselves():
    text = (PROJECT / "workflow/tests/conftest.py").read_text(encoding="utf-8")
    told = re.search(r"^TOGETHER = (\{.*\})$", text, re.M)[1]
    assert ast.literal_eval(told) == ran.TOGETHER


FUNCTION = "def half(of):\n    return (\n        of\n        / 2\n    )\nTWO = half(4)\n"
OF_FUNCTION = """\
import subprocess
import sys
import pytest
sys.path.insert(0, 'workflow/scripts')
from study import halves
@pytest.fixture(scope='module')
def many(): return halves.half(8)
@pytest.fixture
def one(): return halves.third(3)
def test_by_itself(one): assert one == 1
def test_by_another():
    code = 'from study import halves; halves.quarter(4)'
    subprocess.run([sys.executable, '-c', code], cwd='workflow/scripts', check=True)
def test_a(many): assert many == 4
def test_b(many): assert many == 4
"""
OTHERS = "def third(of):\n    return of / 3\ndef quarter(of):\n    return of / 4\n"


def test_the_tests_that_run_a_line_are_recorded(copy, tmp_path):
    source, path = copy.folder / "workflow/scripts/study/halves.py", Path("workflow/tests/study")
    source.write_text(FUNCTION + OTHERS, encoding="utf-8")
    test = copy.folder / path / "test_halves.py"
    test.write_text(OF_FUNCTION, encoding="utf-8")
    for name in (source, test):
        copied = tmp_path / "project" / name.relative_to(copy.folder)
        copied.write_text(name.read_text())
    known = copy.record(tmp_path / "kept")

    def of(line):
        functions, alone = known.tests(copy.folder, Path("workflow/scripts/study/halves.py"), line)
        return [one.removeprefix(f"{path}/test_halves.py::") for one in functions], alone

    assert of(8) == (["test_by_itself"], True)
    assert of(10) == (["test_by_another"], True)
    # what a fixture made serves more tests than the one that asked first; importing serves all
    functions, alone = of(4)
    assert not alone and {*functions} & {"test_a", "test_b"}
    assert of(1)[1] is False

    def asked(line):
        found = stages(Path("workflow/scripts/study/halves.py"), line, copy.folder, known)
        return [one.tests for one in found if one.quick]

    # what nothing else can see is asked of nothing else; what is shared, of the room
    assert asked(8) == [(f"{path}/test_halves.py::test_by_itself",)]
    own, room = asked(4)
    assert {f"{path}/test_halves.py::{one}" for one in functions} == {*own}
    assert room == (f"{path}/test_amounts.py", f"{path}/test_halves.py")


def test_tests_whose_time_is_up_have_not_seen_a_fault(copy, monkeypatch):
    tests = ("workflow/tests/study/test_amounts.py",)
    monkeypatch.setattr("proofs.planted.trial.stages", lambda *_: [Stage("A", tests, 2)])
    assert planted_at(copy, "40", "400") == Outcome(TIMED_OUT)


@pytest.mark.parametrize(
    ("last", "result"),
    [
        ("test b has been running for over 60 seconds\n", Outcome(SEEN, "b", "A")),
        ("", Outcome(TIMED_OUT)),
    ],
)
def test_a_test_of_the_core_that_never_ends_sees_a_fault(copy, monkeypatch, last, result):
    monkeypatch.setattr("proofs.planted.trial.IDLE_SECONDS", 1)
    stage = Stage("A", ("--package", "core"), 100, cargo=True)
    monkeypatch.setattr("proofs.planted.trial.stages", lambda *_: [stage])
    cargo = copy.folder.parent / "programs/cargo"
    cargo.parent.mkdir()
    hangs = f"printf 'test a ... ok\n{last}'; exec sleep 600"
    cargo.write_text(
        f"#!/bin/sh\ngrep -q 200 workflow/scripts/study/amounts.py || exit 0\n{hangs}\n"
    )
    cargo.chmod(0o755)
    monkeypatch.setenv("PATH", f"{cargo.parent}:{os.environ['PATH']}")
    assert planted_at(copy, "20", "200") == result


def test_what_was_started_ends_with_the_run(tmp_path):
    children = Children()
    sleeping = [sys.executable, "-c", "import time; time.sleep(600)"]
    ended = []

    def run():
        with pytest.raises(KeyboardInterrupt):
            children.run(sleeping, tmp_path, 100)
        ended.append(True)

    thread = threading.Thread(target=run)
    thread.start()
    while not children._running:
        pass
    [child] = children._running
    children.end()
    thread.join(20)
    assert (ended, child.returncode) == ([True], -signal.SIGKILL)
    with pytest.raises(KeyboardInterrupt):
        children.run(sleeping, tmp_path, 100)


WANTED = {"python": 2, "sql": 1, "rust": 1}


@pytest.fixture
def small(tmp_path):
    """A project of one file in each language."""
    for name, text in {
        "workflow/scripts/sum.py": "a = b + c\nif a < 20:\n    d = a - c\n",
        "workflow/sql/marts/10_sum.sql": "select a + b from c where op = 'read'",
        "core/sum/src/lib.rs": "let a = b + c;\nlet d = a - b;\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_every_part_has_its_faults_in_turn_and_the_core_comes_last(small, tmp_path):
    queue = Queue(WANTED, small, 1, tmp_path / "kept")
    every = [queue.take() for _ in range(4)]
    assert [part for part, _ in every] == ["python", "sql", "python", "rust"]
    assert queue.take() is None


# the later fault of Python is done where the worker that had the earlier one was ended
@pytest.mark.parametrize(("done", "left"), [((0, 1), (2, 3)), ((1, 2), (0, 3))])
def test_a_run_goes_on_with_the_faults_that_were_not_tried(small, tmp_path, done, left):
    def queue():
        return Queue(WANTED, small, 1, tmp_path / "kept")

    first = queue()
    every = [first.take() for _ in range(4)]
    for number in done:
        first.put(*every[number], Outcome(SEEN, "a test", "B"))
    again = queue()
    assert again.tried == [(part, Outcome(SEEN, "a test", "B")) for part in ("python", "sql")]
    assert [again.take() for _ in range(3)] == [*(every[number] for number in left), None]


def test_what_was_tried_counts_for_as_long_as_its_sources_stay_the_same(small, tmp_path):
    def queue():
        return Queue({"python": 1, "sql": 1}, small, 1, tmp_path / "kept")

    first = queue()
    while taken := first.take():
        first.put(*taken, Outcome(SEEN))
    (small / "workflow/sql/marts/10_sum.sql").write_text("select a - b from c", encoding="utf-8")
    (small / "workflow/tests").mkdir()
    (small / "workflow/tests/test_sum.py").write_text("def test_sum(): ...", encoding="utf-8")
    again = queue()
    assert again.tried == [("python", Outcome(SEEN))]
    part, _ = again.take()
    assert part == "sql"


def test_for_a_fault_that_is_none_another_is_drawn(small, tmp_path):
    queue = Queue({"rust": 1}, small, 1, tmp_path / "kept")
    part, first = queue.take()
    queue.put(part, first, Outcome(REFUSED))
    _, second = queue.take()
    assert second != first
    assert queue.take() is None


def tried(count, of, part="rust", late=0, **how):
    results = [SEEN] * count + [TIMED_OUT] * late + [UNSEEN] * (of - count - late)
    return [(part, Outcome(result, **how)) for result in results]


def test_faults_are_a_sample_and_judged_by_the_whole_interval_of_their_share():
    def told(count, of):
        return list(planted._figures(tried(count, of), 150, quick=False))[1]

    # the exact interval of 148 of 150 is 95.27 to 99.84 %
    assert (told(148, 150).low, told(148, 150).high) == pytest.approx((95.27, 99.84), abs=0.01)
    assert told(148, 150).reached is True
    # 147 are 98 %, and may be 94.3
    assert told(147, 150).reached is None
    assert told(120, 150).reached is False


def test_the_numbers_of_tried_faults_and_of_tests_without_time_are_reported():
    some = tried(80, 100, late=15)
    count, seen, quickly, late, *_ = planted._figures(some, 150, quick=False)
    assert (count.what, count.value) == ("Faults tried, of 150", 100)
    # who had no time has seen nothing
    assert (seen.value, late.value) == (80, 15)
    assert (seen.goal, quickly.goal) == (">= 95 %", ">= 85 %")
    assert not [
        one for one in planted._figures(some, 150, quick=True) if "by the tests" in one.what
    ]


def test_faults_that_only_slow_tests_detect_are_listed_separately():
    some = tried(120, 120) + tried(30, 30, quick=False)
    _, by_all, by_few, *_ = planted._figures(some, 150, quick=False)
    assert (by_all.value, by_few.value) == (100, 80)
    # the exact interval of 120 of 150 is 72.70 to 86.08 %
    assert (by_few.low, by_few.high) == pytest.approx((72.70, 86.08), abs=0.01)


def test_a_part_of_the_faults_has_an_interval_and_no_goal():
    told = planted._figures(tried(50, 50) + tried(10, 10, "sql"), 150, quick=False)
    every, other, part = (one for one in told if "by the tests" in one.what)
    assert every.goal and every.reached is None
    assert (part.goal, part.reached, other.goal) == (None, None, None)
    # of ten that were all seen: 2.5 % of the time three in ten are not
    assert other.low == pytest.approx(69.15, abs=0.01)


def test_the_parts_in_which_faults_were_tried_are_named():
    def places(tried):
        told = planted._figures(tried, 150, quick=True)
        return [one.what.partition(", in ")[2] for one in told if "alone" in one.what]

    assert places(tried(3, 4)) == ["the core: 4 planted"]
    two = tried(3, 4) + tried(2, 2, "sql")
    assert places(two) == ["SQL, the core: 6 planted", "SQL: 2 planted", "the core: 4 planted"]
    every = [one for part in SOURCES for one in tried(1, 1, part)]
    assert places(every)[0] == "all parts: 4 planted"
    assert places([]) == []


def test_as_many_faults_are_planted_in_every_part():
    shares = [(150 + at) // len(SOURCES) for at in range(len(SOURCES))]
    assert sum(shares) == 150
