"""Tables of programs, processes and noise suppression behind an image."""

import made_up
import pytest

TABLES = ("command", "process_use", "quiet", "image_fact")


@pytest.fixture
def saved(folders):
    """Save one record of a Mac."""

    def save(**how):
        made_up.save(
            made_up.served(made_up.record(driver="apple", format="UDSB"), **how), folders.runs
        )

    return save


def test_a_record_older_than_the_keys_loads_and_has_no_rows(folders, query):
    made_up.save(made_up.record(), folders.runs)
    assert query("select status, comparable, stand_in, band_bytes from cell") == [
        ("measured", True, False, None)
    ]
    assert [query(f"select count(*) from {table}") for table in TABLES] == [[(0,)]] * 4
    assert query("select volume_free_bytes from container_size") == [(None,)]
    assert query("select description from storage_device") == [(None,)]
    assert query("select stand_in from host") == [(False,)]
    # two steps, as before
    assert query("select count(*) from step") == [(2,)]


def test_every_program_that_was_run_is_there_in_order(query, saved):
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


@pytest.mark.parametrize(
    ("arguments", "verb"),
    [
        ("image attach --plist --mountPoint <volume> <image>", "image attach"),
        ("unmountDisk force disk4", "unmountDisk force"),
        ("eject disk12", "eject"),
        ("-i off <volume>", None),
        ("status", "status"),
    ],
)
def test_the_verb_of_a_program_is_its_words_before_the_first_option(
    folders, query, arguments, verb
):
    made = made_up.record()
    made["steps"][0]["commands"] = [made_up.command("diskutil", arguments, 1)]
    made_up.save(made_up.signed(made), folders.runs)
    assert query("select verb, arguments from command") == [(verb, arguments)]


def test_a_process_has_its_share_of_a_core_over_the_pass(query, saved):
    saved()
    # 2.3 s of 10 s, as in the article of 2022: "a steady 23% CPU"
    assert query("select * exclude cell from process_use where permitted") == [
        (2, "write", "diskimages-helper", 1, True, 2_300_000_000, 23.0, 1_000_000, 53_300_000_000,
         7_500_000_000, 10_000_000_000, 0)
    ]  # fmt: skip


def test_unreadable_values_are_null_with_a_reason(query, saved):
    saved(permitted=False)
    known = "cpu_ns, cpu_percent, read_bytes, written_bytes, energy_nj"
    assert query(f"select process, count, permitted, {known} from process_use") == [
        ("diskimages-helper", 1, False, *[None] * 5),
        ("diskimagesiod", 2, False, *[None] * 5),
    ]


def test_processes_that_ended_before_the_pass_did_are_counted(folders, query):
    made = made_up.served(made_up.record())
    made["steps"][1]["serving"]["processes"][0]["ended"] = 1
    made_up.save(made_up.signed(made), folders.runs)
    assert query("select process, ended from process_use") == [
        ("diskimages-helper", 1),
        ("diskimagesiod", 0),
    ]


def test_a_pass_without_time_has_no_share(folders, query):
    made = made_up.served(made_up.record())
    made["steps"][1]["serving"]["elapsed_ns"] = 0
    made_up.save(made_up.signed(made), folders.runs)
    assert query("select distinct cpu_percent from process_use") == [(None,)]


def test_what_was_kept_quiet_is_there_as_it_was_reached(query, saved):
    saved()
    assert query("select * exclude cell from quiet") == [
        (True, "user-initiated", "important", True, True, None)
    ]


def test_the_found_properties_of_an_image_are_listed_with_the_requested_ones(query, saved):
    saved()
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


def known(folders, query, cell, **found):
    """Whether a record of driver apple is comparable whose image says this of itself, and why not."""
    made = made_up.record(**{"driver": "apple", "format": "UDRW"} | cell)
    made["image"] = made_up.image(made, **found)
    made_up.save(made_up.signed(made), folders.runs)
    return query("select comparable, why_not_comparable from cell")


@pytest.mark.parametrize(
    ("cell", "missing"),
    [
        ({}, ["format"]),
        ({}, ["encrypted"]),
        ({"encryption": "AES-256"}, ["key_bits"]),
        ({"encryption": "AES-128"}, ["cipher"]),
        ({"encryption": "AES-256"}, ["format", "encrypted", "cipher", "key_bits"]),
        ({"driver": "portable", "format": "ASIF", "encryption": "AES-256"}, ["key_bits"]),
        ({"format": "ASIF", "encryption": "AES-256"}, ["format"]),
        ({"format": "ASIF"}, ["encrypted"]),
    ],
)  # fmt: skip
def test_an_image_that_does_not_say_what_it_is_is_compared_with_nothing(
    folders, query, cell, missing
):
    assert known(folders, query, cell, **dict.fromkeys(missing)) == [(False, ["image-unknown"])]


@pytest.mark.parametrize(
    ("cell", "missing"),
    [
        ({}, ["cipher", "key_bits"]),
        ({"encryption": "AES-256"}, ["sector_bytes", "band_bytes", "nominal_bytes"]),
        # how macOS encrypts ASIF is not public, and no program tells
        ({"format": "ASIF", "encryption": "AES-256"}, ["encrypted", "cipher", "key_bits"]),
    ],
)
def test_what_no_image_of_its_kind_says_of_itself_keeps_nothing_from_being_compared(
    folders, query, cell, missing
):
    assert known(folders, query, cell, **dict.fromkeys(missing)) == [(True, None)]


def test_sizes_include_the_free_space_inside_the_volume(query, saved):
    saved()
    assert query("select free_bytes, volume_free_bytes from container_size") == [
        (1, 99_000_000_000)
    ]


def test_the_description_of_a_storage_is_kept(query, saved):
    saved()
    assert query("select description from storage_device") == [
        ("in a case, on a cable of 40 Gb/s",)
    ]
