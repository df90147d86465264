"""The commands of the hosted runners' jobs, and artifacts passed between jobs.

Doubles record what cannot be had here: micromamba and its Quarto, apt-get, rustup, gh, cargo where
it compiles for another machine, and workflow/test.sh, which would run these tests.
"""

import hashlib
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import workflows

import made
import voucher
from proofs.support import bulk, records
from proofs.support.bulk import hourly as record
from proofs.support.repository import commit
from publish.announce import address
from publish.project import load
from record import path_of
from study import superseding

CONTRIBUTION = ".ci/contribution"
RELEASE = bulk.RELEASES[1]
TARGETS = ("aarch64-apple-darwin", "x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu")
# a core for any machine: compiling for another takes its linker
CARGO = """if [ "$1" = tree ]; then
  printf '%s\\n' 'diskbench-core v0.1.0 (/project/core)' 'first v1.2.3' 'second v0.1.0' 'first v1.2.3'
  exit
fi
while [ $# -gt 0 ]; do
  case $1 in --target) target=$2 ;; esac
  shift
done
mkdir -p "core/target/$target/release"
printf '#!/bin/sh\\necho "diskbench %s"\\n' "$DISKBENCH_VERSION" >"core/target/$target/release/diskbench"
"""


LICENCES = {
    "first-1.2.3/LICENSE-MIT": "of the first",
    "first-1.2.3/NOTICE": "that is to be with it",
    "second-0.1.0/LICENCE.txt": "of the second",
}


@pytest.fixture
def releasing(runner, tmp_path):
    """A runner that makes releases: its tools, and what they bring."""
    runner.double("cargo", CARGO)
    runner.double("gh")
    runner.double("rustc", f"echo {tmp_path}\n")
    files = {f".cargo/registry/src/index/{name}": text for name, text in LICENCES.items()}
    files["share/doc/rust/COPYRIGHT-library.html"] = "<p>of &#34;std&#34;</p>\n"
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    runner.cargo_home = tmp_path / ".cargo"
    return runner


def release(runner, *words: str) -> subprocess.CompletedProcess:
    home = f"CARGO_HOME={runner.cargo_home}"
    return runner.call("-c", f"{home} exec bash .ci/release {' '.join(words)}")


@pytest.fixture
def installing(runner):
    """A runner on which nothing is installed."""
    for name in ("apt-get", "sudo", "rustup", "go"):
        runner.double(name)
    return runner


def test_all_tests_run_after_what_they_need_is_installed(installing):
    done = installing.call(".ci/run")
    assert done.returncode == 0, done.stderr
    *installed, tests = installing.calls()
    assert tests == "test.sh all"
    assert all(re.match(r"apt-get (update|install) |go install ", call) for call in installed)


def test_on_ubuntu_rustup_brings_what_compiles_for_a_mac(installing, tmp_path):
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
    done = installing.call(".ci/run", before=before)
    assert done.returncode == 0, done.stderr
    calls = installing.calls()
    assert "rustup target add aarch64-apple-darwin" in calls
    assert not any("rustc-web" in call for call in calls)


def test_no_test_uses_the_conda_that_a_hosted_linux_has(installing):
    # its Rust would come first, and has no standard library for a Mac
    installing.double("conda")
    tests = installing.project.folder / "workflow" / "test.sh"
    tests.write_text("bash workflow/setup.sh\n", encoding="utf-8")
    done = installing.call(".ci/run")
    assert done.returncode == 0, done.stderr
    assert [call for call in installing.calls() if call.startswith("conda")] == []


def test_the_environment_is_made_and_brings_quarto(runner):
    runner.double(
        "micromamba",
        "mkdir -p .conda/bin; printf '#!/bin/sh\\necho 1.9.37\\n' >.conda/bin/quarto\n"
        "chmod +x .conda/bin/quarto\n",
    )
    done = runner.call(".ci/conda")
    assert done.returncode == 0, done.stderr
    assert runner.calls() == ["micromamba create --yes --prefix ./.conda --file environment.yml"]


def test_an_environment_that_cannot_be_solved_ends_the_lane(runner):
    # else run.sh goes on without Quarto, and the lane tests nothing
    runner.double("micromamba", "echo nothing provides quarto; exit 1\n")
    done = runner.call(".ci/conda")
    assert done.returncode == 1
    assert "nothing provides quarto" in done.stdout
    assert "environment.yml could not be solved" in done.stderr


def test_the_site_is_rendered_for_the_address_that_pages_has(runner):
    rendering = runner.project.folder / "workflow" / "run.sh"
    rendering.write_text('echo "run.sh $*" >>"$DOUBLE_CALLS"\n', encoding="utf-8")
    [step] = [
        step
        for step in workflows.documents()["pages"]["jobs"]["render"]["steps"]
        if "ADDRESS" in step.get("env", {})
    ]
    done = runner.call("-c", f"ADDRESS=https://octocat.github.io/diskbench {step['run']}")
    assert done.returncode == 0, done.stderr
    assert runner.calls() == ["run.sh site --config study=none"]
    project = load(runner.project.folder / "reports")
    assert address(project) == "https://octocat.github.io/diskbench/"


def test_the_site_that_is_rendered_is_the_one_that_is_published():
    [rendered] = workflows.artifacts("pages", "render", "actions/upload-pages-artifact")
    assert rendered == {"path": made.SITE.name}
    publishing = workflows.documents()["pages"]["jobs"]["publish"]
    assert publishing["needs"] == "render"
    assert publishing["steps"][-1]["uses"].startswith("actions/deploy-pages@")


def test_a_release_has_each_program_and_its_licences_with_checksums_and_is_made_of_these(releasing):
    commit = releasing.git("rev-parse", "HEAD")
    for target in TARGETS:
        done = release(releasing, "build", target)
        assert done.returncode == 0, done.stderr
        assert any(
            f"--release --locked --bin diskbench --manifest-path core/Cargo.toml --target {target}"
            in call
            for call in releasing.calls()
        )
    done = release(releasing, "publish", "v0.1.0")
    assert done.returncode == 0, done.stderr
    dist = releasing.project.folder / "dist"
    ends = ("", ".sha256", "-licences.txt", "-licences.txt.sha256")
    assert {path.name for path in dist.iterdir()} == {
        f"diskbench-{target}{end}" for target in TARGETS for end in ends
    }
    for target in TARGETS:
        program = dist / f"diskbench-{target}"
        licences = dist / f"{program.name}-licences.txt"
        for file in (program, licences):
            digest = hashlib.sha256(file.read_bytes()).hexdigest()
            assert (dist / f"{file.name}.sha256").read_text() == f"{digest}  {file.name}\n"
        assert f"+{commit}" in program.read_text()
        text = licences.read_text(encoding="utf-8")
        assert text.startswith("diskbench\n\nMIT License\n")
        for once in (*LICENCES.values(), 'of "std"'):
            assert text.count(once) == 1
    call = releasing.calls()[-1]
    assert call.startswith("gh release create v0.1.0 --verify-tag --title diskbench v0.1.0 ")
    assert [word for word in call.split() if word.startswith("dist/")] == [
        f"dist/{path.name}" for path in sorted(dist.iterdir())
    ]


def test_no_core_is_released_without_the_licence_of_a_crate(releasing):
    (releasing.cargo_home / "registry/src/index/second-0.1.0/LICENCE.txt").unlink()
    done = release(releasing, "build", TARGETS[0])
    assert done.returncode == 1
    assert done.stderr == "diskbench: second v0.1.0 has no file with its licence\n"


def test_what_each_machine_built_is_what_is_attested_and_released():
    jobs = workflows.documents()["release"]["jobs"]
    matrix = jobs["build"]["strategy"]["matrix"]["include"]
    assert [one["target"] for one in matrix] == list(TARGETS)
    [built] = workflows.artifacts("release", "build", "actions/upload-artifact")
    # an artifact each, whose files are all in one folder afterwards: dist, as .ci/release has it
    assert built == {
        "name": "diskbench-${{ matrix.target }}",
        "path": "dist",
        "if-no-files-found": "error",
    }
    assert jobs["publish"]["needs"] == "build"
    [got] = workflows.artifacts("release", "publish", "actions/download-artifact")
    assert got == {"path": "dist", "merge-multiple": True}
    [attested] = workflows.artifacts("release", "publish", "actions/attest")
    assert attested == {"subject-path": "dist/diskbench-*"}


def check(runner) -> subprocess.CompletedProcess:
    """The steps of the workflow that checks a pull request, one after the other."""
    steps = workflows.documents()["contribution"]["jobs"]["check"]["steps"]
    return runner.call("-ec", "\n".join(step["run"] for step in steps if "run" in step))


@pytest.fixture
def request_of(runner):
    """A pull request, merged into a base with a record of its own, of the community and of a runner."""
    runs = runner.project.folder / "data" / "runs"
    start = runner.git("rev-parse", "HEAD")
    older = records.save(record("mac-studio-m1-max", 0), runs)
    save(runs, record(THEIRS, 0), sender=SENDER).with_name(KEPT).write_text("superseded")
    save(runs, record(THEIRS, 1) | FAILED, sender=SENDER)
    save(runs, record("runner", 0), voucher.RUNNER)
    runner.git("add", ".")
    runner.git("commit", "--quiet", "--message", "what is here")

    def make(change) -> Path:
        runner.git("checkout", "--quiet", "-b", "request")
        change(runs, older)
        runner.git("add", ".")
        runner.git("commit", "--quiet", "--message", "records")
        runner.git("checkout", "--quiet", "main")
        runner.git("merge", "--quiet", "--no-ff", "--message", "merge", "request")

    yield make
    runner.git("checkout", "--quiet", "--force", "main")
    runner.git("reset", "--quiet", "--hard", start)
    runner.git("branch", "--quiet", "-D", "request")


def save(runs: Path, made: dict, word: str = voucher.COMMUNITY, sender: str = "") -> Path:
    """A record, and the label beside it."""
    path = records.save(made, runs)
    voucher.write(runs, made["cell"]["host"], made["cell"]["release"], word, sender)
    return path


NEW, OURS, THEIRS = "mac-mini-m4-pro", "mac-studio-m1-max", "macbook-air-m2"
SENDER, ANOTHER = "a" * 64, "b" * 64
KEPT = "fresh.superseded-01234567.json"
FAILED = {"status": "failed", "reason": "the volume vanished", "samples": [], "sizes": []}


def add(runs: Path, _: Path) -> None:
    save(runs, record(NEW, 5))


def add_and(change):
    """Good records, and something more: of the folder of records, and the record that is ours."""

    def both(runs: Path, older: Path) -> None:
        add(runs, older)
        change(runs, older)

    return both


def without_a_label(host: str):
    return lambda runs, _: records.save(record(host, 5), runs)


def a_link_for_a_label(runs: Path, _: Path) -> None:
    label = runs / NEW / RELEASE / voucher.FILE
    label.unlink()
    # its content, as git has it, is that of a label
    label.symlink_to("community\n")


def a_name(runs: Path, _: Path) -> None:
    save(runs, record(NEW, 6) | {"warnings": ["seen in /Users/jane/bench"]})


def another_text(runs: Path, _: Path) -> None:
    records.save(record(THEIRS, 0, seed=7), runs)


def another_label(runs: Path, _: Path) -> None:
    save(runs, record(THEIRS, 5), sender=ANOTHER)


def test_good_records_of_a_request_pass_other_files_are_counted_and_the_summary_is_the_screen(
    request_of, runner
):
    runner.double("conda")
    request_of(add_and(lambda runs, _: (runs.parents[1] / "README.md").write_text("mine")))
    done = check(runner)
    assert done.returncode == 0, done.stderr
    said = runner.summary.read_text(encoding="utf-8")
    first, *_ = said.splitlines()
    assert first == "    Yes: all 1 records of mac-mini-m4-pro can be accepted."
    assert "Beside records, this changes 1 other files." in said
    assert runner.calls() == []


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (without_a_label(NEW), NEW),
        (lambda runs, _: save(runs, record(NEW, 5), voucher.RUNNER), NEW),
        (lambda runs, _: save(runs, record(NEW, 5), sender="of Jane Doe"), NEW),
        (add_and(a_link_for_a_label), NEW),
        (without_a_label("runner"), "runner"),
        (add_and(lambda runs, _: voucher.write(runs, OURS, RELEASE, voucher.COMMUNITY)), OURS),
    ],
    ids=[
        *("no label", "a runner's label", "a name in a label", "a link for a label"),
        *("more of a runner", "another label for ours"),
    ],
)
def test_no_request_adds_records_that_would_not_be_the_communitys(
    request_of, runner, change, place
):
    request_of(change)
    assert check(runner).returncode == 6
    said = runner.summary.read_text(encoding="utf-8")
    assert "the records of a pull request are labelled community" in said
    assert f"\n    data/runs/{place}/{RELEASE}\n" in said


def test_more_of_a_mac_whose_records_are_labelled_needs_no_other_label(request_of, runner):
    request_of(without_a_label(THEIRS))
    done = check(runner)
    assert done.returncode == 0, done.stderr


def correct(runs: Path, _: Path) -> None:
    path = runs / path_of(record(THEIRS, 1)["cell"])
    assert superseding.replace(
        path, json.dumps(records.signed(record(THEIRS, 1))).encode()
    ).exists()


def test_a_request_corrects_what_failed_and_nothing_else(request_of, runner):
    request_of(correct)
    done = check(runner)
    assert done.returncode == 0, done.stdout
    assert "correction, 1: acceptable" in runner.summary.read_text(encoding="utf-8")


@pytest.mark.parametrize(("sender", "code"), [(SENDER, 0), (ANOTHER, 6)])
def test_only_the_sender_of_a_host_adds_a_release_to_it(request_of, runner, sender, code):
    made = record(THEIRS, 5)
    made["cell"]["release"] = "macos-26.5-25F71"
    made["host"]["os"] |= {"version": "26.5", "build": "25F71"}
    request_of(lambda runs, _: save(runs, made, sender=sender))
    assert check(runner).returncode == code
    said = runner.summary.read_text(encoding="utf-8")
    assert ("has records of another sender" in said) == (code == 6)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda _, older: older.unlink(), "No: records are only added"),
        (another_text, "cell taken, 1: "),
        (another_label, "No: records are only added"),
    ],
    ids=["a record less", "a record changed", "a label changed"],
)
def test_a_request_with_anything_else_fails_and_says_why(request_of, runner, change, said):
    request_of(add_and(change))
    assert check(runner).returncode == 6
    assert said in runner.summary.read_text(encoding="utf-8")


def test_nothing_but_records_and_labels_is_added_to_data_runs(request_of, runner):
    release = f"mac-mini-m4-pro/{RELEASE}"
    odd = [
        ".gitattributes",
        "::add-mask::No",
        "notes.txt",
        "mac-zz/evil.bin",
        "vouched-by",
        f"{release}/a/vouched-by",
    ]

    def odd_ones(runs: Path, _: Path) -> None:
        for name in odd:
            (runs / name).parent.mkdir(exist_ok=True)
            (runs / name).write_text("*.none working-tree-encoding=UTF-16LE")
        (runs / ".mac-d").symlink_to("/etc")
        path = save(runs, record("mac-b", 6))
        path.chmod(0o755)
        odd.append(str(path.relative_to(runs)))
        (runs / "mac-e").mkdir()
        (runs / "mac-e" / "inside").touch()
        commit(runs / "mac-e")
        (runs.parents[1] / ".gitmodules").write_text(
            '[submodule "e"]\npath = data/runs/mac-e\nurl = .\nignore = all\n'
        )

    request_of(add_and(odd_ones))
    done = check(runner)
    assert done.returncode == 6
    said = runner.summary.read_text(encoding="utf-8")
    # the runner takes none of it for a command
    _, _, told = done.stdout.rpartition("::stop-commands::")
    stop, *screen, end = told.splitlines()
    assert end == f"::{stop}::"
    assert [f"    {line}" for line in screen] == said.splitlines()
    assert any("::add-mask::" in line for line in screen)
    assert stop not in said
    _, named = said.split("Remove these:\n")
    assert {f"    data/runs/{name}" for name in [*odd, ".mac-d", "mac-e"]} == {
        line for line in named.splitlines() if "data/runs" in line
    }


def test_of_superseded_records_only_copies_of_those_that_were_here_are_added(request_of, runner):
    others = []

    def change(runs: Path, older: Path) -> None:
        correct(runs, older)
        theirs = runs / path_of(record(THEIRS, 0)["cell"])
        others.extend([theirs.with_name(KEPT), theirs.with_name("fresh.superseded-89abcdef.json")])
        for path in others:
            path.write_text("of /Users/jane")

    request_of(change)
    assert check(runner).returncode == 6
    _, named = runner.summary.read_text(encoding="utf-8").split("Remove these:\n")
    assert {f"    {path.relative_to(runner.project.folder)}" for path in others} == {
        line for line in named.splitlines() if "data/runs" in line
    }


def a_check_that_is_always_passed(runs: Path, _: Path) -> None:
    project = runs.parents[1]
    (project / CONTRIBUTION).write_text("echo Yes: all records can be accepted\n")
    (project / "workflow" / "run.sh").write_text("exit 0\n")
    (project / "workflow" / "scripts" / "json.py").write_text("raise SystemExit(0)\n")


def a_link_for_a_folder(runs: Path, _: Path) -> None:
    scripts = runs.parents[1] / "workflow" / "scripts"
    shutil.move(scripts, runs / "scripts")
    scripts.symlink_to("../data/runs/scripts")


@pytest.mark.parametrize("more", [a_check_that_is_always_passed, a_link_for_a_folder])
def test_no_code_of_a_request_takes_part_in_its_check(request_of, runner, more):
    def change(runs: Path, older: Path) -> None:
        a_name(runs, older)
        more(runs, older)

    request_of(change)
    assert check(runner).returncode == 6
    assert "a home folder" in runner.summary.read_text(encoding="utf-8")
