"""An image with an unusual size of bands or blocks is another image, never paired with the usual one."""

import made_up
import pytest

MEBIBYTE = 1 << 20
RELEASES = ("macos-26.3.1-25D125", "macos-26.4-25E241")
BUNDLE = {"driver": "apple", "format": "UDSB", "host": "mac-mini-m4-pro"}


def save(folders, **cell):
    return made_up.save(made_up.record(**cell), folders.runs)


def test_the_size_of_bands_is_in_the_path_of_the_record(folders):
    path = save(folders, **BUNDLE, band_bytes=MEBIBYTE)
    assert path.relative_to(folders.runs).parts[-3] == "UDSB-none-bands-1048576"
    assert save(folders, **BUNDLE).relative_to(folders.runs).parts[-3] == "UDSB-none"


def test_the_size_of_bands_is_null_where_the_format_chooses(folders, query):
    save(folders, **BUNDLE)
    save(folders, **BUNDLE, band_bytes=MEBIBYTE)
    assert query("select band_bytes from cell order by all") == [(MEBIBYTE,), (None,)]
    assert query("select distinct band_bytes from measured_speed order by all") == [
        (MEBIBYTE,),
        (None,),
    ]


def test_releases_are_compared_with_the_same_bands_only(folders, query):
    for release in RELEASES:
        save(folders, **BUNDLE, release=release)
        save(folders, **BUNDLE, release=release, band_bytes=MEBIBYTE)
    pairs = query("select band_bytes, earlier_cell, later_cell, consecutive from release_change")
    assert len(pairs) == 2 * 2
    for band, earlier, later, consecutive in pairs:
        assert ("bands-1048576" in earlier) == ("bands-1048576" in later) == (band == MEBIBYTE)
        assert consecutive


@pytest.mark.parametrize("first", [None, MEBIBYTE])
def test_one_release_with_one_size_and_one_with_another_are_no_pair(folders, query, first):
    other = {None: MEBIBYTE, MEBIBYTE: None}[first]
    for release, band in zip(RELEASES, (first, other), strict=True):
        save(folders, **BUNDLE, release=release, **({"band_bytes": band} if band else {}))
    assert query("select count(*) from release_change") == [(0,)]


def test_each_size_of_bands_has_its_own_row_in_the_costs_of_formats(folders, query):
    save(folders)
    for band in ({}, {"band_bytes": MEBIBYTE}):
        save(folders, driver="portable", format="UDSB", **band)
    found = query("select band_bytes, op, ratio is not null from format_cost order by all")
    assert found == [
        (MEBIBYTE, "read", True),
        (MEBIBYTE, "write", True),
        (None, "read", True),
        (None, "write", True),
    ]


def test_blocks_of_4096_bytes_tell_asif_images_apart_as_bands_do_others(folders, query):
    asif = BUNDLE | {"format": "ASIF", "driver": "portable"}
    path = save(folders, **asif, release=RELEASES[0], block_bytes=4096)
    assert path.relative_to(folders.runs).parts[-3] == "ASIF-none-blocks-4096"
    for blocks in ({}, {"block_bytes": 4096}):
        save(folders, **asif, release=RELEASES[1], **blocks)
    assert query("select band_bytes, block_bytes from cell order by all") == [
        # the second is the study's own setting, of one read or write
        (4096, 1_048_576),
        (4096, 1_048_576),
        (None, 1_048_576),
    ]
    pairs = query("select band_bytes, earlier_cell, later_cell from release_change")
    assert len(pairs) == 2
    for blocks, earlier, later in pairs:
        assert blocks == 4096
        assert "blocks-4096" in earlier
        assert "blocks-4096" in later


ARTICLE = """
    select cell, verdict from article_table
    where article = 'encryption-2026' and format = 'UDSB' and encryption = 'none'
        and protocol = 'usage-phases' and phase = 'fresh'
"""


def test_other_bands_are_not_compared_with_an_article(folders, query):
    save(folders, **BUNDLE, release=RELEASES[0], band_bytes=MEBIBYTE)
    assert query(ARTICLE)
    assert set(query(ARTICLE)) == {(None, "not measured yet")}


def test_an_article_is_compared_with_the_usual_bands_though_others_were_measured_too(
    folders, query
):
    for band in ({}, {"band_bytes": MEBIBYTE}):
        save(folders, **BUNDLE, release=RELEASES[0], **band)
    cells = {cell for cell, _ in query(ARTICLE)}
    assert cells == {
        f"mac-mini-m4-pro/{RELEASES[0]}/usage-phases-gold/internal/apple/UDSB-none/1/fresh"
    }


def test_only_images_with_bands_of_their_formats_own_size_have_known_speeds(folders, query):
    for band in ({}, {"band_bytes": MEBIBYTE}):
        save(folders, **BUNDLE, **band, release=RELEASES[0])
    assert query("select distinct band_bytes from comparable_speed order by all") == [
        (MEBIBYTE,),
        (None,),
    ]
    found = query(
        "select op, cell.band_bytes from known_speed inner join cell on cell.cell = origin "
        "where basis = 'measured' order by op"
    )
    assert found == [("read", None), ("write", None)]
