"""A coordinator listens only on the configured address, or prints a line with the next step."""

import asyncio
import os
import shutil
import socket
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from script import called

from console import ExitCode, StudyError
from fleet import coordinator, version
from fleet.certificates import CertificateStore
from fleet.config import Coordinator, Fleet, Host
from fleet.coordinator import Presence, Run
from fleet.filing import Archive
from fleet.progress import Board, State
from fleet.session import GoneError, Session, TaskError
from lock import held

PROJECT = Path(__file__).resolve().parents[3]
NOWHERE = Coordinator("127.0.0.1", 1)


def run_of(tmp_path, only_plan=False, where=NOWHERE):
    """A run with one host."""
    return Run(
        Fleet(where, {"mac-a": Host("mac-a")}),
        {"mac-a": ["host=mac-a"]},
        CertificateStore(tmp_path / "fleet"),
        Board(["mac-a"]),
        Archive(tmp_path / "runs"),
        version.Version("", {}),
        only_plan,
    )


def error_of(tmp_path, address, port):
    """What a coordinator that is to listen there says."""
    run = run_of(tmp_path, where=Coordinator(address, port))
    run.store.make(run.fleet.coordinator, [Host("mac-a")])
    with pytest.raises(StudyError) as caught:
        asyncio.run(run.go(1.0))
    return caught.value


def test_where_another_coordinator_listens_this_one_does_not(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        error = error_of(tmp_path, "127.0.0.1", port)
    assert error.code == ExitCode.BUSY
    assert f"cannot listen at 127.0.0.1:{port}" in error.line
    assert "another coordinator uses it" in error.line
    assert "set coordinator.port to another number and call `bash workflow/run.sh" in error.line


def test_an_address_of_another_machine_is_said_to_be_that(tmp_path):
    # TEST-NET-3 of RFC 5737: nobody's
    error = error_of(tmp_path, "203.0.113.9", 28786)
    assert error.code == ExitCode.BAD_INPUT
    assert "set coordinator.address in workflow/config/fleet.yaml" in error.line
    assert "and call `bash workflow/run.sh fleet certificate`" in error.line


def test_a_host_without_a_certificate_is_refused_and_not_waited_for(tmp_path):
    here = Coordinator("127.0.0.1", 0)
    run = run_of(tmp_path)
    run.fleet = Fleet(here, {slug: Host(slug) for slug in ("mac-a", "mac-b")})
    run.words = {"mac-a": [], "mac-b": ["host=mac-b"]}
    run.board = Board(list(run.words))
    run.store.make(here, [Host("mac-a")])
    asyncio.run(asyncio.wait_for(run.go(600.0), 60))
    host = run.board.hosts["mac-b"]
    assert host.state == State.REFUSED
    assert host.line.startswith("it has no certificate: here, call `bash workflow/run.sh fleet ")


def test_a_host_whose_certificate_leads_elsewhere_is_waited_for_and_what_helps_is_said(tmp_path):
    run = run_of(tmp_path, where=Coordinator("127.0.0.1", 0))
    run.store.make(Coordinator("192.0.2.7", 8786), [Host("mac-a")])
    asyncio.run(asyncio.wait_for(run.go(0.0), 60))
    host = run.board.hosts["mac-a"]
    assert host.state == State.AWAY
    assert host.line.startswith(
        "its certificate leads to 192.0.2.7:8786, and fleet.yaml to 127.0.0.1:0: "
    )
    assert host.line.endswith("call `bash workflow/run.sh fleet certificate`, and copy the new one")


def test_a_worker_is_known_while_it_is_there_and_by_its_newest_address():
    async def story():
        presence = Presence(["mac-a"])
        waiting = asyncio.create_task(presence.wait("mac-a", None))
        await asyncio.sleep(0)
        presence.came("mac-a", "tls://a:1")
        assert await waiting == "tls://a:1"
        gone = asyncio.create_task(presence.gone("mac-a", "tls://a:1"))
        await asyncio.sleep(0)
        assert not gone.done()
        # it comes back before anybody saw the old one go
        presence.came("mac-a", "tls://a:2")
        await gone
        presence.went("tls://a:1")
        assert presence.addresses == {"mac-a": "tls://a:2"}
        presence.went("tls://a:2")
        assert presence.addresses == {}

    asyncio.run(story())


def asking(tmp_path, result):
    """A question to a host that Dask has this result of."""
    run = run_of(tmp_path)
    run.presence = Presence(["mac-a"])
    run.presence.came("mac-a", "tls://a:1")
    future = SimpleNamespace(result=result, release=lambda: None)
    run.client = SimpleNamespace(submit=lambda *_, **__: future)
    return run, run._asking("mac-a", "tls://a:1")(asking)


def test_a_question_to_a_host_that_goes_before_it_answers_ends(tmp_path):
    async def story():
        run, asked = asking(tmp_path, asyncio.Event().wait)
        question = asyncio.create_task(asked)
        await asyncio.sleep(0)
        run.presence.went("tls://a:1")
        with pytest.raises(GoneError):
            await asyncio.wait_for(question, 60)

    asyncio.run(story())


def test_an_error_of_a_task_on_a_host_is_distinguished_from_one_of_the_coordinator(tmp_path):
    async def failed():
        raise FileNotFoundError(2, "No such file or directory", ".diskbench/plan.json")

    async def story():
        _, asked = asking(tmp_path, failed)
        with pytest.raises(TaskError, match="FileNotFoundError: "):
            await asked

    asyncio.run(story())


def test_plans_and_ends_of_hosts_are_noticed_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr(coordinator, "LOOK_SECONDS", 3600)

    async def story():
        run = run_of(tmp_path)
        run.presence = Presence(["mac-a"])

        async def session():
            await run.planned("mac-a")
            run.board.set("mac-a", State.FINISHED)

        showing = asyncio.create_task(run._show_plan())
        await asyncio.sleep(0)
        jobs = [showing, asyncio.create_task(session()), asyncio.create_task(asyncio.sleep(3600))]
        await asyncio.wait_for(run._until_done(jobs, ["mac-a"], 600.0), 60)
        assert run.begun.is_set()
        jobs[-1].cancel()

    asyncio.run(story())


@pytest.mark.parametrize("answers", [True, False])
def test_a_host_that_goes_is_waited_for_anew_if_it_had_answered_and_else_what_helps_is_said(
    tmp_path, monkeypatch, answers
):
    async def go(session, address, ask):
        if answers:
            run.board.set("mac-a", State.PLANNING)
        run.presence.went(address)
        raise GoneError("allow it")

    async def story():
        run.presence = Presence(["mac-a"])
        run.presence.since["mac-a"] = 0.0
        run.presence.came("mac-a", "tls://a:1")
        await asyncio.wait({asyncio.create_task(run._attend("mac-a"))}, timeout=0.1)

    run = run_of(tmp_path)
    monkeypatch.setattr(Session, "go", go)
    asyncio.run(story())
    assert run.board.hosts["mac-a"].state == State.AWAY
    assert (run.presence.since["mac-a"] > 0.0) is answers
    advised = "its worker connects and does not answer (allow it)"
    assert (run.board.hosts["mac-a"].line == advised) is not answers


@pytest.mark.parametrize("only_plan", [True, False])
def test_a_call_for_the_plan_lets_no_host_measure(tmp_path, only_plan):
    async def allowed():
        run = run_of(tmp_path, only_plan)
        run.begun.set()
        return await run.planned("mac-a")

    assert asyncio.run(allowed()) is not only_plan


def test_a_folder_has_one_coordinator(tmp_path):
    config = tmp_path / "workflow" / "config"
    shutil.copytree(PROJECT / "workflow" / "config", config)
    (config / "fleet.yaml").write_text(
        "coordinator: {address: 127.0.0.1, port: 28786}\nhosts: {mac-a: {}}\n"
    )
    lock = tmp_path / ".diskbench" / "fleet" / "coordinator.lock"
    lock.parent.mkdir(parents=True)
    with held(lock, ""):
        path = os.pathsep.join(sys.path)
        done = called("-m", "fleet", "plan", cwd=tmp_path, PYTHONPATH=path)
    said = "diskbench: a coordinator already runs in this folder: wait for it, then run again\n"
    assert (done.returncode, done.stderr) == (ExitCode.BUSY, said)
