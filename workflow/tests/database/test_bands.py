"""An image with an unusual size of bands or blocks is another image than the usual one (pairs: test_pairs.py)."""

MEBIBYTE = 1 << 20
BUNDLE = {"driver": "apple", "format": "UDSB", "host": "mac-mini-m4-pro", "release": "macos-26.3.1-25D125"}  # fmt: skip


def test_the_size_is_in_the_path_of_the_record(folders, save, query):
    asif = {"driver": "portable", "format": "ASIF"}
    paths = [
        save(**BUNDLE),
        save(**BUNDLE, band_bytes=MEBIBYTE),
        save(**BUNDLE | asif, block_bytes=4096),
    ]
    assert [path.relative_to(folders.runs).parts[-3] for path in paths] == [
        "UDSB-none",
        "UDSB-none-bands-1048576",
        "ASIF-none-blocks-4096",
    ]
    assert query("select format, band_bytes, block_bytes from cell order by all") == [
        # the second is the study's own setting, of one read or write
        ("ASIF", 4096, MEBIBYTE),
        ("UDSB", MEBIBYTE, MEBIBYTE),
        ("UDSB", None, MEBIBYTE),
    ]


def test_only_images_with_bands_of_their_formats_own_size_are_compared_with_published_ones(
    save, query
):
    for band in ({}, {"band_bytes": MEBIBYTE}):
        save(**BUNDLE, **band)
    found = query("select distinct band_bytes from comparable_speed order by all")
    assert found == [(MEBIBYTE,), (None,)]
    known = "from known_speed inner join cell on cell = origin where basis = 'measured'"
    assert query(f"select op, band_bytes {known} order by op") == [("read", None), ("write", None)]
    cells = query("select distinct cell from article_table where cell is not null")
    assert [cell.split("/")[5] for (cell,) in cells] == ["UDSB-none"]
