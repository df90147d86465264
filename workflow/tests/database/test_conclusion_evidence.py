"""The cells that can decide an article's conclusion, and their pairs."""

import pytest
import worlds
from conclusion_world import right


@pytest.mark.parametrize(
    ("other", "why"),
    [
        ({"macos": "26.4"}, "another macOS"),
        ({"macos": "26.3.1"}, "the release before the update (a)"),
        ({"mac": "made-up-mac"}, "another Mac"),
    ],
)
def test_of_another_macos_or_mac_the_figures_stand_without_a_verdict(world, other, why):
    base = worlds.RIGHT["encryption-2026"]
    made = world("encryption-2026", **other)
    made.add({key: value for key, value in base.items() if "@" not in key and "#" not in key})
    [(found, detail, _)] = made.asked("encryption-2026", 13)
    assert found == "not comparable", why
    assert detail.startswith("another Mac or macOS than those of the article's figures; ")
    assert "5.2 / 1.58 = 3.29" in detail


def test_a_mac_of_which_the_article_has_one_image_decides_nothing_about_the_others(world):
    # of the MacBook Pro M3 Pro it has an encrypted ASIF image alone; 6 compares the other Mac with it
    made = world("encryption-2026", mac="macbook-pro-m3-pro")
    base = worlds.RIGHT["encryption-2026"]
    made.add({key: value for key, value in base.items() if "#" not in key})
    numbers = (1, 2, 3, 4, 5, 7, 8, 11, 12, 13, 14, 16, 17)
    answers = made.answers(*(("encryption-2026", number) for number in numbers))
    found = {number: outcome for (_, number, _), (outcome, _) in answers.items()}
    assert found == dict.fromkeys(numbers, "not comparable")


def test_cells_measured_in_another_way_are_no_evidence(world):
    others = [{"scale": "tenth"}, {"scale": "smoke"}, {"scale": "half"}, {"protocol": "remounted"}, {"storages": ["usb-stick"]}]  # fmt: skip
    usual = {"scale": "gold", "protocol": "usage-phases", "storages": ["internal"]}
    made = world("encryption-2026")
    for made.number, other in enumerate(others, start=1):
        for name, value in (usual | other).items():
            setattr(made, name, value)
        made.add(worlds.RIGHT["encryption-2026"])
    [(found, detail, host)] = made.asked("encryption-2026", 13)
    assert (found, host) == ("not measured yet", None)
    assert detail == "bash workflow/run.sh --config study=encryption-2026 scale=gold repeats=3"


def test_incomparable_figures_are_not_evidence(world):
    made = world("encryption-2026")
    changes = ("comparable = false", "stand_in = true", "driver = 'portable'", "scale = 'smoke'", "gbps = null", "band_bytes = 1048576")  # fmt: skip
    for made.number, change in enumerate(changes, start=1):
        made.add(worlds.RIGHT["encryption-2026"])
        made.connection.execute(
            f"update repeated_speed set {change} where release like ?", [f"%-25X{made.number}"]
        )
    assert [row[0] for row in made.asked("encryption-2026", 13)] == ["not measured yet"]


def depends(made, image):
    made.connection.execute(
        "update repeated_speed set statistics_differ = 'some files far slower' "
        "where op = 'write' and concat_ws(' ', format, encryption) = ?",
        [image],
    )


def test_a_figure_that_depends_on_the_statistic_decides_nothing_and_is_named(world):
    made = world("encryption-2026")
    made.add(worlds.RIGHT["encryption-2026"])
    depends(made, "ASIF AES-256")
    found, detail = made.answer("encryption-2026", 13)
    assert found == "undecided"
    assert detail.startswith(
        "depends on the statistic: UDSB AES-256 / ASIF AES-256 (write, internal); "
    )
    assert "5.2 / 1.6 = 3.25" in detail


def test_it_leaves_what_another_pair_contradicts(world):
    made = world("encryption-2026")
    made.add(worlds.RIGHT["encryption-2026"] | {"ASIF+AES-256": (5.5, 1.6)})
    depends(made, "UDRW AES-256")
    assert made.answer("encryption-2026", 13)[0] == "contradicted"


def test_it_leaves_the_spread_of_the_files_to_be_judged(world):
    # that some files are slow is what the article says
    made = world("slow-writes-2022")
    made.add(worlds.RIGHT["slow-writes-2022"])
    depends(made, "UDSB none")
    assert made.answer("slow-writes-2022", 6)[0] == "supported"


def test_a_guest_of_another_chip_does_not_answer_for_the_mac(world):
    made = right(world, "vm-2026")
    made.connection.execute("update host set chip = 'Apple M2 (Virtual)' where virtual_machine")
    found, detail = made.answer("vm-2026", 1)
    assert found == "undecided"
    assert detail.startswith("not measured: VM (read, internal), VM (write, internal); ")


def test_an_answer_names_the_machine_of_its_release(world):
    # a guest's release is that of the guest, and the Mac's its own, even where a guest has it too
    made = world("vm-2026")
    made.add({"VM": (6.6, 7.5), "VM@26.5": (6.6, 7.5), "native": (6.6, 7.5)})
    found = made.asked("vm-2026", 1, "host, release, measured_host")
    guest = f"virtualmac-{made.mac}"
    assert found == [(made.mac, "macos-26.4-25X1", made.mac), (made.mac, "macos-26.5-25X1", guest)]


def test_the_figures_of_an_article_are_of_no_machine(query):
    asked = "select distinct measured_host from conclusion_evidence where basis = 'published'"
    assert query(asked) == [(None,)]


def test_a_guest_with_other_cores_or_memory_decides_nothing(world):
    made = right(world, "vm-2026", methods={"VM": {"guest": "4 cores, 16 GB"}})
    found, detail = made.answer("vm-2026", 1)
    assert found == "undecided"
    assert "in a guest with other cores or memory" in detail


@pytest.mark.parametrize(
    ("article", "number", "host"),
    [
        # another system with the same version, an image in a guest
        ("encryption-2026", 13, "os_name = 'debian'"),
        ("encryption-2026", 13, "virtual_machine = true"),
        ("bands-2024", 3, "virtual_machine = true"),
        # a machine with the name of a Mac that is or may be another
        ("encryption-2026", 13, "chip = 'Apple M1'"),
        ("encryption-2026", 13, "chip = null"),
        ("encryption-2026", 13, "virtual_machine = null"),
    ],
)
def test_what_may_be_no_mac_or_another_decides_nothing(world, article, number, host):
    made = right(world, article)
    assert "supported" in [row[0] for row in made.asked(article, number)]
    made.connection.execute(f"update host set {host}")
    assert [row[0] for row in made.asked(article, number)] == ["not measured yet"]


@pytest.mark.parametrize(("article", "number"), [("encryption-2026", 6), ("slow-writes-2022", 5)])
def test_a_mac_that_others_are_compared_with_has_no_answer_of_its_own(world, article, number):
    made = right(world, article)
    own = worlds.PLACES[article][0]
    assert {host for _, _, host in made.asked(article, number)} == {own}


OTHER_MAC = "ASIF+AES-256@{}#macbook-pro-m3-pro"


def test_two_macs_are_compared_under_the_same_update_only(world):
    # 1.72 and 2.82 GB/s under 26.3.1 (a), the same on the other Mac, but before the update
    made = world("encryption-2026")
    made.add({"ASIF+AES-256": (2.82, 1.72), OTHER_MAC.format("26.3.1"): (2.82, 1.72)})
    found, detail = made.answer("encryption-2026", 6)
    assert found == "undecided"
    assert detail.startswith("not measured: ASIF AES-256 on macbook-pro-m3-pro (read, internal), ")


def test_the_figure_before_an_update_is_not_pooled_with_the_one_after_it(world):
    # the other Mac was as fast before the update and is half as fast after it
    made = world("encryption-2026")
    made.add({
        "ASIF+AES-256": (2.82, 1.72), OTHER_MAC.format("26.3.1"): (2.82, 1.72), OTHER_MAC.format("26.3.1(a)"): (1.41, 0.86),
    })  # fmt: skip
    found, detail = made.answer("encryption-2026", 6)
    assert found == "contradicted"
    assert "0.86 / 1.72 = 0.50" in detail


@pytest.mark.parametrize(("old", "new"), [("25A353", "25A354"), ("25A99", "25A354")])
def test_of_two_builds_of_another_release_the_newest_counts_and_not_a_mean_of_both(world, old, new):
    # written to at 2 and at 6 GB/s under two builds of 26.0; 6 / 1.6 is much more, 2 / 1.6 is not
    base = {
        "UDRW+AES-256": (2.84, 1.6),
        "ASIF+AES-256": (2.82, 1.6),
        f"ASIF+AES-256@26.0={new}": (4.4, 6.0),
    }
    for older, newer, expected in ((2.0, 6.0, "supported"), (6.0, 2.0, "contradicted")):
        made = world("encryption-2026")
        made.connection.execute("delete from repeated_speed; delete from host")
        made.add(
            base
            | {f"UDRW+AES-256@26.0={old}": (4.5, older), f"UDRW+AES-256@26.0={new}": (4.5, newer)}
        )
        found, detail = made.answer("encryption-2026", 7)
        assert found == expected, detail


def measured_in(world, ways, cells):
    """Outcome and detail of one conclusion, in a world for each way that these cells were measured in."""
    made = world("encryption-2026")
    releases = []
    for made.number, way in enumerate(ways, start=1):
        made.methods = dict.fromkeys(cells, way)
        made.add(worlds.RIGHT["encryption-2026"])
        releases.append(made.release()[-1])
    answers = made.answers(("encryption-2026", 13))
    return [answers["encryption-2026", 13, release] for release in releases]


def test_two_cells_measured_in_two_ways_have_their_figures_and_no_verdict(world):
    ways = [
        ({"epoch": 2}, "with the harness of another epoch"),
        ({"cache": "bypass"}, "in another cache mode"),
        ({"durability": "full"}, "with another durability"),
        ({"block_bytes": 4096}, "in blocks of another size"),
        ({"sets": 2}, "with another number of sets of files"),
        ({"chip": "Apple M1"}, "on another chip"),
        ({"machine": "a model, 64 GB"}, "on another kind of machine"),
        ({"disk": "1.0 TB"}, "on a disk of another capacity"),
        ({"file_system": "hfs"}, "on another file system"),
        ({"disk_encryption": "none"}, "with another encryption"),
    ]
    answers = measured_in(world, [way for way, _ in ways], ["UDSB+AES-256"])
    for (_, told), (found, detail) in zip(ways, answers, strict=True):
        assert found == "undecided", told
        assert detail.startswith("not measured alike: ")
        assert told in detail.partition("; read, ")[0]
        assert "5.2 / 1.58 = 3.29" in detail


def test_cells_that_were_all_measured_in_another_way_than_the_articles_have_no_verdict(world):
    ways = [
        ({"durability": "full"}, "with another durability"),
        ({"cache": "bypass"}, "in another cache mode"),
        ({"block_bytes": 4096}, "in blocks of another size"),
        # the article's SSD has 2 TB
        ({"disk": "0.5 TB"}, "on a disk of another capacity, model or bus"),
        ({"file_system": "hfs"}, "on another file system"),
    ]
    answers = measured_in(world, [way for way, _ in ways], worlds.RIGHT["encryption-2026"])
    for (_, told), (found, detail) in zip(ways, answers, strict=True):
        assert found == "undecided", told
        assert detail.startswith(f"not measured alike: {told}; read, ")


def test_a_study_measured_in_one_later_epoch_has_its_verdict(world):
    answers = measured_in(world, [{"epoch": 2}, {"epoch": 7}], worlds.RIGHT["encryption-2026"])
    assert [found for found, _ in answers] == ["supported"] * 2


def test_a_size_does_not_depend_on_cache_mode_durability_or_blocks(world):
    other = {"cache": "bypass", "durability": "full", "block_bytes": 4096}
    made = right(world, "encryption-2026", methods={"UDSB/emptied-again": other})
    assert "supported" in [row[0] for row in made.asked("encryption-2026", 14)]


def test_sizes_on_another_file_system_than_the_articles_decide_nothing(world):
    other = {key: {"file_system": "exfat"} for key in ("UDSB/churned", "UDRW/churned")}
    found, detail = right(world, "bands-2024", methods=other).answer("explainer-2026", 8)
    assert found == "undecided"
    assert detail.startswith("not measured alike: on another file system; ")


@pytest.mark.parametrize("why", ["image-unknown", "in-memory"])
def test_sizes_of_what_may_be_no_such_image_or_was_in_memory_decide_nothing(world, why):
    found, _ = right(world, "bands-2024", spoilt=[why]).answer("bands-2024", 3)
    assert found == "not measured yet"
    # what spoils speeds alone does not change a size
    found, _ = right(world, "bands-2024", spoilt=["slept"]).answer("bands-2024", 3)
    assert found == "supported"
