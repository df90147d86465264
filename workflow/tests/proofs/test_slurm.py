"""If no Slurm cluster can be started, one line says so before anything is made."""

import subprocess

import pytest

from console import ExitCode, StudyError
from proofs import slurm

INSTALL = (
    "munged, slurmctld, slurmd, sbatch missing: on Debian, "
    "apt-get install --no-install-recommends slurm-wlm munge"
)


@pytest.mark.parametrize(
    ("system", "user", "line"),
    [
        ("Linux", 1000, "it starts a cluster of its own, and so needs Linux and root"),
        ("Darwin", 0, "it starts a cluster of its own, and so needs Linux and root"),
        ("Linux", 0, INSTALL),
    ],
)
def test_without_linux_root_or_slurm_one_line_says_so_before_anything_is_made(
    monkeypatch, system, user, line
):
    def refuse(*_, **__):
        raise AssertionError("something was made")

    monkeypatch.setattr(subprocess, "run", refuse)
    monkeypatch.setattr(slurm.tempfile, "TemporaryDirectory", refuse)
    monkeypatch.setattr(slurm.platform, "system", lambda: system)
    monkeypatch.setattr(slurm.os, "geteuid", lambda: user)
    monkeypatch.setenv("PATH", "/bin")
    there = {"ip", "unshare", "mount"}
    monkeypatch.setattr(slurm.shutil, "which", lambda name: name if name in there else None)
    with pytest.raises(StudyError) as caught:
        slurm.main([])
    assert caught.value.code == ExitCode.BAD_INPUT
    assert caught.value.line == f"no Slurm cluster can be started here: {line}"
