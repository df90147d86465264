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
    ("article", "number", "vouched", "synthetic", "by", "made_up"),
    [
        # three Macs are compared
        ("slow-writes-2022", 5, {}, [], "own", False),
        ("slow-writes-2022", 5, {"imac-pro": "community"}, [worlds.STUDIO], "community and own", True),
        ("slow-writes-2022", 5, {worlds.STUDIO: "hosted runner"}, ["imac-pro"], "hosted runner and own", True),
        (
            "slow-writes-2022", 5, dict.fromkeys([worlds.STUDIO, "imac-pro", "macbook-pro-m1-pro"], "community"), [],
            "community", False,
        ),
        # sizes
        ("bands-2024", 3, {worlds.STUDIO: "community"}, [worlds.STUDIO], "community", True),
    ],
)  # fmt: skip
def test_an_answer_names_who_vouches_for_any_record_behind_it_and_whether_one_is_synthetic(
    world, article, number, vouched, synthetic, by, made_up
):
    made = right(world, article, vouched=vouched, synthetic=synthetic)
    found = made.asked(article, number, "host, outcome, vouched_by, made_up")
    assert [row[1:] for row in found if row[0] == worlds.STUDIO] == [("supported", by, made_up)]


ENCRYPTION, BANDS, VM = "encryption-2026", "bands-2024", "vm-2026"
FEW, ALIKE = "2 of 3 repeats: no verdict; ", "not measured alike: "
OTHER_NIGHT = f"{ALIKE}on another night; "
IN_ANOTHER_WAY = {"cache": "bypass", "durability": "full", "block_bytes": 4096}
EXFAT = {key: {"file_system": "exfat"} for key in ("UDSB/churned", "UDRW/churned")}
ASIF, BEFORE = "ASIF+AES-256", "ASIF+AES-256@26.0"
EPOCH_2 = {key: {"epoch": 2} for key in worlds.RIGHT[ENCRYPTION]}
LATER = (24 * 45, 24 * 45)

# article and number; what changes in the world in which the article is right, and in how it was measured; the outcome,
# and words of the detail
ANSWERS = [
    # an interval that reaches across: 5.1 / 2.84 and 5.2 / 1.58, but each may be half as fast again
    (ENCRYPTION, 13, {}, {"noise": 0.1}, "supported", ""),
    (ENCRYPTION, 13, {}, {"noise": 0.5}, "undecided", ""),
    # too few repeats: of speeds, and of sizes
    *[(ENCRYPTION, number, {}, {"repeats": 2}, "undecided", FEW) for number in (2, 5, 13, 14)],
    # a missing cell, or direction
    (ENCRYPTION, 2, {"UDRW": None}, {}, "undecided", "not measured: UDRW (read, internal), UDRW (write, internal); "),
    (ENCRYPTION, 2, {"UDSB+AES-256": None}, {}, "undecided",
     "not measured: UDSB AES-256 (read, internal), UDSB AES-256 (write, internal); "),
    (ENCRYPTION, 13, {"ASIF+AES-256": (None, 1.6)}, {}, "undecided", "not measured: ASIF AES-256 (read, internal); "),
    # it does not mend another that contradicts
    (ENCRYPTION, 2, {"ASIF": (5.9, 8.5), "UDRW": None}, {}, "contradicted", "not measured: UDRW (read, internal)"),
    # two releases: 4.4 / 1.6 is 2.75, each +- 1 %; 1.5 is much. If the disk became slower by a half, 1.375 is left
    (ENCRYPTION, 7, {BEFORE: (4.4, 4.4)}, {"disk": 1.0}, "supported", ", beyond the disk [2.70, 2.81]"),
    (ENCRYPTION, 7, {BEFORE: (4.4, 4.4)}, {"disk": 0.5}, "undecided", ", beyond the disk [1.35, 1.40]"),
    (ENCRYPTION, 7, {BEFORE: (4.4, 4.4)}, {"disk": 0.8}, "supported", ", beyond the disk [2.16, 2.24]"),
    # 1.25, and 2.5 if the disk became twice as fast
    (ENCRYPTION, 7, {BEFORE: (4.4, 2.0)}, {"disk": 1.0}, "contradicted", ", beyond the disk [1.23, 1.28]"),
    (ENCRYPTION, 7, {BEFORE: (4.4, 2.0)}, {"disk": 2.0}, "undecided", ", beyond the disk [2.45, 2.55]"),
    (ENCRYPTION, 7, {BEFORE: (4.4, 4.4)}, {"disk": None}, "undecided", ", not known beyond the disk"),
    # two Macs, two images and two guests without it: a guest has no files without an image
    (ENCRYPTION, 6, {}, {"disk": None}, "supported", ""),
    (ENCRYPTION, 13, {}, {"disk": None}, "supported", ""),
    (VM, 2, {}, {"disk": None}, "supported", ""),
    # one Mac: in one night, or in this one and once more
    (ENCRYPTION, 13, {}, {"nights": {ASIF: (12, 12)}}, "supported", ""),
    (ENCRYPTION, 13, {}, {"nights": {ASIF: (-12, 12)}}, "supported", ""),
    (ENCRYPTION, 13, {}, {"nights": {ASIF: (13, 13)}}, "undecided", OTHER_NIGHT),
    (ENCRYPTION, 13, {}, {"nights": {ASIF: (0, 24 * 45)}}, "undecided", OTHER_NIGHT),
    (ENCRYPTION, 13, {}, {"nights": {ASIF: (-24 * 45, 0)}}, "undecided", OTHER_NIGHT),
    (BANDS, 9, {}, {"nights": {"UDRW": (13, 13)}}, "undecided", OTHER_NIGHT),
    ("slow-writes-2022", 6, {}, {"nights": {"native spread": (13, 13)}}, "undecided", OTHER_NIGHT),
    (VM, 3, {}, {"nights": {"VM+FileVault": (13, 13)}}, "undecided", OTHER_NIGHT),
    (ENCRYPTION, 3, {}, {"nights": {"ASIF/emptied": LATER}}, "undecided", OTHER_NIGHT),
    # what can be of two nights: two releases, beyond the disk, two Macs, and a guest on its host
    (ENCRYPTION, 7, {}, {"nights": {BEFORE: LATER}}, "supported", ""),
    (ENCRYPTION, 6, {}, {"nights": {"ASIF+AES-256#macbook-pro-m3-pro": LATER}}, "supported", ""),
    (VM, 1, {}, {"nights": {"VM": LATER}}, "supported", ""),
    # a size is the same in each night, and with each cache mode, durability and block, but not on each file system
    (BANDS, 3, {}, {"nights": {"UDRW/churned": LATER}}, "supported", ""),
    (ENCRYPTION, 14, {}, {"methods": {"UDSB/emptied-again": IN_ANOTHER_WAY}}, "supported", ""),
    (BANDS, 3, {}, {"methods": EXFAT}, "undecided", f"{ALIKE}on another file system; "),
    # nor of what may be no such image, or was in memory; what spoils speeds alone does not change it
    (BANDS, 3, {}, {"spoilt": ["image-unknown"]}, "not measured yet", ""),
    (BANDS, 3, {}, {"spoilt": ["in-memory"]}, "not measured yet", ""),
    (BANDS, 3, {}, {"spoilt": ["slept"]}, "supported", ""),
    # a disk that was measured with FileVault and without it is still one format
    ("slow-writes-2022", 1, {"native+none": (7, 7)}, {}, "supported", ""),
    # all in one later epoch
    (ENCRYPTION, 13, {}, {"methods": EPOCH_2}, "supported", ""),
    # UDRW writes 7.0 +- 1 %, and nine tenths of its lower end are 6.24: the disk's upper end is 6.16, 6.26, or of another night
    (ENCRYPTION, 12, {"native": (7, 6.1)}, {}, "undecided", "a write is faster than the SSD itself, so part of it may still"),
    (ENCRYPTION, 12, {"native": (7, 6.2)}, {}, "supported", ""),
    *[
        (ENCRYPTION, 12, {"native": (7, 6.1)}, {"nights": {"native": night}}, "supported", "")
        for night in ((0, 24), (-24, 0))
    ],
    (ENCRYPTION, 13, {"native": (2, 2)}, {}, "undecided", "a write is faster than the SSD itself"),
    # another guest than the article's
    (VM, 1, {}, {"methods": {"VM": {"guest": "4 cores, 16 GB"}}}, "undecided", "in a guest with other cores or memory"),
]  # fmt: skip


def test_images_that_were_measured_at_two_scales_are_compared_at_the_larger_one(world):
    # The article does not state theirs, and its commands measure them at both: at half beside the
    # guest, there as fast again.
    made = right(world, VM)
    images = {key: speeds for key, speeds in worlds.RIGHT[VM].items() if not key.startswith("VM")}
    half = {key: (2 * read, 2 * write) for key, (read, write) in images.items()}
    world(VM, scale="half").add(half)
    found, detail = made.answer(VM, 4)
    assert found == "supported", detail
    assert (
        "write, internal, UDRW AES-256 / UDRW AES-256 under macOS 26.3.1(a): 1.6 / 1.58" in detail
    )


@pytest.mark.parametrize(("article", "number", "changes", "other", "outcome", "told"), ANSWERS)
def test_what_was_measured_and_how_decides(world, article, number, changes, other, outcome, told):
    found, detail = right(world, article, changes, **other).answer(article, number)
    assert found == outcome, detail
    assert told in detail


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


def test_ratios_of_encryption_and_published_changes_have_no_verdict(query):
    none = "select comparison, rule from verdict_rule where outcome is null order by all"
    assert query(none) == [("encryption_cost", "none"), ("start page", "published change")]


def test_every_tolerance_has_a_reason_and_the_day_on_which_it_was_set(query):
    silent = "coalesce(reason, '') = '' or set_on is null"
    assert query(f"select rule from verdict_rule where {silent}") == []


@pytest.mark.parametrize(
    ("rule", "inside", "outside"),
    [
        ("more", [1.01, 9], [0.99, 0.5]),
        ("less than", [0.99, 0.01], [1.01]),
        ("no more", [1.10, 0.2], [1.12, 2]),
        ("the same", [0.92, 1.08], [0.88, 1.13]),
        ("about", [0.85, 1.15], [0.75, 1.25]),
        ("just under", [0.85, 0.99], [0.75, 1.01]),
        ("almost", [0.77, 0.99, 3], [0.73]),
        ("almost a figure", [0.77, 0.99, 1.10], [0.73, 1.12, 3]),
        ("similar", [0.77, 1.30], [0.73, 1.36]),
        ("slightly more", [1.01, 1.30], [0.99, 1.36]),
        ("significantly more", [1.12, 9], [1.10, 0.5]),
        ("high", [0.52, 2], [0.48]),
        ("much more", [1.55, 9], [1.45]),
        ("little", [0.09, 0, -0.2], [0.11, 1]),
        ("no relationship", [-0.45, 0.45], [-0.55, 0.55]),
    ],
)
def test_what_a_word_means(query, rule, inside, outside):
    asked = """select judged(?::double, ?::double, supported_from, supported_to) from verdict_rule
        where comparison = 'conclusion' and rule = ?"""
    for value in inside:
        assert query(asked, value, value, rule) == [("supported",)], value
    for value in outside:
        assert query(asked, value, value, rule) == [("contradicted",)], value
