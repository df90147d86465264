"""Three hosts and a coordinator on this machine, each in a folder and, as root, a network of its own: one
command measures them."""

import json
import re
import shutil
import signal

import pytest
from gate import A_WRITE
from tree import tree

from console import ExitCode
from proofs.support import victims
from proofs.support.fleet_here import CELLS, CONFIG, fleet_here
from proofs.support.waiting import PATIENCE_SECONDS, wait_until

HOSTS = ["host-a", "host-b", "host-c"]


@pytest.fixture(scope="module")
def fleet(tmp_path_factory):
    """Three hosts that were measured from their coordinator, with the site."""
    with fleet_here(tmp_path_factory.mktemp("fleet"), HOSTS) as made:
        made.coordinator.project.render_only("index.qmd", "hosts.qmd")
        made.workers = {slug: made.worker(slug) for slug in HOSTS}
        made.first = made.coordinator.run("run", "--config", *CONFIG)
        yield made


def tail_of(fleet):
    """For a failure: what everybody said last."""
    return "\n".join(
        machine.said.read_text()[-1500:]
        for machine in fleet.hosts.values()
        if machine.said.exists()
    )


def test_one_command_measures_every_host_and_files_its_records_as_they_are(fleet):
    assert fleet.first.returncode == ExitCode.DONE, fleet.first.stderr + tail_of(fleet)
    assert "3 of 3 hosts are complete" in fleet.first.stderr
    at_coordinator = fleet.coordinator.records()
    assert len(at_coordinator) == 3 * CELLS
    measured = {}
    for host in fleet.hosts.values():
        assert len(host.records()) == CELLS
        measured |= host.records()
    assert at_coordinator == measured


def test_plans_were_shown_before_anything_was_measured_and_hosts_measured_beside_each_other(fleet):
    said = fleet.first.stderr
    shown = said.index("the fleet's plan")
    assert shown < said.index(": measuring")
    for slug in HOSTS:
        assert re.search(
            rf"^diskbench: {slug}, .*: 3 of 3 cells .* 0\.80 GB on internal",
            said[shown:],
            re.MULTILINE,
        )
    times = []
    for host in fleet.hosts.values():
        records = [json.loads(content) for content in host.records().values()]
        times.append(
            (min(r["started_utc"] for r in records), max(r["finished_utc"] for r in records))
        )
    assert max(first for first, _ in times) <= min(last for _, last in times)


def test_the_database_and_the_site_show_three_hosts(fleet):
    hosts = fleet.coordinator.project.query("select distinct host from cell order by host")
    assert hosts == [(slug,) for slug in HOSTS]
    page = fleet.coordinator.project.page("hosts.html")
    assert all(slug in page for slug in HOSTS)


def test_called_again_nothing_is_measured_and_nothing_changes(fleet):
    before = fleet.coordinator.records()
    again = fleet.coordinator.run("run", "--no-site", "--config", *CONFIG)
    assert again.returncode == ExitCode.DONE, again.stderr
    assert ": measuring" not in again.stderr
    assert fleet.coordinator.records() == before


def test_a_plan_of_other_settings_changes_nothing_on_coordinator_and_hosts(fleet):
    folders = [machine.project.folder for machine in (fleet.coordinator, *fleet.hosts.values())]
    name, content = next(iter(fleet.coordinator.records().items()))
    only_at_its_host = _runs(fleet.coordinator, name)
    only_at_its_host.unlink()
    before = [records(tree(folder)) for folder in folders]
    assert all(before)
    try:
        done = fleet.coordinator.run(
            "plan", "--config", *CONFIG, "io={block_bytes: 65536, cache: none, durability: fsync}"
        )
        assert done.returncode == ExitCode.DONE, done.stderr + tail_of(fleet)
        assert [records(tree(folder)) for folder in folders] == before
    finally:
        only_at_its_host.write_bytes(content)


def records(files):
    """What people have: records, database, Parquet and pages."""
    return {name: what for name, what in files.items() if name.startswith(("data/", "reports/"))}


def _runs(machine, name):
    """A record, or a folder of them."""
    return machine.project.folder / "data" / "runs" / name


def test_a_host_that_dies_while_it_measures_goes_on_from_its_records(fleet, gate):
    host = fleet.hosts["host-a"]
    for machine in (host, fleet.coordinator):
        shutil.rmtree(_runs(machine, "host-a"))
    writing = gate("pwrite", A_WRITE, host.project.folder / ".diskbench" / "work")
    _begin_anew(fleet, "host-a", **writing.environment)
    coordinator = fleet.call("run", "--no-site", "--config", *CONFIG)
    try:
        with writing.reached(fleet.workers["host-a"], again=True):
            pass
        with writing.reached(fleet.workers["host-a"]):
            kept = host.records()
            assert len(kept) == 1
            victims.kill(victims.of_project(host.project))
        wait_until(lambda: fleet.coordinator.hears("host-a: away"), "the coordinator to see it")
        fleet.workers["host-a"] = fleet.worker("host-a")
        assert coordinator.wait(PATIENCE_SECONDS) == ExitCode.DONE
    finally:
        victims.kill(victims.of_project(fleet.coordinator.project))
    assert kept.items() <= host.records().items()
    assert len(host.records()) == CELLS
    assert host.records().items() <= fleet.coordinator.records().items()


def _begin_anew(fleet, slug, **environment):
    """Stop a host's worker and run it again, with this in its environment."""
    fleet.workers[slug].send_signal(signal.SIGINT)
    fleet.workers[slug].wait(PATIENCE_SECONDS)
    fleet.workers[slug] = fleet.worker(slug, **environment)
