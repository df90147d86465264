"""The next call retries a failed step, whatever it left behind."""

import os
import shutil

import pytest

pytestmark = pytest.mark.slow

# A stand-in for cargo on PATH: it cannot build anything.
NO_CARGO = "#!/bin/sh\necho 'error: could not compile' >&2\nexit 101\n"


def test_what_a_failed_step_left_of_before_is_not_taken_for_up_to_date(spoilable):
    source = spoilable.folder / "reports/index.qmd"
    made = spoilable.folder / "reports/_site/index.html"
    kept = made.read_bytes()
    before = made.stat().st_mtime_ns
    text = source.read_text()
    source.write_text(text + "\n```{python}\nraise SystemExit(1)\n```\n")
    for _ in range(2):
        done = spoilable.run()
        assert done.returncode == 1, done.stderr
        assert made.read_bytes() == kept

    # older than what is there: only that the step never came to its end tells that it is due
    source.write_text(text)
    os.utime(source, (1_000_000_000, 1_000_000_000))
    done = spoilable.run()
    assert done.returncode == 0, done.stderr
    assert made.stat().st_mtime_ns > before


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
