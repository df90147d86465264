"""slurm.yaml is checked before anything is handed to Slurm, and a mistake is one line that names it."""

import pytest
import yaml

from console import ExitCode, StudyError
from slurm import settings

TWO = {
    "nodes": [
        {"node": "n1", "host": "cluster-n1", "folder": "/scratch"},
        {"node": "n2", "host": "cluster-n2", "folder": "/scratch"},
    ],
    "partition": None,
    "account": None,
    "minutes": 60,
}


@pytest.fixture
def read(tmp_path):
    def read(document):
        path = tmp_path / "slurm.yaml"
        path.write_text(
            document if isinstance(document, str) else yaml.safe_dump(document), encoding="utf-8"
        )
        return settings.read(path)

    return read


def refused(call, *arguments):
    with pytest.raises(StudyError) as caught:
        call(*arguments)
    assert caught.value.code == ExitCode.BAD_INPUT
    assert "\n" not in caught.value.line
    return caught.value.line


def changed(position, **keys):
    nodes = [dict(node) for node in TWO["nodes"]]
    nodes[position].update(keys)
    return TWO | {"nodes": nodes}


def test_the_shipped_settings_are_valid_and_ask_for_a_node():
    line = refused(settings.chosen, settings.read(), None)
    assert line.startswith("workflow/config/slurm.yaml names no node: add an entry")


def test_every_node_is_chosen_unless_some_are_named(read):
    both = read(TWO)
    assert list(settings.chosen(both, None)) == ["n1", "n2"]
    assert list(settings.chosen(both, "n2")) == ["n2"]
    assert settings.chosen(both, "n2")["n2"].host == "cluster-n2"


@pytest.mark.parametrize(
    ("names", "line"),
    [
        ("n11", "unknown node 'n11' (did you mean 'n1'?): workflow/config/slurm.yaml has n1, n2"),
        ("n1,other", "unknown node 'other': workflow/config/slurm.yaml has n1, n2"),
        (",", "--nodes names no node: give some, as in --nodes n1,n2"),
    ],
)
def test_a_node_that_is_not_there_is_refused(read, names, line):
    assert refused(settings.chosen, read(TWO), names) == line


@pytest.mark.parametrize(
    ("document", "line"),
    [
        (changed(1, node="n1"), "node 'n1' stands twice"),
        (changed(1, host="cluster-n1"), "host 'cluster-n1' stands twice"),
        (changed(0, host="auto"), "give n1 a name of its own"),
        (changed(0, host="Big Node"), "'Big Node' must be lower-case letters"),
        (changed(0, folder="scratch"), "folder: 'scratch' does not begin with /"),
        (changed(0, node="n[1-4]"), "node: 'n[1-4]' is no name that Slurm gives"),
        (changed(0, node="n1;reboot"), "node: 'n1;reboot' is no name that Slurm gives"),
        (TWO | {"partition": "a b"}, "partition: 'a b' is no name that Slurm gives"),
        (TWO | {"minutes": 0}, "minutes: 0 is too small: use 1 or more"),
        (TWO | {"partitions": "main"}, "unknown key 'partitions' (did you mean 'partition'?)"),
        ({key: TWO[key] for key in ("nodes", "partition", "account")}, "the key 'minutes' is"),
        (
            TWO | {"nodes": [{"node": "n1", "host": "a"}]},
            "the key 'folder' is missing from nodes.0",
        ),
        ("nodes: [", "slurm.yaml:1:9: not YAML"),
        ("", "slurm.yaml:1:1: keys with values belong there, and there is nothing"),
    ],
)
def test_a_mistake_in_the_settings_is_one_line(read, document, line):
    assert line in refused(read, document)
