"""Images of our own, from the core to the pages: a sparse bundle and a sparse image with AES-256, a plain ASIF, native files."""

import json
import re

import pytest

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
        cell = record["cell"]
        assert cell["driver"] == ("native" if cell["format"] == "native" else "portable")
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


def test_each_image_is_compared_with_the_native_cell_of_its_phase(portable):
    rows = portable.query(
        """
        select
            cost.format, cost.phase, cost.op, cost.files, cost.native_files,
            cost.gbps, ours.total_gbps, cost.native_gbps, native.total_gbps,
            cost.ratio, cost.verdict, cost.reasons
        from format_cost as cost
        inner join measured_speed as ours on ours.cell = cost.cell and ours.op = cost.op
        inner join measured_speed as native
            on native.cell = cost.native_cell and native.op = cost.op
        """
    )
    assert {(form, phase, op) for form, phase, op, *_ in rows} == {
        (form, phase, op)
        for form in ("UDSB", "UDSP", "ASIF")
        for phase in ("fresh", "partly-filled", "emptied")
        for op in ("read", "write")
    }
    for _, _, _, files, native_files, ours, our_total, native, native_total, *judged in rows:
        assert files == native_files == SMOKE_FILES
        assert ours == pytest.approx(our_total, rel=1e-9)
        assert native == pytest.approx(native_total, rel=1e-9)
        # smoke scale is compared with nothing, its own native files included
        assert judged == [None, "not comparable", ["smoke"]]


def test_portable_figures_are_never_said_to_reproduce_the_articles(portable):
    rows = portable.query(
        """
        select verdict, reasons, published_gbps from article_table
        where measured_driver = 'portable'
        """
    )
    assert any(published is not None for *_, published in rows)
    for verdict, reasons, published in rows:
        assert verdict == "not comparable"
        assert ("no-number" if published is None else "our-driver") in reasons


def test_the_pages_show_each_speed_with_its_driver_and_what_compaction_gave_back(portable):
    text = read(portable.page("hosts.html"))
    for driver in ("native", "portable"):
        assert f"(driver {driver})" in text
    page = portable.page("this-machine.html")
    text = read(page)
    assert "images served by our own code, without macOS" in text
    assert "No pair of an image and plain files may be compared yet" in text
    assert 'id="table-format-cost"' not in page
    compaction = read(page.partition('id="table-states-portable-1"')[2].partition("</table>")[0])
    after = [
        size
        for size, state in of_images(portable, "allocated_bytes, state")
        if state == "compacted"
    ]
    assert len(after) == 3
    for size in after:
        number, unit = (size / 1e6, "MB") if size >= 1e6 else (size / 1e3, "kB")
        assert f"{number:#.3g}".rstrip(".") + f" {unit}" in compaction


def read(page):
    """The text of a page, or of a part of it."""
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def test_nothing_of_the_images_is_left(portable):
    work = portable.folder / ".diskbench" / "work"
    assert [path for path in work.rglob("*") if path.is_file()] == []
