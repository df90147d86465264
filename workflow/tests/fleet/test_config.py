"""fleet.yaml: the arguments of each host, and one line for each mistake."""

import json

import pytest
import yaml

from console import StudyError
from fleet import __main__ as command
from fleet import config

STUDIES = ["slow-writes-2022", "encryption-2026", "vm-2026"]
COORDINATOR = {"address": "192.0.2.1", "port": 8786}


@pytest.fixture
def read(tmp_path):
    """Read a fleet of these hosts."""

    def reading(hosts, **coordinator):
        path = tmp_path / "fleet.yaml"
        path.write_text(
            yaml.safe_dump({"coordinator": COORDINATOR | coordinator, "hosts": hosts}),
            encoding="utf-8",
        )
        return config.read(path)

    return reading


def mistake(read, hosts, **coordinator):
    """The line that these hosts are refused with."""
    with pytest.raises(StudyError) as caught:
        read(hosts, **coordinator)
    return caught.value.line


def test_the_shipped_file_is_valid_and_names_no_host():
    fleet = config.read(config.WORKFLOW / "config" / "fleet.yaml")
    assert fleet.hosts == {}
    with pytest.raises(StudyError, match=r"names no host: add each under `hosts`"):
        config.refuse_no_hosts(fleet)


def test_the_command_line_takes_precedence_over_fleet_yaml_which_may_say_nothing(read):
    assert read({"mac": None}).hosts["mac"].words({}, STUDIES) == ["host=mac"]
    host = read({"mac": {"scale": "tenth"}}).hosts["mac"]
    assert host.words({}, STUDIES) == ["host=mac", "scale=tenth"]
    assert host.words({"scale": "gold", "repeats": "3"}, STUDIES) == [
        *("host=mac", "scale=gold", "repeats=3")
    ]


def test_a_setting_within_another_changes_nothing_beside_it(monkeypatch):
    # as Snakemake does it for `run.sh`
    before = config.study_with({})
    after = config.study_with({"io": "{cache: bypass}", "retry": "[failed]"})
    assert after["io"] == before["io"] | {"cache": "bypass"}
    assert after == before | {"io": after["io"], "retry": ["failed"]}
    monkeypatch.chdir(config.WORKFLOW.parent)
    assert command._studies({"io": "{cache: bypass}"}) == list(before["studies"])


def test_a_host_has_its_own_storage(read):
    storage = [{"slug": "internal", "folder": "/Volumes/Data/bench"}]
    (_, word) = read({"mac": {"storage": storage}}).hosts["mac"].words({}, STUDIES)
    assert word.startswith("storage=")
    assert json.loads(word.removeprefix("storage=")) == storage


@pytest.mark.parametrize(
    ("asked", "measured"),
    [
        ({}, ["vm-2026", "encryption-2026"]),
        ({"study": "[all]"}, ["vm-2026", "encryption-2026"]),
        ({"study": "vm-2026"}, ["vm-2026"]),
        ({"study": "[vm-2026, slow-writes-2022]"}, ["vm-2026"]),
    ],
)
def test_a_host_measures_the_requested_ones_of_its_studies(read, asked, measured):
    host = read({"mac": {"studies": ["vm-2026", "encryption-2026"]}}).hosts["mac"]
    assert f"study={json.dumps(measured)}" in host.words(asked, STUDIES)


def test_a_host_with_none_of_the_studies_measures_nothing(read):
    host = read({"mac": {"studies": ["vm-2026"]}}).hosts["mac"]
    assert host.words({"study": "encryption-2026"}, STUDIES) == []


@pytest.mark.parametrize(
    ("hosts", "line"),
    [
        ({"Mac Mini": {}}, "'Mac Mini' must be lower-case letters"),
        ({"mac": {"study": ["vm-2026"]}}, "unknown key 'study' (did you mean 'studies'?)"),
        ({"mac": {"scale": "tiny"}}, "hosts.mac.scale: 'tiny' is not known"),
        ({"mac": {"address": "a b"}}, "mac.address: 'a b' is neither an IP address"),
        ({"mac": {"storage": [{"slug": "internal"}]}}, "the key 'folder' is missing"),
    ],
)
def test_a_mistake_is_one_line_that_names_its_place(read, hosts, line):
    said = mistake(read, hosts)
    assert line in said
    assert "fleet.yaml" in said
    assert "\n" not in said


def test_a_port_that_is_none_is_refused(read):
    assert "coordinator.port: 0 is too small" in mistake(read, {}, port=0)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["=tenth"], "--config: =tenth is not KEY=VALUE"),
        (["host=mac"], "every host has its own"),
        (["storage=[]"], "every host has its own"),
    ],
)
def test_words_of_the_call_that_cannot_be_heeded_are_refused(words, line):
    with pytest.raises(StudyError, match=line):
        config.asked_words(words)


def test_a_second_config_of_the_call_adds_to_the_first(monkeypatch):
    monkeypatch.setattr(command, "log_to", lambda _: None)
    monkeypatch.setattr(command, "_run", lambda asked: asked.config)
    monkeypatch.setattr("sys.argv", ["fleet", "plan", "--config", "a=1", "--config", "b=2", "c=3"])
    assert command.main() == ["a=1", "b=2", "c=3"]


def test_a_study_of_a_host_that_there_is_not_is_refused_and_not_passed_over(read):
    fleet = read({"mac": {"studies": ["vm-2026", "encription-2026"]}})
    with pytest.raises(StudyError) as caught:
        config.refuse_unknown_studies(fleet, STUDIES)
    assert "hosts.mac.studies: unknown study 'encription-2026'" in caught.value.line
    assert "did you mean 'encryption-2026'?" in caught.value.line
    config.refuse_unknown_studies(read({"mac": {"studies": ["vm-2026"]}}), STUDIES)


def test_an_argument_with_invalid_yaml_is_refused_in_one_line():
    with pytest.raises(StudyError) as caught:
        config.values({"matrix": "[{driver: native"})
    assert "--config matrix: '[{driver: native' is not YAML" in caught.value.line
    assert "\n" not in caught.value.line
    assert config.values({"repeats": "3", "retry": "[failed]"}) == {
        "repeats": 3,
        "retry": ["failed"],
    }
