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


DEPENDS = "update repeated_speed set statistics_differ = 'some files far slower' where op = 'write' and concat_ws(' ', format, encryption) = "


@pytest.mark.parametrize(
    ("article", "number", "changes", "spoilt", "outcome", "told"),
    [
        ("encryption-2026", 13, {}, f"{DEPENDS} 'ASIF AES-256'", "undecided",
         "depends on the statistic: UDSB AES-256 / ASIF AES-256 (write, internal); "),
        # that leaves what another pair contradicts
        ("encryption-2026", 13, {"ASIF+AES-256": (5.5, 1.6)}, f"{DEPENDS} 'UDRW AES-256'", "contradicted", ""),
        # and the spread of the files: that some are slow is what the article says
        ("slow-writes-2022", 6, {}, f"{DEPENDS} 'UDSB none'", "supported", ""),
        # an interval with an open end
        ("encryption-2026", 13, {}, "update repeated_speed set gbps_low = null where cell like '%/UDSB+AES-256'", "undecided",
         "5.2 / 1.58 = 3.29 [open, "),
        # a guest of another chip does not answer for the Mac
        ("vm-2026", 1, {}, "update host set chip = 'Apple M2 (Virtual)' where virtual_machine", "undecided",
         "not measured: VM (read, internal), VM (write, internal); "),
    ],
)  # fmt: skip
def test_what_cannot_decide_a_pair_leaves_the_others(
    world, article, number, changes, spoilt, outcome, told
):
    made = right(world, article, changes)
    made.connection.execute(spoilt)
    found, detail = made.answer(article, number)
    assert found == outcome, detail
    assert told in detail


def test_an_answer_names_the_machine_of_its_release(world):
    # a guest's release is that of the guest, and the Mac's its own, even where a guest has it too
    made = world("vm-2026")
    made.add({"VM": (6.6, 7.5), "VM@26.5": (6.6, 7.5), "native": (6.6, 7.5)})
    found = made.asked("vm-2026", 1, "host, release, measured_host")
    guest = f"virtualmac-{made.mac}"
    assert found == [(made.mac, "macos-26.4-25X1", made.mac), (made.mac, "macos-26.5-25X1", guest)]


def test_the_figures_of_an_article_and_what_was_not_measured_are_of_no_machine(query):
    asked = "select distinct basis, measured_host, made_up from conclusion_evidence order by all"
    assert query(asked) == [("measured", None, False), ("published", None, False)]


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
    made.connection.execute(f"update host set {host}")
    assert [row[0] for row in made.asked(article, number)] == ["not measured yet"]


@pytest.mark.parametrize(("article", "number"), [("encryption-2026", 6), ("slow-writes-2022", 5)])
def test_a_mac_that_others_are_compared_with_has_no_answer_of_its_own(world, article, number):
    made = right(world, article)
    own = worlds.PLACES[article][0]
    assert {host for _, _, host in made.asked(article, number)} == {own}


OTHER_MAC = "ASIF+AES-256@{}#macbook-pro-m3-pro"


@pytest.mark.parametrize(
    ("after_it", "outcome", "told"),
    [
        ({}, "undecided", "not measured: ASIF AES-256 on macbook-pro-m3-pro (read, internal), "),
        # half as fast
        ({OTHER_MAC.format("26.3.1(a)"): (1.41, 0.86)}, "contradicted", "0.86 / 1.72 = 0.50"),
        # of two builds of it that of the Mac itself counts, also if it is not the newest
        (
            {
                OTHER_MAC.format("26.3.1(a)"): (1.41, 0.86),
                OTHER_MAC.format("26.3.1(a)=25X9"): (2.82, 1.72),
            },
            "contradicted",
            "0.86 / 1.72 = 0.50",
        ),
    ],
)
def test_two_macs_are_compared_under_the_same_update_only(world, after_it, outcome, told):
    # 1.72 and 2.82 GB/s under 26.3.1 (a), and the same on the other Mac before the update
    made = world("encryption-2026")
    before = {OTHER_MAC.format("26.3.1"): (2.82, 1.72)}
    made.add({"ASIF+AES-256": (2.82, 1.72)} | before | after_it)
    found, detail = made.answer("encryption-2026", 6)
    assert found == outcome
    assert told in detail


def of_two_builds(old, new, older, newer):
    """An image written to at these speeds under two builds of 26.0."""
    usual = {"UDRW+AES-256": (2.84, 1.6), "ASIF+AES-256": (2.82, 1.6), f"ASIF+AES-256@26.0={new}": (4.4, 6.0)}  # fmt: skip
    return usual | {f"UDRW+AES-256@26.0={old}": (4.5, older), f"UDRW+AES-256@26.0={new}": (4.5, newer)}  # fmt: skip


def of_two_releases(older, newer):
    """A guest written to at these speeds under two releases of macOS 12, as the article calls it."""
    usual = {"VM": (6.6, 6.0), "VM@13": (5.4, 0.7)}
    return usual | {"VM@12.0.1=21A559": (4.4, older), "VM@12.1=21C52": (4.4, newer)}


@pytest.mark.parametrize(
    ("article", "number", "cells", "outcome"),
    [
        # 6 / 1.6 is much more, 2 / 1.6 is not
        ("encryption-2026", 7, of_two_builds("25A353", "25A354", 2.0, 6.0), "supported"),
        ("encryption-2026", 7, of_two_builds("25A353", "25A354", 6.0, 2.0), "contradicted"),
        ("encryption-2026", 7, of_two_builds("25A99", "25A354", 2.0, 6.0), "supported"),
        ("encryption-2026", 7, of_two_builds("25A99", "25A354", 6.0, 2.0), "contradicted"),
        # 6 is almost ten times 0.7, but not 0.9
        ("vm-2026", 2, of_two_releases(0.7, 0.9), "contradicted"),
        ("vm-2026", 2, of_two_releases(0.9, 0.7), "supported"),
    ],
)
def test_of_another_release_the_newest_build_counts_and_not_a_mean(
    world, article, number, cells, outcome
):
    made = world(article)
    made.add(cells)
    found, detail = made.answer(article, number)
    assert found == outcome, detail


ONE, EVERY = ["UDSB+AES-256"], [*worlds.RIGHT["encryption-2026"]]
# the cells that were measured in this way, and what is said of it; each code of macro unlike: test_pairs.py
WAYS = [
    (ONE, {"epoch": 2}, "with the harness of another epoch"),
    (ONE, {"sets": 2}, "with another number of sets of files"),
    (ONE, {"disk_encryption": "none"}, "with another encryption"),
    # all alike, but not as the articles' were
    (EVERY, {"durability": "full"}, "with another durability"),
    (EVERY, {"cache": "bypass"}, "in another cache mode"),
    (EVERY, {"block_bytes": 4096}, "in blocks of another size"),
    # the article's SSD has 2 TB
    (EVERY, {"disk": "0.5 TB"}, "on a disk of another capacity, model or bus"),
    (EVERY, {"file_system": "hfs"}, "on another file system"),
]


def test_cells_measured_in_two_ways_or_not_as_the_articles_have_figures_and_no_verdict(world):
    made = world("encryption-2026")
    expected = {}
    for made.number, (cells, way, told) in enumerate(WAYS, start=1):
        made.methods = dict.fromkeys(cells, way)
        made.add(worlds.RIGHT["encryption-2026"])
        expected[made.release()[-1]] = told
    answers = made.answers(("encryption-2026", 13))
    for release, told in expected.items():
        found, detail = answers["encryption-2026", 13, release]
        assert found == "undecided", told
        assert detail.partition("; read, ")[0] == f"not measured alike: {told}"
        assert "5.2 / 1.58 = 3.29" in detail
