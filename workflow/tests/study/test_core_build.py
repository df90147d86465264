"""The core's build: a failure is one line that names what is missing."""

from pathlib import Path

import pytest

from console import ExitCode, StudyError
from study.core import build

# As cargo 1.95 said it where no other machine could be reached, host names left out.
WITHOUT_NETWORK = """\
warning: spurious network error (1 try remaining): [6] Could not resolve hostname (Could not resolve host: ...)
error: failed to get `aes` as a dependency of package `diskbench-core v0.1.0`

Caused by:
  [6] Could not resolve hostname (Could not resolve host: ...)
"""

# as cargo 1.95 said it on a full disk
WITHOUT_SPACE = """\
error: could not compile `diskimage` (lib)

Caused by:
  No space left on device (os error 28)
"""


@pytest.mark.parametrize(
    ("said", "code", "line"),
    [
        (WITHOUT_SPACE, ExitCode.NO_SPACE, "the disk is full at "),
        ("error: Disk quota exceeded (os error 122)\n", ExitCode.NO_SPACE, "the disk is full at "),
        (WITHOUT_NETWORK, ExitCode.FOLDER_UNUSABLE, "no network: crates of the core"),
        ("error: no such thing\n", ExitCode.UNEXPECTED, "did not build (error: no such thing)"),
        ("", ExitCode.UNEXPECTED, "did not build (cargo failed)"),
    ],
)
def test_a_build_without_a_network_or_space_is_distinguished_from_one_that_fails(
    tmp_path, monkeypatch, said, code, line
):
    (tmp_path / "said").write_text(said)
    cargo = tmp_path / "cargo"
    cargo.write_text(f"#!/bin/sh\ncat {tmp_path}/said >&2\nexit 101\n")
    cargo.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with pytest.raises(StudyError) as caught:
        build(Path("core/Cargo.toml"), tmp_path / "target" / "release" / "diskbench")
    assert caught.value.code == code
    assert line in caught.value.line
