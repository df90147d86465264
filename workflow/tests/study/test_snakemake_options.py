"""What stands behind run.sh is checked before Snakemake starts, and a mistake is one line."""

import pytest

from console import ExitCode, StudyError
from study import snakemake_options


@pytest.fixture(autouse=True)
def without_profile(monkeypatch):
    monkeypatch.delenv("SNAKEMAKE_PROFILE", raising=False)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--cores 0", "--cores 0: nothing could run with that"),
        ("--cores -1", "--cores -1: nothing could run with that"),
        ("-c0", "--cores 0: nothing could run with that"),
        ("--cores many", "must be integer or 'all'"),
        ("plan --jobs 0", "--jobs 0: nothing could run with that"),
        ("--local-cores 0", "--local-cores 0: nothing"),
        ("--nosuch", "unrecognized arguments: --nosuch; see `bash workflow/run.sh --help`"),
        ("records --profile nosuch -n", "--profile nosuch: there is no such profile"),
        ("--configfile nosuch.yaml", "nosuch.yaml cannot be read (No such file or directory)"),
        ("--delete-all-output", "--delete-all-output could remove records"),
        ("--delete-all-output --dry-run", "--delete-all-output could remove records"),
        ("--delete-all", "--delete-all-output could remove records"),
        ("--delete-temp", "--delete-temp-output could remove records"),
        ("--sdm conda", "--sdm: the rules need the packages that setup.sh installs"),
        ("records --directory x", "--directory: run.sh measures in the project's folder"),
        ("--config scale=gold seed=1 scale=tenth", "--config: scale occurs twice"),
        ("--config scale=gold -n --config scale=tenth", "--config: scale occurs twice"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(words, said):
    with pytest.raises(StudyError) as caught:
        snakemake_options.check(words.split())
    assert caught.value.code == ExitCode.BAD_INPUT
    assert said in caught.value.line
    assert "\n" not in caught.value.line


@pytest.mark.parametrize(
    "words",
    [
        "",
        "plan",
        "records --config scale=gold seed=1",
        "-n --config study=none",
        "--cores 1",
        "--cores all -p",
        "--profile none",
        "--dag",
        "site --forcerun site_",
    ],
)
def test_what_makes_sense_is_left_to_snakemake(words):
    snakemake_options.check(words.split())


def test_a_profile_of_the_environment_is_looked_for_too(monkeypatch):
    monkeypatch.setenv("SNAKEMAKE_PROFILE", "nosuch")
    with pytest.raises(StudyError, match="--profile nosuch: there is no such profile"):
        snakemake_options.check([])


def test_a_home_that_takes_no_cache_is_named(monkeypatch, tmp_path):
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    # a file, below which nobody can make a folder, also not root
    (tmp_path / "home").write_text("")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    with pytest.raises(StudyError, match=f"HOME is {tmp_path}/home, and no cache") as caught:
        snakemake_options.refuse_no_cache()
    assert caught.value.code == ExitCode.FOLDER_UNUSABLE
