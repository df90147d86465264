"""Images of our own, from the core to the database: a sparse bundle and a sparse image with AES-256, a plain ASIF."""

import json

SMOKE_FILES = 160
# 16 sizes that sum to 5,330 MB, 10 sets, every size divided by 200
SMOKE_BYTES = 266_500_000
BAND = 8 * 1024 * 1024  # bytes, of a sparse bundle unless another size is asked for


def of_images(project, columns):
    return project.query(
        f"select {columns} from container_size inner join cell using (cell) "
        """where driver = 'portable' order by format, started_utc, "order" """
    )


def test_every_record_names_its_driver_and_holds_every_file(portable):
    records = [json.loads(path.read_text(encoding="utf-8")) for path in portable.records()]
    assert {record["status"] for record in records} == {"measured"}
    for record in records:
        assert record["cell"]["driver"] == "portable"
        for op in ("write", "read"):
            files = [sample for sample in record["samples"] if sample["op"] == op]
            assert len(files) == SMOKE_FILES
            assert sum(sample["size_bytes"] for sample in files) == SMOKE_BYTES


def test_a_filled_image_holds_what_was_written_and_an_emptied_one_gave_most_of_it_back(portable):
    for form in ("UDSB", "UDSP", "ASIF"):
        [(filled, emptied)] = portable.query(
            f"""
            select
                max(allocated_bytes) filter (where state = 'filled'),
                max(allocated_bytes) filter (where state = 'compacted')
            from container_size inner join cell using (cell)
            where format = '{form}'
            """
        )
        assert SMOKE_BYTES <= filled < SMOKE_BYTES * 1.5, form
        assert emptied < SMOKE_BYTES / 2, form


def test_the_bundle_has_bands_enough_for_what_it_holds(portable):
    bands = {
        (form, state): count for form, state, count in of_images(portable, "format, state, bands")
    }
    assert bands["UDSB", "filled"] >= SMOKE_BYTES / BAND
    assert bands["UDSB", "compacted"] < bands["UDSB", "filled"]


def test_compaction_gave_something_back_and_took_nothing(portable):
    sizes = {
        (form, state): size
        for form, state, size in of_images(portable, "format, state, allocated_bytes")
    }
    given = {
        form: sizes[form, "emptied-again"] - sizes[form, "compacted"]
        for form in ("UDSB", "UDSP", "ASIF")
    }
    assert all(size >= 0 for size in given.values()), given
    # the others give their space back when files are deleted
    assert given["UDSP"] > SMOKE_BYTES / 2, given


def test_nothing_of_the_images_is_left(portable):
    work = portable.folder / ".diskbench" / "work"
    assert [path for path in work.rglob("*") if path.is_file()] == []
