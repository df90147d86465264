"""Images of our own, from the core to the database: a sparse bundle and a sparse image with AES-256, a plain ASIF."""

import pytest

# 16 sizes that sum to 5,330 MB, 10 sets, every size divided by 200
SMOKE_BYTES = 266_500_000
BAND = 8 * 1024 * 1024  # bytes, of a sparse bundle unless another size is asked for


@pytest.mark.parametrize("form", ["UDSB", "UDSP", "ASIF"])
def test_an_image_holds_what_was_written_and_gives_back_what_was_deleted(portable, form):
    sizes = portable.query(
        f"""
        select state, allocated_bytes, bands
        from container_size inner join cell using (cell)
        where format = '{form}' order by started_utc, "order"
        """
    )
    allocated = {state: size for state, size, _ in sizes}
    assert SMOKE_BYTES <= allocated["filled"] < SMOKE_BYTES * 1.5
    assert allocated["compacted"] < SMOKE_BYTES / 2
    # when files are deleted, before any compaction
    assert allocated["compacted"] <= allocated["emptied-again"] < SMOKE_BYTES / 2
    if form == "UDSB":
        bands = {state: count for state, _, count in sizes}
        assert bands["compacted"] < SMOKE_BYTES / BAND <= bands["filled"]


def test_nothing_of_the_images_is_left(portable):
    work = portable.folder / ".diskbench" / "work"
    assert [path for path in work.rglob("*") if path.is_file()] == []
