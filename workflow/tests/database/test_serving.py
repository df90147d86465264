"""Tables of programs, processes and noise suppression behind an image."""

import made_up
import pytest


@pytest.fixture
def saved(folders):
    """Saves a record of a Mac, with changes to its parts."""

    def save(change=lambda made: None):
        made = made_up.served(made_up.record(driver="apple", format="UDSB"))
        change(made)
        made_up.save(made, folders.runs)

    return save


def test_what_served_an_image_and_how_is_in_its_tables(query, saved):
    saved()
    assert query("select * exclude cell from command") == [
        (1, 1, "create", "hdiutil", "create", "create -size 100g -type SPARSEBUNDLE -fs APFS <image>", "exited", 0, 800_000_000),
        (4, 1, "detach", "hdiutil", "info", "info -plist", "exited", 0, 40_000_000),
        (4, 2, "detach", "hdiutil", "detach", "detach disk4", "exited", 16, 70_000_000),
        (4, 3, "detach", "hdiutil", "detach", "detach disk4", "exited", 16, 90_000_000),
        (4, 4, "detach", "hdiutil", "detach", "detach disk4 -force", "exited", 0, 110_000_000),
        (4, 5, "detach", "diskutil", "list", "list", "timed-out", None, 10_000_000_000),
        (4, 6, "detach", "sync", None, None, "exited", 0, 5_000_000),
    ]  # fmt: skip
    # 2.3 s of 10 s, as in the article of 2022: "a steady 23% CPU"; of the other nothing may be read
    assert query("select * exclude cell from process_use") == [
        (2, "write", "diskimages-helper", 1, True, 2_300_000_000, 23.0, 1_000_000, 53_300_000_000,
         7_500_000_000, 10_000_000_000, 0),
        (2, "write", "diskimagesiod", 2, False, *[None] * 5, 10_000_000_000, 0),
    ]  # fmt: skip
    assert query("select * exclude cell from quiet") == [
        (True, "user-initiated", "important", True, True, None)
    ]
    # what was requested, and found
    assert query("select fact, requested, effective from image_fact") == [
        ("band_bytes", None, "8388608"),
        ("cipher", None, None),
        ("encrypted", "false", "false"),
        ("file_system", "apfs", "apfs"),
        ("format", "UDSB", "UDSB"),
        ("key_bits", None, None),
        ("nominal_bytes", "100000000000", "100000000000"),
        ("on_image", "true", "true"),
        ("sector_bytes", "512", None),
    ]
    assert query("select free_bytes, volume_free_bytes from container_size") == [(1, 99_000_000_000)]  # fmt: skip
    assert query("select description from storage_device") == [("in a case, on a cable of 40 Gb/s",)]  # fmt: skip


def test_the_verb_of_a_program_is_its_words_before_the_first_option(query, saved):
    verbs = {
        "image attach --plist --mountPoint <volume> <image>": "image attach",
        "unmountDisk force disk4": "unmountDisk force",
        "eject disk12": "eject",
        "-i off <volume>": None,
        "status": "status",
    }
    commands = [made_up.command("diskutil", arguments, 1) for arguments in verbs]
    saved(lambda made: made["steps"][-1].update(commands=commands))
    assert query("select arguments, verb from command where program = 'diskutil'") == [*verbs.items()]  # fmt: skip


def test_processes_that_ended_before_a_pass_are_counted_and_one_without_time_has_no_share(
    query, saved
):
    def change(made):
        serving = made["steps"][1]["serving"]
        serving["elapsed_ns"] = 0
        serving["processes"][0]["ended"] = 1

    saved(change)
    assert query("select process, ended, cpu_percent from process_use") == [
        ("diskimages-helper", 1, None),
        ("diskimagesiod", 0, None),
    ]


APPLE, CODED = {"driver": "apple", "format": "UDRW"}, {"encryption": "AES-256"}
ASIF = {"driver": "apple", "format": "ASIF"}
# what an image does not say of itself, and whether it may be compared all the same
UNKNOWN = [
    (APPLE, ["format"], False),
    (APPLE, ["encrypted"], False),
    (APPLE | CODED, ["key_bits"], False),
    (APPLE | {"encryption": "AES-128"}, ["cipher"], False),
    (APPLE | CODED, ["format", "encrypted", "cipher", "key_bits"], False),
    (ASIF | {"driver": "portable"} | CODED, ["key_bits"], False),
    (ASIF | CODED, ["format"], False),
    (ASIF, ["encrypted"], False),
    # what no image of its kind says
    (APPLE, ["cipher", "key_bits"], True),
    (APPLE | CODED, ["sector_bytes", "band_bytes", "nominal_bytes"], True),
    # how macOS encrypts ASIF is not public, and no program tells
    (ASIF | CODED, ["encrypted", "cipher", "key_bits"], True),
]


def test_an_image_that_does_not_say_what_it_is_is_compared_with_nothing(folders, query):
    for repeat, (cell, missing, _) in enumerate(UNKNOWN, start=1):
        made = made_up.record(**cell, repeat=repeat)
        made["image"] = made_up.image(made, **dict.fromkeys(missing))
        made_up.save(made, folders.runs)
    assert query("select comparable, why_not_comparable from cell order by repeat") == [
        (True, None) if comparable else (False, ["image-unknown"]) for *_, comparable in UNKNOWN
    ]
