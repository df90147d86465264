"""Set-up names all that is missing or unfit on a machine, and what to do, before anything is made."""

import shutil
import subprocess

import pytest
from bare_machine import PYTHON, BareMachine


@pytest.fixture
def machine(tmp_path):
    """An empty machine: a project folder, and a PATH with only basic tools and what a test adds."""
    return BareMachine(tmp_path, ("cc", "ps"))


MISSING = ("Python 3.11, 3.12 or 3.13", "cargo (Rust 1.89 or later)", "a linker (cc)")


def test_all_that_is_missing_is_named_in_one_line_before_anything_is_installed(machine):
    (machine.bin / "cc").unlink()
    line = machine.refusal()
    assert [tool for tool in MISSING if f"{tool} is missing" in line] == list(MISSING)
    assert not (machine.project / ".venv").exists()
    # and nothing that is there
    machine.has("cc")
    machine.has("python3", PYTHON)
    line = machine.refusal()
    assert [tool for tool in MISSING if f"{tool} is missing" in line] == [MISSING[1]]


@pytest.mark.parametrize(
    ("python", "system", "command"),
    [
        ("exit 127", "linux-gnu", "sudo apt install python3"),
        ("exit 1", "darwin23", "brew install"),
    ],
)
def test_a_missing_or_unfit_python_is_named_with_how_to_get_one(machine, python, system, command):
    machine.has("cargo")
    machine.has("python3", python)
    machine.has("xcode-select")
    machine.has("xcrun")
    line = machine.refusal(OSTYPE=system)
    assert "Python 3.11, 3.12 or 3.13 is missing" in line
    assert command in line
    assert not (machine.project / ".venv").exists()


def test_a_mac_without_anything_is_told_what_it_can_do_and_shows_no_window(machine):
    # there `cc` and /usr/bin/python3 are windows that ask to install Xcode's tools
    machine.has("xcode-select", "exit 2")
    machine.has("xcrun", "touch window; exit 1")
    line = machine.refusal(OSTYPE="darwin23")
    # which Homebrew is not, and Apple's own tools have a Python
    assert line.count("rustup.rs") == 1
    assert line.count("missing: xcode-select --install") == 2
    assert "python@" not in line
    assert not (machine.project / "window").exists()


@pytest.mark.parametrize(
    ("said", "mend"),
    [
        (
            "xcrun: error: invalid active developer path (/Library/Developer/CommandLineTools), "
            "missing xcrun at: /Library/Developer/CommandLineTools/usr/bin/xcrun",
            "missing: xcode-select --install, or if that finds nothing to install, "
            "sudo xcode-select --reset",
        ),
        (
            "You have not agreed to the Xcode license agreements. Please run 'sudo xcodebuild "
            "-license' from within a Terminal window to review and agree to the Xcode and Apple "
            "SDKs license.",
            "missing: sudo xcodebuild -license accept",
        ),
    ],
)
def test_tools_of_a_mac_that_an_upgrade_broke_are_named_with_what_mends_them(machine, said, mend):
    # the folder is still set, which is all that xcode-select -p looks at
    machine.has("xcode-select")
    machine.has("xcrun", f"cat >&2 <<'E'\n{said}\nE\nexit 69")
    machine.has("cargo")
    machine.has_made_venv()
    line = machine.refusal(OSTYPE="darwin24")
    assert f"a working linker (Xcode's command line tools) is {mend}; then run again" in line
    machine.has("xcrun", '[ "$*" = "cc --version" ]')
    machine.made(OSTYPE="darwin24")


@pytest.mark.parametrize("path", ["", "/nowhere"])
def test_a_path_without_the_systems_programs_is_named(machine, path):
    bash = shutil.which("bash")
    done = subprocess.run(
        [bash, "workflow/setup.sh"],
        cwd=machine.project,
        env={"PATH": path},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert f"PATH ({path or 'empty'}) has no cat" in line
