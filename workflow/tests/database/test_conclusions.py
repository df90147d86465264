"""Verdicts on the articles' conclusions: a supporting, a contradicting and an undecided world of each."""

import made_up
import pytest
import worlds
from conclusion_world import ANSWER, outcomes, right

# Whose world, the changes in it, and each conclusion that is asked in it with what the answer has to be.
CASES = {}
for article, number, whose, fitting, wrong, open_ in worlds.WORLDS:
    for expected, changes in (("supported", {}), ("contradicted", wrong), ("undecided", open_)):
        case = (whose or article, fitting | changes, [])
        _, _, asked = CASES.setdefault(repr(case), case)
        asked.append((article, number, expected))

# The worlds of an article are answered at once, since to plan the query takes longest. One without a cell is alone: else
# it would have that cell of another build.
TOGETHER = {}
for whose, changes, asked in CASES.values():
    missing = [key for key, figures in changes.items() if figures is None]
    TOGETHER.setdefault((whose, *missing), []).append((changes, asked))


@pytest.mark.parametrize("of", TOGETHER)
def test_each_conclusion_follows_the_world(world, of):
    made = world(of[0])
    expected = {}
    for made.number, (changes, asked) in enumerate(TOGETHER[of], start=1):
        made.add(worlds.RIGHT[of[0]] | changes)
        for article, number, outcome_ in asked:
            expected[article, number, made.release()[-1]] = outcome_
    answers = made.answers(*{(article, number) for article, number, _ in expected})
    for key, outcome_ in expected.items():
        found, detail = answers[key]
        assert found == outcome_, (key, detail)


def test_each_conclusion_that_a_study_measures_has_its_worlds(without_records):
    asked = without_records.execute(
        "select article, number from conclusion where study is not null"
    )
    assert sorted(asked.fetchall()) == sorted(
        (article, number) for article, number, *_ in worlds.WORLDS
    )


@pytest.mark.parametrize(
    ("vouched", "by"),
    [
        ({}, "own"),
        ({"imac-pro": "community"}, "community and own"),
        ({worlds.STUDIO: "hosted runner"}, "hosted runner and own"),
        (
            dict.fromkeys([worlds.STUDIO, "imac-pro", "macbook-pro-m1-pro"], "community"),
            "community",
        ),
    ],
)
def test_who_vouches_for_any_record_behind_an_answer_is_named(world, vouched, by):
    # three Macs are compared
    made = right(world, "slow-writes-2022", vouched=vouched)
    found = made.asked("slow-writes-2022", 5, "host, outcome, vouched_by")
    assert [row[1:] for row in found if row[0] == worlds.STUDIO] == [("supported", by)]


@pytest.mark.parametrize(
    ("synthetic", "made_up"), [([], False), ([worlds.STUDIO], True), (["imac-pro"], True)]
)
def test_an_answer_with_any_synthetic_record_behind_it_is_marked(world, synthetic, made_up):
    made = world("slow-writes-2022", synthetic=synthetic)
    made.add(worlds.RIGHT["slow-writes-2022"])
    found = made.asked("slow-writes-2022", 5, "host, outcome, made_up")
    assert [row[1:] for row in found if row[0] == worlds.STUDIO] == [("supported", made_up)]


def test_fewer_than_three_repeats_are_no_verdict(world):
    made = right(world, "encryption-2026", repeats=2)
    conclusions = [("encryption-2026", number) for number in (2, 5, 13, 14)]
    answers = made.answers(*conclusions)
    for conclusion in conclusions:
        found, detail = answers[*conclusion, made.release()[-1]]
        assert found == "undecided"
        assert detail.startswith("2 of 3 repeats: no verdict; ")


@pytest.mark.parametrize(
    ("asif", "disk", "expected", "told"),
    [
        # 4.4 / 1.6 is 2.75, each +- 1 %; 1.5 is much. If the disk became slower by a half, 1.375 is left
        (4.4, 1.0, "supported", ", beyond the disk [2.70, 2.81]"),
        (4.4, 0.5, "undecided", ", beyond the disk [1.35, 1.40]"),
        (4.4, 0.8, "supported", ", beyond the disk [2.16, 2.24]"),
        # 1.25, and 2.5 if the disk became twice as fast
        (2.0, 1.0, "contradicted", ", beyond the disk [1.23, 1.28]"),
        (2.0, 2.0, "undecided", ", beyond the disk [2.45, 2.55]"),
        (4.4, None, "undecided", ", not known beyond the disk"),
    ],
)
def test_a_change_of_macos_is_one_only_beyond_the_disk_itself(world, asif, disk, expected, told):
    made = right(world, "encryption-2026", {"ASIF+AES-256@26.0": (4.4, asif)}, disk=disk)
    found, detail = made.answer("encryption-2026", 7)
    assert found == expected
    [of_asif] = [part for part in detail.split("; ") if "ASIF" in part]
    assert of_asif.endswith(told)


@pytest.mark.parametrize(
    ("article", "number"), [("encryption-2026", 6), ("encryption-2026", 13), ("vm-2026", 2)]
)
def test_two_macs_two_images_and_two_guests_are_compared_without_the_disk(world, article, number):
    # a guest has no files without an image
    assert right(world, article, disk=None).answer(article, number)[0] == "supported"


@pytest.mark.parametrize(("disk", "expected"), [(7.0, "supported"), (4.2, "undecided")])
def test_a_mac_that_is_slower_as_a_whole_supports_no_conclusion_on_macos(
    save, query, disk, expected
):
    # both images write at 0.4 of their speed under 26.0, the disk at its speed, or at 0.6 of it: 0.4 / 0.6 is
    # 1 / 1.5, which is not much by itself
    for release, share, of_disk in (("26.0-25A354", 1.0, 7.0), ("26.3.1-25D771280a", 0.4, disk)):
        mac = {"host": "mac-mini-m4-pro", "release": f"macos-{release}"}
        for form in ("UDRW", "ASIF"):
            image = {"format": form, "encryption": "AES-256", "driver": "apple"}
            save(*made_up.repeats(4 * share, 4), **mac, **image)
        save(*made_up.repeats(of_disk, 6), **mac, encryption="FileVault")
    found = query(ANSWER, "encryption-2026", 7)
    assert [row[2] for row in found if row[0] == "measured" and row[1]][-1] == expected, found


@pytest.mark.parametrize(
    ("hours", "of_one_night"),
    [
        ((12, 12), True),
        ((-12, 12), True),
        ((13, 13), False),
        # measured in this night, and once more
        ((0, 24 * 45), False),
        ((-24 * 45, 0), False),
    ],
)
@pytest.mark.parametrize(
    ("article", "number", "cell"),
    [
        ("encryption-2026", 13, "ASIF+AES-256"),
        ("bands-2024", 9, "UDRW"),
        ("slow-writes-2022", 6, "native spread"),
        ("vm-2026", 3, "VM+FileVault"),
    ],
)
def test_two_cells_of_one_mac_are_compared_in_one_night(
    world, article, number, cell, hours, of_one_night
):
    found, detail = right(world, article, nights={cell: hours}).answer(article, number)
    assert found == ("supported" if of_one_night else "undecided")
    assert detail.startswith("not measured alike: on another night; ") != of_one_night


@pytest.mark.parametrize(
    ("article", "number", "cell"),
    [
        # two releases, beyond the disk, two Macs, and a guest on its host
        ("encryption-2026", 7, "ASIF+AES-256@26.0"),
        ("encryption-2026", 6, "ASIF+AES-256#macbook-pro-m3-pro"),
        ("vm-2026", 1, "VM"),
        # states of use
        ("encryption-2026", 3, "ASIF/emptied"),
        # a size is the same in each night
        ("bands-2024", 3, "UDRW/churned"),
    ],
)
def test_what_can_be_of_two_nights_is_compared_all_the_same(world, article, number, cell):
    made = right(world, article, nights={cell: (24 * 45, 24 * 45)})
    assert made.answer(article, number)[0] == "supported"


@pytest.mark.parametrize(("hours", "expected"), [(1, "supported"), (24 * 45, "undecided")])
def test_an_image_added_to_a_study_later_decides_nothing_with_those_before(
    save, query, hours, expected
):
    for form, speed, later in (("UDSB", 5.0, 0), ("UDRW", 1.6, 0), ("ASIF", 1.7, hours)):
        save(
            *made_up.repeats(speed, speed), format=form, encryption="AES-256", driver="apple",
            host=worlds.MINI, release="macos-26.3.1-25D771280a", parts=made_up.at(later),
        )  # fmt: skip
    [answer] = [row for row in query(ANSWER, "encryption-2026", 13) if row[0] == "measured"]
    assert answer[1:3] == (worlds.MINI, expected)


@pytest.mark.parametrize("few", ["native", "UDRW+AES-256", "UDSP+AES-256"])
def test_one_cell_with_fewer_repeats_prevents_a_verdict(world, few):
    # which format the article's encrypted image had is not said, so both are needed
    cells = worlds.RIGHT["slow-writes-2022"]
    made = world("slow-writes-2022")
    made.add({key: figures for key, figures in cells.items() if key != few})
    made.repeats = 2
    made.add({few: cells[few]})
    found, detail = made.answer("slow-writes-2022", 4)
    assert found == "undecided"
    assert detail.startswith("2 of 3 repeats: no verdict; ")


@pytest.mark.parametrize(
    ("number", "changes", "expected", "missing"),
    [
        (2, {"UDRW": None}, "undecided", "UDRW (read, internal), UDRW (write, internal); "),
        (2, {"UDSB+AES-256": None}, "undecided", "UDSB AES-256 (read, internal), UDSB AES-256 (write, internal); "),
        (13, {"ASIF+AES-256": (None, 1.6)}, "undecided", "ASIF AES-256 (read, internal); "),
        # a missing cell does not mend one that contradicts
        (2, {"ASIF": (5.9, 9.9), "UDRW": None}, "contradicted", "UDRW (read, internal)"),
    ],
)  # fmt: skip
def test_a_missing_cell_or_direction_is_named(world, number, changes, expected, missing):
    made = right(world, "encryption-2026", changes)
    found, detail = made.answer("encryption-2026", number)
    assert found == expected
    assert detail.startswith(f"not measured: {missing}")


# GB that are left of 104 after emptying, and after compaction
RECLAIMED = {
    # hardly anything was left to give back, a fifth of that little, and less than nothing
    (1.12, 1.06): "supported",
    (1.12, 0.90): "supported",
    (1.12, 1.30): "supported",
    # 9 and 11 of 100 GB
    (13.0, 4.0): "supported",
    (15.0, 4.0): "contradicted",
    # emptying gave back nothing, compaction all
    (104.0, 1.06): "contradicted",
}


@pytest.mark.parametrize("number", [4, 8])
def test_reclaimed_space_is_compared_with_the_freed_space(world, number):
    changes = [dict(zip(("UDSB/emptied", "UDSB/compacted"), left, strict=True)) for left in RECLAIMED]  # fmt: skip
    assert outcomes(world, "bands-2024", number, changes) == [*RECLAIMED.values()]


def test_almost_ten_times_is_not_thirty_times(world):
    # 6 GB/s now: 30, 12 and 9.2 times as fast
    changes = [{"VM@12": (4.4, before), "VM@13": (5.4, before)} for before in (0.2, 0.5, 0.65)]
    assert outcomes(world, "vm-2026", 2, changes) == ["contradicted", "contradicted", "supported"]


def test_records_of_three_repeats_decide(save, query):
    for form, speed in (("UDSB", 5.0), ("UDRW", 1.6), ("ASIF", 1.7)):
        save(
            *[made_up.noisy(speed, speed, spread=0.001)] * 3, format=form, encryption="AES-256", driver="apple",
            host=worlds.MINI, release="macos-26.3.1-25D771280a",
        )  # fmt: skip
    [answer] = [row for row in query(ANSWER, "encryption-2026", 13) if row[0] == "measured"]
    assert answer[1:3] == (worlds.MINI, "supported")
    # the query that a conclusion has answers it as the table does
    [(sql,)] = query("select sql from conclusion where (article, number) = ('encryption-2026', 13)")
    again = [(row[0], row[1], row[3], row[4]) for row in query(sql)]
    assert again == query(ANSWER, "encryption-2026", 13)
