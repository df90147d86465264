"""A command can be interrupted at any time, even while its modules are loaded."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from script import SCRIPTS, called

WORKFLOW = Path(__file__).parents[2]
FLEET = WORKFLOW.parent / ".diskbench/tools/fleet"
AT_IMPORT = "import time\nprint('here', flush=True)\ntime.sleep(60)\n"
AT_WORK = f"def main():\n    {AT_IMPORT.strip().replace(chr(10), chr(10) + '    ')}\n"


@pytest.fixture
def begun(tmp_path):
    """Starts a module with this text, waits until it is `here`, and interrupts it."""

    def run(text: str, **more) -> tuple[int, str]:
        (tmp_path / "slow.py").write_text(text)
        with subprocess.Popen(
            [sys.executable, SCRIPTS / "begin.py", "slow"],
            env=os.environ | {"PYTHONPATH": f"{SCRIPTS}:{tmp_path}"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **more,
        ) as process:
            assert process.stdout.readline() == "here\n"
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=30)
            return process.returncode, said

    return run


def test_while_it_loads_it_ends_without_a_word(begun):
    # a shell makes 130 of it
    assert begun(AT_IMPORT) == (-signal.SIGINT, "")


def test_at_work_it_says_that_it_was_interrupted(begun):
    code, said = begun(AT_WORK)
    assert (code, said) == (130, "diskbench: interrupted: run the same command again to resume\n")


def test_what_a_shell_runs_in_the_background_is_not_interrupted(begun):
    def ignore() -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    text = "print('here', flush=True)\nimport time\ntime.sleep(0.5)\ndef main():\n    return 7\n"
    assert begun(text, preexec_fn=ignore) == (7, "")


TOLD = (WORKFLOW / "run.sh").read_text(encoding="utf-8")
MODULES = [
    one.replace("$1", name).replace("/", ".")
    for names, one in re.findall(r"^  ([a-z| -]+|\*)\) module=(\S+)", TOLD, re.MULTILINE)
    for name in names.split(" | ")
] + [one.replace("/", ".") for one in re.findall(r"^  module=(\S+)", TOLD, re.MULTILINE)]


def test_no_command_of_run_is_called_in_another_way():
    assert re.findall(r"exec python (\S+)", TOLD) == ["workflow/scripts/begin.py"]
    assert len(MODULES) == 8


@pytest.mark.parametrize("module", MODULES)
def test_loading_a_command_does_nothing_yet(module):
    code = f"import {module}; print(callable({module}.main))"
    done = called("-c", code, PYTHONPATH=f"{SCRIPTS}:{FLEET}")
    assert (done.returncode, done.stdout, done.stderr) == (0, "True\n", "")
