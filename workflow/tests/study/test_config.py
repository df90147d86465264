"""The config is checked before anything happens, and a mistake is one line that names it."""

import json
from pathlib import Path

import pytest

from console import ExitCode, StudyError
from study import config
from study.config import PROTOCOLS, checked_study, read_protocol


def mistake(study):
    with pytest.raises(StudyError) as caught:
        checked_study(study)
    assert caught.value.code == ExitCode.BAD_INPUT
    assert "\n" not in caught.value.line
    return caught.value.line


def test_the_shipped_config_is_valid(study):
    assert checked_study(study) == study


@pytest.mark.parametrize(
    ("place", "value", "complaint"),
    [
        ("scal", "gold", "unknown key 'scal' (did you mean 'scale'?)"),
        ("io.block_bytes", -4096, "io.block_bytes: -4096 is too small: use 4096 or more"),
        ("io.block_bytes", 5000, "io.block_bytes: 5000 is not a multiple of 4096"),
        ("repeats", "many", "repeats: 'many' is not known"),
        ("repeats", float("inf"), "repeats: 'inf' is not"),
        ("host", "My Mac", "host: 'My Mac'"),
        # what Snakemake makes of `--config study=`
        ("study", None, "study: nothing is given;"),
        ("conditions.battery", "ignore", "'ignore' is not known: use one of warn, refuse"),
        (
            "storage",
            [{"slug": "internal", "folder": "/a"}, {"slug": "internal", "folder": "/b"}],
            "'internal' occurs twice",
        ),
    ],
)
def test_a_value_that_does_not_fit_is_named_with_what_does(study, place, value, complaint):
    *above, key = place.split(".")
    (study[above[0]] if above else study)[key] = value
    assert complaint in mistake(study)


def test_a_number_inside_a_list_or_mapping_of_the_command_line_may_come_as_text(study):
    # which is how Snakemake hands it over
    study["matrix"] = [
        IMAGE | {"band_bytes": "33554432"},
        IMAGE | {"formats": ["ASIF"], "block_bytes": "4096"},
    ]
    study["io"] |= {"block_bytes": "65536"}
    checked = checked_study(study)
    assert checked["matrix"][0]["band_bytes"] == 33554432
    assert checked["matrix"][1]["block_bytes"] == 4096
    assert checked["io"]["block_bytes"] == 65536


def test_a_whole_number_may_be_written_with_a_point_or_an_exponent(study):
    # Snakemake reads 1e3 as a number
    study |= {"repeats": 1e3, "seed": 1.0}
    study["io"] |= {"block_bytes": 65536.0}
    study["matrix"] = [IMAGE | {"band_bytes": 8388608.0}]
    checked = checked_study(study)
    of_band = checked["matrix"][0]["band_bytes"]
    numbers = (checked["repeats"], checked["seed"], checked["io"]["block_bytes"], of_band)
    assert json.dumps(numbers) == "[1000, 1, 65536, 8388608]"
    assert study["seed"] == 1.0


IMAGE = {"driver": "auto", "formats": ["UDSB"], "encryptions": ["none"]}


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"driver": "native"}, "format 'UDSB' does not go with driver 'native'"),
        ({"driver": "apple", "formats": ["VM"]}, "format 'VM' does not go with driver 'apple'"),
        ({"encryptions": ["FileVault"]}, "encryption 'FileVault' does not go with driver 'auto'"),
        (
            {"driver": "portable", "encryptions": ["host"]},
            "encryption 'host' does not go with driver 'portable'",
        ),
        (
            {"driver": "automatic"},
            "(did you mean 'auto'?): use one of native, auto, portable, apple",
        ),
        ({"formats": ["UDRW"], "band_bytes": 2**23}, "band_bytes does not go with format 'UDRW'"),
        # hdiutil(1): 2048 to 16777216 sectors of 512 bytes
        ({"band_bytes": 2**20 - 1}, "is too small: use 1048576 or more"),
        ({"band_bytes": 2**34}, "is too large: use 8589934592 or less"),
        ({"band_bytes": 3 * 2**20}, "is not a power of two"),
        (
            {"formats": ["ASIF", "UDSB"], "block_bytes": 4096},
            "block_bytes does not go with format 'UDSB', which has no blocks to choose: give it",
        ),
        (
            {"formats": ["ASIF"], "block_bytes": 512},
            "block_bytes: '512' is not known: use one of 4096",
        ),
        (
            {"storages": ["externa"]},
            "'externa' is not in the study's storage (did you mean 'external'?): add it there, or "
            "use one of internal, external, usb4-980pro",
        ),
    ],
)
def test_a_row_that_cannot_be_is_refused_with_what_can(study, change, complaint):
    study["storage"].append({"slug": "usb4-980pro", "folder": "/somewhere"})
    study["matrix"] = [IMAGE | change]
    assert complaint in mistake(study)


@pytest.mark.parametrize("driver", ["auto", "portable", "apple"])
def test_every_driver_accepts_every_image_of_the_study(study, driver):
    formats, encryptions = [*config.IMAGE_FORMATS], ["none", "AES-128", "AES-256"]
    study["matrix"] = [{"driver": driver, "formats": formats, "encryptions": encryptions}]
    assert checked_study(study) == study


@pytest.mark.parametrize("word", ["all", "none"])
def test_no_study_is_called_by_a_word_that_means_something_else(study, word):
    study["studies"][word] = study["studies"]["vm-2026"]
    assert f"a study cannot be called '{word}'" in mistake(study)


@pytest.mark.parametrize(
    "folder",
    [".", ".diskbench", ".diskbench/../core"],
)
def test_test_files_do_not_go_among_the_projects_own(study, folder, tmp_path):
    study["storage"][0]["folder"] = folder
    assert f"storage internal: {folder} is part of the project" in mistake(study)
    (tmp_path / "link").symlink_to(Path(folder).absolute())
    study["storage"][0]["folder"] = f"{tmp_path}/link"
    assert f"storage internal: {tmp_path}/link is part of the project" in mistake(study)


@pytest.mark.parametrize("folder", [".diskbench/elsewhere", "../elsewhere"])
def test_test_files_go_to_any_other_folder(study, folder):
    study["storage"][0]["folder"] = folder
    assert checked_study(study) == study


def test_two_storages_cannot_be_one_folder(study, tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").symlink_to(tmp_path / "a")
    study["storage"] = [
        {"slug": slug, "folder": f"{tmp_path}/{name}"} for slug, name in (("x", "a"), ("y", "b/."))
    ]
    assert f"storages x and y are one folder, {tmp_path}/a" in mistake(study)


def test_a_folder_with_a_character_that_cannot_be_shown_is_refused(study):
    study["storage"][0]["folder"] = "/some\x1bwhere"
    assert "storage internal: its folder has a character that cannot be printed" in mistake(study)


def test_a_description_with_which_no_record_could_be_sent_is_refused_before_measuring(study):
    study["storage"][0]["description"] = "Jane's Mac mini, CT1000P3SSD8"
    line = mistake(study)
    assert "storage internal: its description has a serial number (CT1000P3SSD8)" in line
    study["storage"][0]["description"] = "Samsung 980 Pro 2 TB in an OWC Express 1M2, USB4"
    checked_study(study)


def test_an_unknown_protocol_is_refused_with_the_known_ones():
    with pytest.raises(StudyError) as caught:
        read_protocol("usage-phase")
    assert "unknown protocol 'usage-phase' (did you mean 'usage-phases'?)" in caught.value.line


PROTOCOL = (
    "{article: a-2026, article_scale: gold, nominal_bytes: 1, "
    "deviations: [{what: a, why: b, effect: c}], phases: [{phase: fresh, steps: [{step: write}]}]}"
)


@pytest.mark.parametrize(
    ("right", "wrong", "complaint"),
    [
        (PROTOCOL, "phases: [", "p.yaml:1:10: not YAML"),
        (
            "step: write",
            "step: wriet",
            "steps.0.step: 'wriet' is not known (did you mean 'write'?)",
        ),
        ("{step: write}", "7", "'7' is not of type object"),
        ("step: write", "step: settle", "{'step': 'settle'} are not the keys of step 'settle'"),
        ("step: write", "step: measure, state: compated", "(did you mean 'compacted'?): use"),
        ("what: a, ", "", "the key 'what' is missing"),
        ("why: b", "why: ''", "why"),
        ("{what: a, why: b, effect: c}", "", "deviations"),
    ],
)
def test_a_broken_protocol_is_refused_in_one_line(tmp_path, monkeypatch, right, wrong, complaint):
    monkeypatch.setattr(config, "PROTOCOLS", tmp_path)
    (tmp_path / "p.yaml").write_text(PROTOCOL.replace(right, wrong), encoding="utf-8")
    with pytest.raises(StudyError) as caught:
        read_protocol("p")
    assert complaint in caught.value.line
    assert "p.yaml" in caught.value.line
    assert "\n" not in caught.value.line


def test_the_guest_is_restarted_between_writing_and_reading_as_the_article_did():
    # written, restarted, read (27 March 2026, Methods, paragraph 2)
    told = [kind for kind in kinds_of("restart") if kind in ("write", "restart", "read")]
    assert told == ["write", "restart", "read"]
    # five sets (paragraph 2)
    assert read_protocol("restart")["article_scale"] == "half"


def steps_of(name):
    return [step for phase in read_protocol(name)["phases"] for step in phase["steps"]]


def kinds_of(name):
    return [step["step"] for step in steps_of(name)]


def test_churn_writes_five_rounds_and_deletes_the_40_largest_of_four_as_the_article_did():
    # "following writing 800 files totalling over 250 GB, and deleting a total of 160 of them" (October 2024)
    steps = steps_of("churn")
    before = steps[: [step.get("which") for step in steps].index("all")]
    assert sum(step["step"] == "write" for step in before) * 160 == 800
    assert sum(step.get("files", 0) for step in before) == 160
    assert [step["state"] for step in steps if step["step"] == "measure"] == [
        "new",
        "churned",
        "emptied",
        "compacted",
    ]
    # "and still offering 124.66 GB of free space when mounted"
    assert kinds_of("churn")[-4:] == ["compact", "attach", "detach", "measure"]


def test_remounted_is_left_mounted_for_ten_seconds_and_never_detached_before_the_end():
    # ten seconds at least (October 2024, Methods, item 3)
    steps = steps_of("remounted")
    again = [step["step"] for step in steps].index("attach")
    assert steps[again + 1] == {"step": "settle", "seconds": 10}
    assert [step["step"] for step in steps[again + 2 :]] == ["write", "read", "detach", "measure"]


def test_usage_phases_mounts_before_each_write_and_each_read():
    # each written and unmounted (March 2026, Methods, items 2, 4, 6)
    kinds = kinds_of("usage-phases")
    for place, kind in enumerate(kinds):
        if kind in ("write", "read"):
            assert kinds[place - 1] == "attach"
    assert kinds.count("write") == kinds.count("read") == 3


def test_sizes_are_always_taken_detached():
    for path in PROTOCOLS.glob("*.yaml"):
        attached = False
        for kind in kinds_of(path.stem):
            attached = attached if kind not in ("create", "attach", "detach") else kind != "detach"
            assert not (kind == "measure" and attached), path.stem


def test_the_articles_own_steps_come_before_those_that_are_ours():
    *_, last = read_protocol("usage-phases")["phases"]
    kinds = [step["step"] for step in last["steps"]]
    assert kinds.index("read") < kinds.index("delete") < kinds.index("compact")
    assert last["steps"][-1] == {"step": "measure", "state": "compacted"}


@pytest.mark.parametrize("protocol", ["as-created", "remounted", "usage-phases", "churn"])
def test_a_protocol_says_what_it_does_otherwise_than_its_article(protocol):
    stated = read_protocol(protocol)["deviations"]
    assert any("without a double click in the Finder" in one["what"] for one in stated)


def test_churn_says_that_its_disk_is_not_formatted_anew():
    assert any(
        "not freshly formatted" in one["what"] for one in read_protocol("churn")["deviations"]
    )
