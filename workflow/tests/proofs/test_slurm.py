"""If no Slurm cluster can be started, one line says so before anything is made."""

import subprocess

import pytest

from console import ExitCode, StudyError
from proofs import slurm


@pytest.fixture(autouse=True)
def nothing_is_made(monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("something was made")

    monkeypatch.setattr(subprocess, "run", refuse)
    monkeypatch.setattr(slurm.tempfile, "TemporaryDirectory", refuse)
    monkeypatch.setattr(slurm.platform, "system", lambda: "Linux")
    monkeypatch.setattr(slurm.os, "geteuid", lambda: 0)
    monkeypatch.setenv("PATH", "/bin")


def refused():
    with pytest.raises(StudyError) as caught:
        slurm.main([])
    assert caught.value.code == ExitCode.BAD_INPUT
    return caught.value.line


def test_whoever_is_not_root_is_told(monkeypatch):
    monkeypatch.setattr(slurm.os, "geteuid", lambda: 1000)
    assert "needs Linux and root" in refused()


def test_a_mac_is_told(monkeypatch):
    monkeypatch.setattr(slurm.platform, "system", lambda: "Darwin")
    assert "needs Linux and root" in refused()


def test_without_slurm_the_message_names_what_to_install(monkeypatch):
    there = {"ip", "unshare", "mount"}
    monkeypatch.setattr(slurm.shutil, "which", lambda name: name if name in there else None)
    line = refused()
    assert "munged, slurmctld, slurmd, sbatch missing: on Debian, apt-get install" in line
    assert line.endswith("slurm-wlm munge")
