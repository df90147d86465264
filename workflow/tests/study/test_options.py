"""Arguments of run.sh are checked before Snakemake starts, and a mistake is one line."""

import pytest
import snakemake.cli

from console import ExitCode, StudyError
from study import options


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--cores 0", "'0' is neither a whole number from 1 nor all; see `bash workflow/run.sh"),
        ("--nosuch", "--nosuch is not an option of run.sh; see `bash workflow/run.sh --help`"),
        # Snakemake takes what begins like one of its own; this one would remove records
        ("--delete-all --dry-run", "--delete-all is not an option of run.sh"),
        ("plan --conf scale=gold", "--conf is not an option"),
        ("records --directory x", "for Snakemake's options reports/manual/setup.qmd"),
        ("--config scale=gold seed=1 scale=tenth", "--config: scale occurs twice"),
        (
            "--config scale=gold -n --config seed=1",
            "--config occurs twice: give all settings after one",
        ),
        ("--config scale=gold records", "--config: records is not KEY=VALUE (only settings"),
        ("--config", "expected at least one argument"),
        ("plan -n site", "site comes after an option: targets come first"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(words, said):
    with pytest.raises(StudyError) as caught:
        options.parse(words.split())
    assert caught.value.code == ExitCode.BAD_INPUT
    assert said in caught.value.line
    assert "\n" not in caught.value.line


@pytest.mark.parametrize(
    ("words", "targets", "is_dry"),
    [
        ("", [], False),
        ("plan site -p", ["plan", "site"], False),
        ("records --config seed=1 storage=[{slug:x,folder:/y=z}]", ["records"], False),
        ("--forcerun measure --config note=-n", [], False),
        ("--force .diskbench/made/measured/x/-n", [".diskbench/made/measured/x/-n"], False),
        ("site --config study=none --dry-run", ["site"], True),
        ("-nF", [], True),
    ],
)
def test_targets_and_a_dry_run_are_known_among_other_options(words, targets, is_dry):
    wanted = options.parse(words.split())
    assert (wanted.targets, wanted.dry_run) == (targets, is_dry)


@pytest.mark.parametrize("word", ["-nF", "-R x", "--cores=all", "-kp", "--verbose", "--config a=1"])
def test_snakemake_has_each_option_too(word):
    parser = snakemake.cli.get_argument_parser()
    parser.parse_args(["plan", *word.split()])


def test_a_home_that_takes_no_cache_is_named(monkeypatch, tmp_path):
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    # a file, below which nobody can make a folder, also not root
    (tmp_path / "home").write_text("")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    with pytest.raises(StudyError, match=f"HOME is {tmp_path}/home, and no cache") as caught:
        options.refuse_no_cache()
    assert caught.value.code == ExitCode.FOLDER_UNUSABLE
