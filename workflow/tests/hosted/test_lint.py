"""The workflows of hosted runners pass linters, are pinned, and have minimal permissions."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import workflows
from workflows import FROM_THE_BASE

BIN = Path(sys.executable).parent
# A step calls a command of ours: what it does is there, and is tested there.
COMMAND = re.compile(r"bash (workflow/(run|test)\.sh|\.ci/[\w-]+)( [^\n;|&`]+)?\n?")
STEPS = [(job, step) for job in workflows.jobs() for step in job.steps]

# whose job, and what it may do beyond reading the files
MAY = {
    ("pages", "render"): {"contents": "read", "pages": "read"},
    ("pages", "publish"): {"pages": "write", "id-token": "write"},
    ("release", "publish"): {"contents": "write", "id-token": "write", "attestations": "write"},
}


def lint(*command: str) -> str:
    program = shutil.which(command[0], path=f"{BIN}:{os.environ['PATH']}")
    if program is None:
        pytest.skip(f"no {command[0]} on PATH: .ci/run brings it where Go is")
    done = subprocess.run(
        [program, *command[1:]], cwd=workflows.PROJECT, capture_output=True, text=True
    )
    return f"{done.returncode}\n{done.stdout}{done.stderr}"


def test_actionlint_finds_nothing():
    assert lint("actionlint", "-no-color", *map(str, workflows.WORKFLOWS)) == "0\n"


def test_zizmor_finds_nothing():
    said = lint("zizmor", "--offline", "--no-progress", "--color=never", ".github/workflows")
    assert said.startswith("0\n")
    assert "No findings to report" in said


def test_an_action_has_one_version_in_all_workflows():
    text = "".join(path.read_text(encoding="utf-8") for path in workflows.WORKFLOWS)
    versions = set(re.findall(r"uses: (.+)", text))
    assert len(versions) == len({one.partition("@")[0] for one in versions})


@pytest.mark.parametrize("name", workflows.documents())
def test_no_job_may_do_more_than_it_must(name):
    document = workflows.documents()[name]
    assert document["permissions"] == {}
    for job, described in document["jobs"].items():
        assert described["permissions"] == MAY.get((name, job), {"contents": "read"})
        assert described["timeout-minutes"] <= 180


@pytest.mark.parametrize(
    ("job", "step"),
    [(job, step) for job, step in STEPS if step.get("run", FROM_THE_BASE) != FROM_THE_BASE],
    ids=lambda one: str(one) if isinstance(one, workflows.Job) else one["name"],
)
def test_a_step_is_one_call_of_a_command_of_ours(job, step):
    assert COMMAND.fullmatch(step["run"])
    assert (workflows.PROJECT / step["run"].split()[1]).is_file()


def test_macs_are_measured_by_hand_weekly_and_on_release_each_for_itself():
    document = workflows.documents()["mac"]
    when = document[True]  # YAML 1.1 takes `on` for a truth
    assert set(when) == {"workflow_dispatch", "schedule", "push"}
    assert when["push"] == workflows.documents()["release"][True]["push"] == {"tags": ["v*"]}
    (job,) = document["jobs"].values()
    assert job["strategy"]["fail-fast"] is False
    assert job["timeout-minutes"] <= 60
    # one that fails or hangs keeps none of the others from being run, nor from what came out: a job out of time is cancelled
    first, *others = [step for step in job["steps"] if "run" in step or "path" in step["with"]]
    assert "if" not in first
    assert [step["if"] for step in others] == [workflows.WHATEVER_FAILED] * 2
    limits = [step["timeout-minutes"] for step in job["steps"] if "run" in step]
    assert sum(limits) < job["timeout-minutes"]


def test_the_manual_names_every_workflow_and_all_that_comes_out_of_a_mac():
    page = (workflows.PROJECT / "reports" / "manual" / "hosted.qmd").read_text(encoding="utf-8")
    named = re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)
    assert sorted(named) == sorted(workflows.documents())
    (mac,) = workflows.documents()["mac"]["jobs"].values()
    assert f"at most {mac['timeout-minutes']} minutes" in page
    # GitHub turns off in a fork what also runs by a schedule, and `gh` takes the project that a clone's was forked from
    for step in (
        "*Enable workflow*",
        "gh repo set-default OWNER/diskbench\ngh workflow enable mac.yml",
    ):
        assert step in page
    for runner in mac["strategy"]["matrix"]["runner"]:
        assert f"`{runner}`" in page
    for path in mac["steps"][-1]["with"]["path"].split():
        assert f"| `{path.partition('*')[0].rstrip('/')}/" in page
