"""A cell that needs a restart ends the study with the core's exit code and line."""

import json
import os
import sys

import pytest

from console import EXIT_FILE_VARIABLE, ExitCode, run
from study import core, launch

LINE = "what was measured so far is kept: restart this machine, then run the same command again"


@pytest.fixture
def project(tmp_path, monkeypatch):
    """An empty project with a core that asks for a restart; what it is called with is in `calls`."""
    monkeypatch.chdir(tmp_path)
    for folder in ("core/target/release", "data", "reports", ".diskbench/work"):
        (tmp_path / folder).mkdir(parents=True)
    binary = tmp_path / "core/target/release/diskbench"
    binary.write_text(
        '#!/bin/sh\necho "$@" >> calls\n[ "$1" = sweep ] && exit 0\n'
        f'echo "diskbench: {LINE}" >&2\nexit 8\n',
        encoding="utf-8",
    )
    binary.chmod(0o755)
    storages = [{"slug": "internal", "folder": ".diskbench/work"}]
    (tmp_path / ".diskbench/plan.json").write_text(json.dumps({"storages": storages}))
    return tmp_path


@pytest.fixture
def snakemake(monkeypatch):
    """In the place of Snakemake: one step that measures, and the 1 that Snakemake always ends with."""
    step = (
        "from pathlib import Path; from console import run; from study import core; "
        "run(lambda: core.measure(Path('core/target/release/diskbench'), {'--cell': 'c.json'}))"
    )
    command = ["sh", "-c", '"$0" -c "$1" || exit 1', sys.executable, step]
    monkeypatch.setattr(launch, "_command", lambda arguments: command)
    paths = os.pathsep.join(path for path in sys.path if path)
    monkeypatch.setenv("PYTHONPATH", paths)


def test_the_codes_are_those_of_the_core():
    # core/diskbench-core/src/exit_code.rs
    assert [int(code) for code in ExitCode] == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 130]
    assert (ExitCode.RESTART_NEEDED, ExitCode.NOT_QUIET) == (8, 9)


@pytest.mark.parametrize("code", [8, 9])
def test_a_step_hands_on_what_the_core_ended_with(project, monkeypatch, code):
    (project / "core/target/release/diskbench").write_text(f"#!/bin/sh\nexit {code}\n")
    monkeypatch.setenv(EXIT_FILE_VARIABLE, str(project / "exit-code"))
    with pytest.raises(SystemExit) as ended:
        run(lambda: core.measure(project / "core/target/release/diskbench", {}))
    assert ended.value.code == code
    assert (project / "exit-code").read_text().strip() == str(code)


def test_the_study_ends_with_8_and_the_core_s_own_line_and_what_waits_is_left_to_its_sweep(
    project, snakemake, capfd
):
    assert launch.launch([]) == ExitCode.RESTART_NEEDED
    assert capfd.readouterr().err == f"diskbench: {LINE}\n"
    calls = (project / "calls").read_text().splitlines()
    assert calls == ["run --cell c.json", "sweep --folder .diskbench/work"]
    # asked again without a restart, the study says the same
    assert launch.launch([]) == ExitCode.RESTART_NEEDED
