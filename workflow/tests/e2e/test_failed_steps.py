"""The next call retries a failed step, whatever it left behind."""

import os
import shutil

import pytest

pytestmark = pytest.mark.slow

# A stand-in for cargo on PATH: it cannot build anything.
NO_CARGO = "#!/bin/sh\necho 'error: could not compile' >&2\nexit 101\n"


@pytest.mark.parametrize(
    ("source", "mistake", "made"),
    [
        ("workflow/sql/marts/20_cell.sql", "\nselect nonsense;\n", "data/diskbench.duckdb"),
        (
            "reports/index.qmd",
            "\n```{python}\nraise SystemExit(1)\n```\n",
            "reports/_site/index.html",
        ),
    ],
    ids=["database", "site"],
)
def test_what_a_failed_step_left_of_before_is_not_taken_for_up_to_date(
    spoilable, source, mistake, made
):
    source = spoilable.folder / source
    kept = (spoilable.folder / made).read_bytes()
    text = source.read_text()
    source.write_text(text + mistake)
    first, second = spoilable.run(), spoilable.run()
    assert first.returncode == second.returncode == 1, second.stderr
    assert (spoilable.folder / made).read_bytes() == kept

    # older than what is there: only that the step never came to its end tells that it is due
    source.write_text(text)
    os.utime(source, (1_000_000_000, 1_000_000_000))
    done = spoilable.run()
    assert done.returncode == 0, done.stderr
    assert (spoilable.folder / made).stat().st_mtime > source.stat().st_mtime
    assert spoilable.run().returncode == 0


def test_nothing_is_measured_with_the_core_of_before_when_a_build_fails(spoilable):
    target = spoilable.folder / "core" / "target"
    binary = target / "release" / "diskbench"
    built = binary.read_bytes()
    target.unlink()  # a link to what the other tests use
    binary.parent.mkdir(parents=True)
    binary.write_bytes(built)
    shutil.copymode(spoilable.folder / "workflow" / "run.sh", binary)
    tools = spoilable.folder / "tools"
    tools.mkdir()
    (tools / "cargo").write_text(NO_CARGO)
    (tools / "cargo").chmod(0o755)
    environment = spoilable.environment() | {"PATH": f"{tools}:{os.environ['PATH']}"}
    for path in spoilable.records():
        path.unlink()
    (spoilable.folder / "core/diskimage/src/lib.rs").write_text("nonsense")
    for _ in range(2):
        done = spoilable.run("database", environment=environment)
        assert done.returncode == 1
        assert spoilable.records() == []
