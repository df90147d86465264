"""The cost of encryption: pairs of cells (see test_pairs.py) or of published figures."""

import made_up
import pytest

IMAGE = {"driver": "apple", "format": "UDSB"}
CODED = IMAGE | {"encryption": "AES-256"}


def runs(write_gbps, shares=(1.0, 1.0, 1.0)):
    return [made_up.steady(share * write_gbps, 6.0) for share in shares]


def measured(query, columns):
    return query(f"select {columns} from encryption_cost where basis = 'measured' order by all")


def test_the_ratio_is_the_mean_of_the_repeats_with_students_interval(save, query):
    save(*runs(8.0), **IMAGE)
    save(*runs(4.0, (0.9, 1.0, 1.1)), **CODED)
    columns = "op, layer, comparable, runs, ratio, ratio_low, ratio_high"
    [read, write] = measured(query, columns)
    assert write[:4] == ("write", "image", True, 3)
    # Student's t of two degrees is 4.30265
    assert write[4:] == pytest.approx((0.498328, 0.388350, 0.639450), rel=1e-4)
    assert read[4] == pytest.approx(1)


def test_one_run_has_a_ratio_and_no_interval_and_each_encryption_its_row(save, query):
    for encryption in ("none", "AES-128", "AES-256"):
        save(**IMAGE, encryption=encryption)
    assert measured(query, "distinct encryption, runs, ratio, ratio_low, ratio_high") == [
        (encryption, 1, 1, None, None) for encryption in ("AES-128", "AES-256")
    ]


def test_native_files_of_another_disk_have_no_cost_of_the_internal_disks_encryption(save, query):
    # FileVault of the internal disk was turned on in between; the external one has none
    for encryption in ("none", "FileVault"):
        for storage in ("internal", "usb4-980pro"):
            own = encryption if storage == "internal" else "none"
            save(
                parts={"host": {"storage": {"encryption": own}}}, driver="native",
                format="native", encryption=encryption, storage=storage,
            )  # fmt: skip
    found = measured(query, "distinct storage, encryption, layer, why_not_comparable")
    assert found == [("internal", "FileVault", "volume", None)]


def test_a_guest_with_filevault_is_another_layer(save, query):
    for encryption in ("none", "FileVault"):
        save(encryption=encryption, format="VM", driver="native")
    assert measured(query, "distinct layer, encryption") == [("volume", "FileVault")]


def test_a_cell_that_failed_keeps_its_row_and_says_why(folders, save, query):
    save(**IMAGE)
    failed = made_up.without_figures(made_up.record(**CODED), "failed", "the disk was full")
    made_up.save(failed, folders.runs)
    why = ["failed"]
    assert measured(query, "distinct ratio, comparable, why_not_comparable") == [(None, False, why)]


# of each of three repeats, how many hours after the image without encryption the encrypted one was measured
NIGHTS = {
    (-12, 0, 12): (3, True, None),
    (13, -13, 24 * 45): (3, False, ["other-night"]),
    # one repeat is left out
    (1, 1, 13): (2, True, None),
    (13, 1, 1): (2, True, None),
}


def test_the_image_without_encryption_of_another_night_is_not_compared(save, query):
    # a night at half the speed
    for number, hours in enumerate(NIGHTS):
        for repeat, later in enumerate(hours, start=1):
            cell = {"host": f"made-up-{number}", "repeat": repeat}
            save(made_up.noisy(6.0, 6.0), parts=made_up.at(0), **IMAGE | cell)
            share = 1 if abs(later) <= 12 else 0.5
            save(made_up.noisy(6.0 * share, 6.0), parts=made_up.at(later), **CODED | cell)
    columns = "op, host, runs, comparable, why_not_comparable, round(ratio, 9)"
    assert [row[2:] for row in measured(query, columns) if row[0] == "write"] == [
        (*found, 1 if found[1] else None) for found in NIGHTS.values()
    ]


def test_a_run_counts_for_the_direction_that_it_may_be_compared_in(save, query):
    for cell in (IMAGE, CODED):
        save(*runs(6.0)[:2], **cell)
        save(made_up.steady(6.0, 9.0), parts={"warnings": [made_up.WARM]}, repeat=3, **cell)
    assert measured(query, "op, runs") == [("read", 2), ("write", 3)]


MINI = ("encryption-2026", "mac-mini-m4-pro", "26.3.1 (a)")


@pytest.mark.parametrize(
    ("columns", "where", "rows"),
    [
        # within one article
        (
            "article, host, release, op, plain_as_printed, encrypted_as_printed, round(ratio, 3), ratio_low",
            "format = 'UDSB'",
            [(*MINI, "write", "7.62", "5.23", 0.686, None), (*MINI, "read", "6.13", "5.09", 0.830, None)],
        ),
        # a range, 0.08 to 0.5 of about 2.2, gives the two ends of a ratio
        (
            "ratio, round(ratio_low, 3), round(ratio_high, 3), kind",
            "format = 'UDSP' and op = 'read' and storage = 'internal'",
            [(None, 0.036, 0.227, "range")],
        ),
        # a figure goes before a range of the same
        (
            "encrypted_as_printed, round(ratio, 3), kind",
            "format = 'UDSP' and op = 'write' and storage = 'internal'",
            [("0.1", 0.05, "exact")],
        ),
        # a guest
        (
            "op, format, encryption, round(ratio, 3)",
            "layer = 'volume' and article = 'vm-2026'",
            [("write", "VM", "FileVault", 0.526), ("read", "VM", "FileVault", 0.704)],
        ),
        # of other sources, too; a printed share is a ratio
        (
            "distinct op, storage, encrypted_as_printed, round(ratio, 3), kind, second_hand",
            "article = 'P28'",
            [
                ("write", "tb5-ssd", "4.7", 0.887, "exact", False),
                ("read", "usb4-ssd", None, 0.95, "about", False),
                ("read", "tb5-ssd", None, 0.98, "about", False),
            ],
        ),
        (
            "op, encrypted_as_printed, round(ratio, 3), kind, second_hand",
            "article = 'P18' and storage = 'tb3-ssd-a'",
            [("write", "1,8", 0.818, "exact", True), ("read", "2,7", 0.964, "exact", True)],
        ),
    ],
)  # fmt: skip
def test_published_figures_of_one_source_are_divided(query, columns, where, rows):
    found = query(
        f"select {columns} from encryption_cost where basis = 'published' and {where} order by all desc"
    )
    assert found == rows
