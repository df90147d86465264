"""The page on the cost of encryption: the database's shares, published and measured, never two drivers together."""

import pytest
from rendered import Tables, charts, points, rows, tables, text

from lib import encryption


def test_the_first_sentence_says_what_a_format_keeps(published_only, asked):
    asked(published_only)
    answer = text(encryption.answer(encryption.costs()))
    # 5.23 of 7.62 and 5.09 of 6.13 GB/s
    keeps = "a sparse bundle keeps 69 % of its write speed and 83 % of its read speed"
    assert f"With AES-256, {keeps}" in answer
    assert "macOS 26.3.1" in answer


def kept(page: str) -> list[dict]:
    """The marks of the charts of shares."""
    return [
        mark
        for name, spec in charts(page).items()
        for mark in points(spec)
        if name.startswith("chart") and "ratio" in mark
    ]


def test_the_answer_doubts_a_measured_share_too(made_up, changed, asked):
    # the made-up Mac writes its images at the published speeds
    asked(made_up)
    doubt = "Unencrypted, RAW and ASIF wrote faster than the SSD itself: part of the data may still"
    assert text(encryption.answer(encryption.costs())).count(doubt) == 2
    in_time = "update conclusion_figure set faster_than_disk = false where basis = 'measured'"
    asked(changed(made_up, in_time))
    measured, published = text(encryption.answer(encryption.costs())).split("\n\n")
    assert doubt not in measured and doubt in published


def test_the_legend_names_release_basis_and_storage_of_every_colour(published_only, asked):
    asked(published_only)
    page = text(encryption.chart("chart", encryption.of_macos(encryption.costs()), "caption"))
    write = charts(page)["chart-write"]
    named = {one["machine"] for one in points(write) if "machine" in one}
    assert named == {
        "Mac mini M4 Pro, macOS 26.3.1 (a): published",
        "Mac Studio M1 Max, macOS 15.0.1: published",
        "Mac Studio M1 Max, macOS 15.0.1: published, a USB4 SSD (980 PRO)",
    }
    colours = [layer["encoding"].get("color", {}) for layer in write["layer"]]
    assert {tuple(sorted(one["scale"]["domain"])) for one in colours if "scale" in one} == {
        tuple(sorted(named))
    }


def test_the_caption_says_of_which_shares_there_is_an_interval(
    published_only, made_up, changed, asked
):
    def told() -> str:
        return text(encryption.chart("chart", encryption.of_macos(encryption.costs()), "Shares."))

    asked(published_only)
    assert "Filled" not in told()
    # on the external disk of one Mac there is one run of each image
    asked(made_up)
    filled = "Shares. Filled: measured on Macs. Mean of {}, with the 95 % interval across runs"
    assert filled.format("1 to 3 runs") + " (where there are three)." in told()
    asked(changed(made_up, "delete from encryption_cost where runs < 3"))
    assert filled.format("3 runs") + "." in told()


def titles() -> list[str]:
    """The titles of the charts of shares."""
    page = text(encryption.chart("chart", encryption.of_macos(encryption.costs()), "caption"))
    return [" ".join(str(spec["title"]).split()) for spec in charts(page).values()]


def test_the_title_names_the_release_and_every_format_that_it_is_about(published_only, asked):
    asked(published_only)
    # a sparse image, which keeps 5 %, and a RAW image with 100 % are of another release
    assert titles() == [
        "Writing, macOS 26.3.1 (a): sparse bundle keeps 69 %, ASIF and RAW 16 to 18 %",
        "Reading, macOS 26.3.1 (a): sparse bundle keeps 83 %, ASIF and RAW 47 %",
    ]


def test_charts_hold_ratios_of_the_database(site):
    known = {
        ratio for (ratio,) in rows(site, "select distinct round(ratio, 9) from encryption_cost")
    }
    drawn = kept(site.text("encryption.html"))
    assert drawn
    assert {round(one["ratio"], 9) for one in drawn if one["ratio"] is not None} <= known
    assert not [one for one in drawn if "portable" in one["where"]]


def test_the_layer_of_volumes_has_a_table_and_a_command_of_its_own(site):
    page = site.text("encryption.html")
    assert "<caption>Share of its speed that an encrypted volume keeps" in page
    assert "To measure this: <code>bash workflow/run.sh --config study=vm-2026 scale=gold" in page
    shown = tables(site, "encryption.html")
    images = shown["encryption-cost"].to_string()
    assert "FileVault" not in images
    assert "APFS Encrypted" not in images
    volumes = shown["encryption-volume"]
    guest = volumes[volumes["Image"].str.startswith("virtual machine")].iloc[0]
    assert guest["Write kept"] == "53 %"
    # printed in German as 1,8 and 2,2
    assert "1.8, 2.2" in set(volumes.iloc[:, 2])


def test_every_pair_stands_in_a_table_once(site, asked):
    asked(site.database)
    costs = encryption.of_macos(encryption.costs())
    shown = [
        table
        for name, table in tables(site, "encryption.html").items()
        if name.startswith("encryption-cost")
    ]
    lines = sum((table["Image"] != table["Write kept"]).sum() for table in shown)
    pairs = costs.groupby(
        ["where", "storage", "image", "phase", "protocol", "scale"], dropna=False
    ).ngroups
    assert lines == pairs
    # and what makes its statistics differ
    assert "bytes / time and the slope differ, encrypted: " in site.words("encryption.html")


def test_only_macs_that_may_be_compared_are_among_the_rows(made_up, asked):
    asked(made_up)
    rows = encryption.costs()
    measured = rows[rows["basis"] == "measured"]
    assert set(measured["host"]) == {"mac-mini-m4-pro", "mac-studio-m1-max"}
    # but for speeds that depend on the statistic, which have no share
    rest = measured[~measured["comparable"]]
    assert set(rest["why_not_comparable"]) == {("statistics-differ",)}
    assert rest["ratio"].isna().all()
    assert set(measured["driver"]) == {"apple"}


def test_the_first_sentence_is_of_one_protocol_and_says_its_runs(made_up, asked):
    asked(made_up)
    measured = text(encryption.answer(encryption.costs())).split("\n\n")[0]
    # 0.7 and 0.45 of the speed are what the made-up records keep
    assert "With AES-256, a sparse bundle keeps 70 %" in measured
    assert "45 %" in measured
    # a sparse image was measured both ways by `remounted` alone, in one run
    assert "sparse image" not in measured
    assert "macOS 27.0 (26A5300): measured, usage phases, 3 runs of 160 files)" in measured


def test_a_chart_has_one_protocol_of_a_machine(made_up, asked):
    asked(made_up)
    page = text(encryption.chart("chart", encryption.of_macos(encryption.costs()), "caption"))
    measured = [
        row
        for row in kept(page)
        if row["where"].startswith("Mac mini") and row["basis"] == "measured"
    ]
    assert {row["form"] for row in measured} == {"sparse bundle (UDSB)", "RAW (UDRW)", "ASIF"}
    assert {row["n"] for row in measured} == {"3 runs of 160 files"}
    for spec in charts(page).values():
        title = " ".join(str(spec["title"]).split())
        assert "macOS 27.0" in title
        assert "sparse image" not in title  # of which there is one run, by `remounted`
    # what the chart leaves out is in the table that is folded
    assert "remounted" in text(encryption.table(encryption.costs(), "pairs"))


@pytest.mark.parametrize(
    ("code", "why"),
    [("statistics-differ", "depends on the statistic"), ("other-night", "another night")],
)
def test_a_cost_that_has_no_share_is_listed_with_the_reason(made_up, changed, asked, code, why):
    image = "format = 'ASIF' and release like 'macos-27%' and protocol = 'usage-phases'"
    asked(
        changed(
            made_up,
            f"""
            update encryption_cost
            set comparable = false, why_not_comparable = ['{code}'], ratio = null,
                ratio_low = null, ratio_high = null
            where {image} and phase = 'fresh' and op = 'read'
            """,
        )
    )
    costs = encryption.of_macos(encryption.costs())
    shown = Tables(text(encryption.table(costs, "pairs"))).tables["table-pairs"]
    [line] = [row for row in shown if row[0].startswith("ASIF") and "not comparable" in row]
    # write kept, its speeds; read kept, its speeds; remarks
    assert "%" in line[1]
    assert line[3] == "not comparable"
    assert f"read: {why}" in line[5]
