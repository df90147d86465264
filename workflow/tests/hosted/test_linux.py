"""The other workflows, step by step: what they call, and what comes out of them.

Doubles record what cannot be had here: micromamba and its Quarto, apt-get, rustup, gh, cargo where
it compiles for another machine, and workflow/test.sh, which would run these tests.
"""

import hashlib
import json
import re
import shutil
import subprocess
from pathlib import Path

import played
import pytest
from played import git

import voucher
from proofs.contributions import RELEASE, record
from proofs.support import records

CONDA = "micromamba create --yes --prefix .conda --file environment.yml"
RENDERED = "quarto render reports --output-dir "


def test_every_job_is_played_here():
    played_here = {
        *(("test", one) for one in ("linux", "conda", "quarto")),
        *(("pages", one) for one in ("render", "publish")),
        *(("release", one) for one in ("build", "publish")),
        ("contribution", "check"),
        ("mac", "mac"),  # test_mac.py
    }
    assert {(job.workflow, job.name) for job in played.jobs()} == played_here


def test_all_tests_run_on_linux_after_what_they_need_is_installed(runner, job):
    runner.play(job("test", "linux"))
    *installed, tests = runner.calls()
    assert tests == "test.sh all"
    assert all(re.match(r"apt-get (update|install) |go install ", call) for call in installed)


def test_on_ubuntu_rustup_brings_what_compiles_for_a_mac(runner, job, tmp_path):
    system = tmp_path / "os-release"
    system.write_text('ID=ubuntu\nVERSION_ID="24.04"\n')
    before = (
        "unshare",
        "--mount",
        "bash",
        "-c",
        f'mount --bind {system} /etc/os-release && "$@"',
        "-",
    )
    if subprocess.run([*before, "true"], capture_output=True).returncode:
        pytest.skip("this user may mount nothing: run this test as root")
    runner.play(job("test", "linux"), before)
    calls = runner.calls()
    assert "rustup target add aarch64-apple-darwin" in calls
    assert not any("rustc-web" in call for call in calls)
    assert calls[-1] == "test.sh all"


@pytest.mark.slow
def test_the_two_commands_run_in_the_environment_of_conda(native_only, runner, job):
    runner.play(job("test", "conda"))
    first, *between, last = [call for call in runner.calls() if call != "quarto --version"]
    assert (first, last) == (CONDA, "test.sh ")
    assert [call.rpartition(" ")[0] + " " for call in between] == [RENDERED]
    assert len(list((runner.project.folder / "data" / "runs").rglob("*.json"))) == 5


@pytest.mark.slow
def test_quarto_renders_and_is_compared(runner, job):
    runner.play(job("test", "quarto"))
    first, *between, last = [call for call in runner.calls() if call != "quarto --version"]
    assert (first, last) == (CONDA, "test.sh workflow/tests/publish/test_twice.py")
    assert [call.rpartition(" ")[0] + " " for call in between] == [RENDERED]


@pytest.mark.slow
def test_the_site_that_is_published_is_quartos_and_nothing_is_measured_for_it(runner, job):
    runner.play(job("pages", "render"))
    runner.play(job("pages", "publish"))
    page = (runner.artifacts / "github-pages" / "index.html").read_text(encoding="utf-8")
    assert "by a double of Quarto" in page
    assert not (runner.project.folder / "data" / "runs").exists()


def test_an_environment_that_cannot_be_solved_ends_the_lane(runner, tmp_path):
    # else run.sh goes on without Quarto, and the lane tests nothing
    runner.double("micromamba", "echo nothing provides quarto; exit 1\n")
    done = subprocess.run(
        ["bash", ".ci/conda"],
        cwd=runner.project.folder,
        env=runner.environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert "nothing provides quarto" in done.stdout
    assert "environment.yml could not be solved" in done.stderr


def test_a_release_has_each_program_with_its_checksum_and_is_made_of_these(
    checked_out, runner, job, tmp_path
):
    runner.double("cargo", played.CARGO)
    commit = git(checked_out, "rev-parse", "HEAD")
    targets = ("aarch64-apple-darwin", "x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu")
    for target in targets:
        shutil.rmtree(checked_out.folder / "dist", ignore_errors=True)
        runner.play(job("release", "build", target=target))
        assert (
            f"--release --locked --bin diskbench --manifest-path core/Cargo.toml --target {target}"
            in runner.calls()[-1]
        )
    shutil.rmtree(checked_out.folder / "dist")
    runner.play(job("release", "publish"))
    dist = checked_out.folder / "dist"
    assert {path.name for path in dist.iterdir()} == {
        name for target in targets for name in (f"diskbench-{target}", f"diskbench-{target}.sha256")
    }
    for target in targets:
        program = dist / f"diskbench-{target}"
        digest = hashlib.sha256(program.read_bytes()).hexdigest()
        assert (dist / f"{program.name}.sha256").read_text() == f"{digest}  {program.name}\n"
        assert f"+{commit}" in program.read_text()
    call = runner.calls()[-1]
    assert call.startswith("gh release create v0.1.0 --verify-tag --title diskbench v0.1.0 ")
    assert [word for word in call.split() if word.startswith("dist/")] == [
        f"dist/{path.name}" for path in sorted(dist.iterdir())
    ]


@pytest.mark.slow
def test_a_released_core_measures_where_there_is_no_rust(native_only, runner, job):
    """The real program, compiled by the job for this machine, taken by set-up."""
    git(native_only, "commit", "--all", "--quiet", "--message", "native only")
    (host,) = re.findall(r"^host: (.+)$", _said("rustc", "-vV"), re.MULTILINE)
    (native_only.folder / "core" / "target").unlink()
    # no speed is looked at
    runner.environment["CARGO_PROFILE_RELEASE_OPT_LEVEL"] = "0"
    runner.environment["CARGO_PROFILE_RELEASE_LTO"] = "off"
    try:
        runner.play(job("release", "build", target=host))
        shutil.rmtree(native_only.folder / "core" / "target")
        runner.double("cargo", "exit 1\n")
        program = native_only.folder / "dist" / f"diskbench-{host}"
        program.chmod(0o644)
        done = native_only.run(
            *("database", "--config", "study=slow-writes-2022"),
            environment=runner.environment | {"DISKBENCH_CORE": str(program)},
        )
        assert done.returncode == 0, done.stderr
        assert native_only.query("select distinct status from cell") == [("measured",)]
        assert runner.calls() == []
    finally:
        shutil.rmtree(native_only.folder / "core" / "target", ignore_errors=True)
        (native_only.folder / "core" / "target").symlink_to(played.PROJECT / "core" / "target")
        git(native_only, "reset", "--quiet", "--hard", "HEAD^")


def _said(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.fixture
def request_of(checked_out):
    """A pull request, merged into a base that has a record of its own and one of the community."""
    runs = checked_out.folder / "data" / "runs"
    start = git(checked_out, "rev-parse", "HEAD")
    older = records.save(records.signed(record("mac-studio-m1-max", 0)), runs)
    save(runs, record("macbook-air-m2", 0))
    git(checked_out, "add", ".")
    git(checked_out, "commit", "--quiet", "--message", "what is here")

    def make(change) -> Path:
        git(checked_out, "checkout", "--quiet", "-b", "request")
        change(runs, older)
        git(checked_out, "add", ".")
        git(checked_out, "commit", "--quiet", "--message", "records")
        git(checked_out, "checkout", "--quiet", "main")
        git(checked_out, "merge", "--quiet", "--no-ff", "--message", "merge", "request")

    yield make
    git(checked_out, "checkout", "--quiet", "--force", "main")
    git(checked_out, "reset", "--quiet", "--hard", start)
    git(checked_out, "branch", "--quiet", "-D", "request")


def save(runs: Path, made: dict) -> Path:
    """A record, and the label beside it."""
    path = records.save(records.signed(made), runs)
    voucher.write(runs, made["cell"]["host"], made["cell"]["release"], voucher.COMMUNITY)
    return path


def add(runs: Path, _: Path) -> None:
    save(runs, record("mac-mini-m4-pro", 5))


def test_good_records_of_a_request_pass_and_the_summary_is_the_screen(request_of, runner, job):
    request_of(add)
    runner.play(job("contribution", "check"))
    first, *_ = runner.summary.read_text(encoding="utf-8").splitlines()
    assert first == "    Yes: all 1 records of mac-mini-m4-pro can be taken in."


def with_a_name(runs: Path, _: Path) -> None:
    made = record("mac-mini-m4-pro", 5)
    made["warnings"] = ["seen in /Users/jane/bench"]
    save(runs, made)


def with_an_edit(runs: Path, _: Path) -> None:
    path = save(runs, record("mac-mini-m4-pro", 5))
    path.write_text(path.read_text().replace('"macos"', '"macOS"'))


def and_remove(runs: Path, older: Path) -> None:
    add(runs, older)
    older.unlink()


def and_change(runs: Path, older: Path) -> None:
    add(runs, older)
    older.write_text(json.dumps(records.signed(record("mac-studio-m1-max", 0, seed=7))))


def without_a_label(runs: Path, older: Path) -> None:
    add(runs, older)
    (runs / "mac-mini-m4-pro" / RELEASE / voucher.FILE).unlink()


def to_our_own(runs: Path, _: Path) -> None:
    save(runs, record("mac-studio-m1-max", 5))


def to_our_own_without_a_label(runs: Path, _: Path) -> None:
    records.save(records.signed(record("mac-studio-m1-max", 5)), runs)


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (without_a_label, "mac-mini-m4-pro"),
        (to_our_own, "mac-studio-m1-max"),
        (to_our_own_without_a_label, "mac-studio-m1-max"),
    ],
)
def test_no_request_adds_records_that_would_be_the_projects_own(
    request_of, runner, job, change, place
):
    request_of(change)
    with pytest.raises(AssertionError, match="Check the records: 6"):
        runner.play(job("contribution", "check"))
    said = runner.summary.read_text(encoding="utf-8")
    assert "records of a pull request are never the project's own" in said
    assert f"\n    data/runs/{place}/{RELEASE}\n" in said


def test_more_of_a_mac_whose_records_are_labelled_needs_no_other_label(request_of, runner, job):
    def more(runs: Path, _: Path) -> None:
        records.save(records.signed(record("macbook-air-m2", 5)), runs)

    request_of(more)
    runner.play(job("contribution", "check"))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (with_a_name, "a home folder"),
        (with_an_edit, "damaged"),
        (and_remove, "No: records are only added"),
        (and_change, "No: records are only added"),
    ],
)
def test_a_request_with_anything_else_fails_and_says_why(request_of, runner, job, change, said):
    request_of(change)
    with pytest.raises(AssertionError, match="Check the records: 6"):
        runner.play(job("contribution", "check"))
    assert said in runner.summary.read_text(encoding="utf-8")


def test_other_files_of_a_request_are_counted(request_of, runner, job):
    def and_more(runs: Path, older: Path) -> None:
        add(runs, older)
        (runs.parents[1] / "README.md").write_text("mine")

    request_of(and_more)
    runner.play(job("contribution", "check"))
    assert "Beside records, this changes 1 other files." in runner.summary.read_text()
