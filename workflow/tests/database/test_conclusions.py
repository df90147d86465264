"""What the figures say of the articles' conclusions."""

import dataclasses
import re
import shutil

import duckdb
import made_up
import pytest

from console import StudyError
from database.build import build

MINI = {"host": "mac-mini-m4-pro", "release": "macos-26.4-25E246"}
STUDIO = {"host": "mac-studio-m1-max", "release": "macos-15.6-24G84"}
ANSWER = """
    select basis, host, outcome, detail from conclusion_evidence
    where article = ? and number = ? order by basis desc, host, release
"""


def measured(folders, form, write, read=6.0, encryption="none", **cell):
    """A measured image, or the disk itself."""
    driver = "native" if form in ("native", "VM") else "apple"
    made = made_up.record(
        made_up.noisy(write, read, spread=0.001),
        **({"format": form, "encryption": encryption, "driver": driver} | MINI | cell),
    )
    made_up.save(made, folders.runs)
    return made


def encrypted(folders, **speeds):
    """Encrypted images of these write speeds; each reads as fast as it writes."""
    cell = speeds.pop("cell", {})
    for form, speed in speeds.items():
        measured(folders, form, speed, speed, "AES-256", **cell)


def outcomes(query, article, number):
    return [row[2] for row in query(ANSWER, article, number) if row[0] == "measured"]


def test_each_conclusion_has_a_query_or_no_figure_decides_it_and_each_an_answer(query_built):
    without = query_built(
        "select distinct published_gap, measured_gap from conclusion where sql is null"
    )
    assert without == [("no figure decides this", None)]
    asked = query_built("select distinct published_gap from conclusion where sql is not null")
    assert without[0][0] not in {reason for (reason,) in asked}
    silent = query_built(
        """
        select article, number from conclusion
        where (article, number) not in (select article, number from conclusion_evidence where basis = 'published')
        """
    )
    assert silent == []
    assert query_built("select count(distinct article) from conclusion") == [(7,)]


def test_when_nothing_was_measured_each_conclusion_that_figures_decide_says_so(query):
    found = query(
        """
        select distinct article, number, host, release, outcome from conclusion_evidence
        where basis = 'measured'
        """
    )
    assert len(found) > 50
    assert {row[2:] for row in found} == {(None, None, "not measured yet")}
    commands = query("select distinct detail from conclusion_evidence where basis = 'measured'")
    assert all(
        re.fullmatch(
            r"bash workflow/run\.sh --config study=[a-z-]+-20\d\d scale=(gold|half)|no command of .*",
            detail,
        )
        for (detail,) in commands
    )


def test_what_no_figure_decides_says_only_that(query):
    found = query(ANSWER, "repair-2026", 1)
    assert found == [("published", None, "undecided", "no figure decides this")]


def test_each_query_runs_as_it_stands_on_the_finished_database(folders, query_built):
    encrypted(folders, UDSB=5.0, UDRW=1.5, ASIF=1.6)
    queries = query_built("select article, number, sql from conclusion where sql is not null")
    assert len(queries) > 50
    for article, number, sql in queries:
        assert not re.search(r"\b(stg_|raw_|temp|json)", sql), (article, number)
        kept = query_built(
            """select basis, host, release, outcome, detail from conclusion_evidence
            where article = ? and number = ?""",
            article,
            number,
        )
        assert sorted(map(str, query_built(sql))) == sorted(map(str, kept)), (article, number)


@pytest.mark.parametrize(
    ("article", "number", "outcome", "figures"),
    [
        # encrypted, a sparse bundle is the fastest of the three
        ("encryption-2026", 13, "supported", "write: UDSB 5.23, UDRW 1.58, ASIF 1.72 GB/s"),
        # unencrypted it is not: 7.62 against 10.11
        ("encryption-2026", 2, "contradicted", "unencrypted write: UDSB 7.62, UDRW 10.11"),
        # 1.72 / 1.58 is 1.09
        ("encryption-2026", 5, "supported", "encrypted ASIF read 2.82, write 1.72"),
        # 9.64 / 8.93 is 1.08
        ("encryption-2026", 3, "supported", "ASIF read 1.02, write 1.08"),
        ("encryption-2026", 14, "supported", "UDSB 3.99, UDRW 0.62, ASIF 0.95 GB"),
        ("vm-2026", 5, "supported", "write: 3.11, 1.59, 1.76 GB/s"),
        # 5.91 / 0.7 is 8.4
        ("vm-2026", 2, "supported", "5.91 GB/s, 8.4 times the 0.7"),
        # 3.11 / 5.91 is 0.53, 4.66 / 6.62 is 0.70
        ("vm-2026", 3, "supported", "with it: read 4.66, write 3.11"),
        ("bands-2024", 4, "supported", "0.052 of 1.12 GB"),
        # of the four speeds of a sparse bundle the text states one
        ("performance-2024", 10, "undecided", "encrypted read not stated, write 3.20"),
        (
            "performance-2024",
            3,
            "supported",
            "UDRW writes at 1.00 GB/s, plain and encrypted, on 2 disks",
        ),
        ("performance-2024", 7, "supported", "encrypted at 3.20; the read speeds are not known"),
        ("performance-2024", 5, "supported", "write 4.50; encrypted UDSP: write 0.10"),
        ("slow-writes-2022", 10, "supported", "57 MB/s"),
        ("vm-2026", 8, "undecided", "UDSP none 12.4 to 15.0.1: 0.90 to 2.00 GB/s"),
    ],
)
def test_the_articles_own_figures_are_asked_first(query, article, number, outcome, figures):
    [published, *_] = query(ANSWER, article, number)
    assert (published[0], published[2]) == ("published", outcome)
    assert figures in published[3]


@pytest.mark.parametrize(
    ("udsb", "outcome"),
    [(1.7, "supported"), (1.55, "undecided"), (1.5, "undecided"), (1.3, "contradicted")],
)
def test_a_difference_below_ten_per_cent_decides_nothing(folders, query, udsb, outcome):
    # encrypted, the sparse bundle is the fastest: against 1.5 GB/s
    encrypted(folders, UDSB=udsb, UDRW=1.5, ASIF=1.4)
    [(_, host, found, detail)] = [
        row for row in query(ANSWER, "encryption-2026", 13) if row[0] == "measured"
    ]
    assert (host, found) == ("mac-mini-m4-pro", outcome)
    assert f"write: UDSB {udsb:.2f}, UDRW 1.50, ASIF 1.40 GB/s" in detail
    assert "(usage-phases, gold, internal)" in detail


def test_each_host_and_release_answers_for_itself(folders, query):
    encrypted(folders, UDSB=5.0, UDRW=1.5, ASIF=1.6)
    encrypted(folders, UDSB=1.0, UDRW=1.5, ASIF=1.6, cell={"release": "macos-27.0-26A100"})
    encrypted(folders, UDSB=5.0, UDRW=1.5, ASIF=1.6, cell={"host": "made-up-mac"})
    found = query(
        """select host, release, outcome from conclusion_evidence
        where article = 'encryption-2026' and number = 13 and basis = 'measured' order by all"""
    )
    assert found == [
        ("mac-mini-m4-pro", "macos-26.4-25E246", "supported"),
        ("mac-mini-m4-pro", "macos-27.0-26A100", "contradicted"),
        ("made-up-mac", "macos-26.4-25E246", "supported"),
    ]


def test_cells_of_two_setups_are_not_compared(folders, query):
    encrypted(folders, UDSB=5.0)
    encrypted(folders, UDRW=1.5, ASIF=1.6, cell={"protocol": "remounted"})
    assert outcomes(query, "encryption-2026", 13) == ["not measured yet"]


def test_of_two_setups_that_of_the_article_answers(folders, query):
    encrypted(folders, UDSB=1.0, UDRW=1.5, ASIF=1.6, cell={"protocol": "as-created"})
    encrypted(folders, UDSB=5.0, UDRW=1.5, ASIF=1.6)
    assert outcomes(query, "encryption-2026", 13) == ["supported"]


def test_of_repeats_the_median_answers(folders, query):
    encrypted(folders, UDSB=1.0, UDRW=1.5, ASIF=1.6)
    for repeat, speed in ((2, 5.0), (3, 6.0)):
        encrypted(folders, UDSB=speed, cell={"repeat": repeat})
    [row] = [row for row in query(ANSWER, "encryption-2026", 13) if row[0] == "measured"]
    assert "write: UDSB 5.00" in row[3]


@pytest.mark.parametrize("cell", [{"scale": "smoke"}, {"driver": "portable"}])
def test_what_is_not_comparable_is_no_evidence(folders, query, cell):
    encrypted(folders, UDSB=5.0, UDRW=1.5, ASIF=1.6, cell=cell)
    found = query("select distinct host, outcome from conclusion_evidence where basis = 'measured'")
    assert found == [(None, "not measured yet")]
    assert query("select count(*) from speed_pair where basis = 'measured'") == [(0,)]


def test_what_stood_in_for_macos_is_no_evidence(folders, query):
    for form in ("UDSB", "UDRW", "ASIF"):
        made = made_up.record(format=form, driver="apple", encryption="AES-256", **MINI)
        made_up.save(made_up.stand_in(made), folders.runs)
    assert outcomes(query, "encryption-2026", 13) == ["not measured yet"]


@pytest.mark.parametrize(
    ("chip", "found"),
    [("Apple M4 Pro (Virtual)", ["supported"]), ("Apple M2 (Virtual)", ["not measured yet"])],
)
def test_a_guest_answers_beside_the_mac_of_its_chip(folders, query, chip, found):
    for form, speed in (("UDRW", 1.6), ("ASIF", 1.7)):
        made = measured(folders, form, speed, 2.8, "AES-256")
        made["host"]["chip"] = "Apple M4 Pro"
        made_up.save(made_up.signed(made), folders.runs)
    guest = measured(
        folders, "VM", 3.1, 4.7, "FileVault", host="guest", protocol="restart", scale="half"
    )
    guest["host"] |= {"chip": chip, "virtual_machine": True}
    made_up.save(made_up.signed(guest), folders.runs)
    assert outcomes(query, "vm-2026", 5) == found


def test_phases_that_differ_contradict_that_speed_stays_the_same(folders, query):
    for form in ("UDSB", "UDRW"):
        for phase, speed in (("fresh", 5.0), ("partly-filled", 4.9), ("emptied", 4.8)):
            measured(folders, form, speed, phase=phase)
    assert outcomes(query, "encryption-2026", 3) == ["supported"]


def test_one_slower_phase_of_one_format_is_enough(folders, query):
    for phase, speed in (("fresh", 5.0), ("partly-filled", 4.9), ("emptied", 4.0)):
        measured(folders, "UDSB", speed, phase=phase)
        measured(folders, "UDRW", 5.0, phase=phase)
    [row] = [row for row in query(ANSWER, "encryption-2026", 3) if row[0] == "measured"]
    # 5.0 / 4.0
    assert (row[2], "UDSB read 1.00, write 1.25" in row[3]) == ("contradicted", True)


@pytest.mark.parametrize(
    ("after", "outcome"),
    [(1_100_000_000, "supported"), (900_000_000, "contradicted"), (1_200_000_000, "supported")],
)
def test_little_given_back_by_compaction_is_a_tenth_at_most(folders, query, after, outcome):
    made = made_up.record(format="UDSB", driver="apple", protocol="churn", **STUDIO)
    sizes = [("emptied", 1_120_000_000, 135, None), ("compacted", after, 135, None)]
    made_up.save(made_up.sized(made, *sizes), folders.runs)
    assert outcomes(query, "bands-2024", 4) == [outcome]


@pytest.mark.parametrize("number", [4, 8])
def test_what_compaction_gave_back_is_of_the_mac_that_the_article_names(query, number):
    found = query(
        """select host, release from conclusion_evidence
        where article = 'bands-2024' and number = ? and basis = 'published'""",
        number,
    )
    assert found == [("mac-studio-m1-max", "15.0.1")]


@pytest.mark.parametrize(
    ("kept", "outcome"),
    [(1.0, "supported"), (1.2, "contradicted"), (None, "undecided")],
)
def test_the_fastest_image_is_also_asked_what_it_keeps_of_the_disk(folders, query, kept, outcome):
    for form, speed in (("UDSB", 7.0), ("UDRW", 1.0)):
        measured(folders, form, speed)
        if kept:
            made = made_up.record(format=form, driver="apple", phase="emptied", **MINI)
            taken = int(1_000_000_000 * (kept if form == "UDSB" else 1))
            sized = made_up.sized(made, ("emptied-again", taken, None, None))
            made_up.save(sized, folders.runs)
    assert outcomes(query, "explainer-2026", 4) == [outcome]


def test_a_change_of_two_formats_is_not_judged_by_one(folders, query):
    for release, speed in (("macos-26.0-25A354", 4.0), ("macos-26.3.1-25D2128", 1.6)):
        encrypted(folders, UDRW=speed, cell={"release": release})
    assert outcomes(query, "encryption-2026", 7) == ["not measured yet"]


@pytest.mark.parametrize(("last", "outcome"), [(3.0, "supported"), (2.5, "contradicted")])
def test_rounds_of_writing_stay_the_same_within_ten_per_cent(folders, query, last, outcome):
    made = made_up.record(format="UDSB", driver="apple", protocol="churn", **STUDIO)
    made_up.save(made_up.rounds(made, 3.2, 3.1, last), folders.runs)
    assert outcomes(query, "bands-2024", 5) == [outcome]


@pytest.mark.parametrize(("other", "outcome"), [(5.2, "supported"), (6.0, "contradicted")])
def test_other_bands_have_an_advantage_when_they_are_faster(folders, query, other, outcome):
    measured(folders, "UDSB", 5.0)
    measured(folders, "UDSB", other, band_bytes=1_048_576)
    assert outcomes(query, "bands-2024", 2) == [outcome]
    assert outcomes(query, "bands-2024", 6) == [outcome]


@pytest.mark.parametrize(("later", "outcome"), [(1.6, "supported"), (3.0, "contradicted")])
def test_releases_are_compared_by_the_rule_of_release_change(folders, query, later, outcome):
    for release, speed in (("macos-26.3.1-25D2128", 1.6), ("macos-26.4-25E246", later)):
        encrypted(folders, UDRW=speed, ASIF=speed, cell={"release": release})
    [row] = [row for row in query(ANSWER, "vm-2026", 4) if row[0] == "measured"]
    assert row[2] == outcome
    assert f"UDRW write: 1.60 to {later:.2f} GB/s" in row[3]


GOOD = "select 'measured' as basis, null as host, null as release, 'undecided' as outcome, 'why' as detail"


@pytest.mark.parametrize(
    ("name", "sql", "complaint"),
    [
        ("vm-2026-06", "select 1 as one", "answers one, not basis, host, release, outcome, detail"),
        ("vm-2026-06", GOOD.replace("undecided", "true"), "has outcome 'true', none of supported"),
        ("vm-2026-06", GOOD.replace("measured", "ours"), "has basis 'ours'"),
        ("vm-2026-06", GOOD.replace("'why'", "null"), "has a row without detail"),
        ("vm-2026-06", "select * from nowhere", "failed (Catalog Error"),
        ("vm-2026-06", "select from from", "failed (Parser Error"),
        ("vm-2026-06", f"{GOOD}; {GOOD}", "is not one query"),
        ("vm-2026-06", "create table other as select 1", "is not one query"),
        ("vm-2026-99", GOOD, "belongs to no conclusion"),
        ("vm-2026-six", GOOD, "belongs to no conclusion"),
    ],
)
def test_a_query_that_cannot_answer_ends_the_build_with_its_name(
    folders, tmp_path, name, sql, complaint
):
    copy = tmp_path / "sql"
    shutil.copytree(folders.sql, copy)
    (copy / "conclusions" / f"{name}.sql").write_text(sql, encoding="utf-8")
    with pytest.raises(StudyError) as error:
        build(dataclasses.replace(folders, sql=copy))
    assert f"conclusions/{name}.sql {complaint}" in str(error.value)
    assert "\n" not in str(error.value)
    assert not folders.database.exists()


def test_a_good_query_in_its_place_is_answered(folders, tmp_path):
    copy = tmp_path / "sql"
    shutil.copytree(folders.sql, copy)
    (copy / "conclusions" / "vm-2026-06.sql").write_text(GOOD, encoding="utf-8")
    build(dataclasses.replace(folders, sql=copy))
    with duckdb.connect(str(folders.database), read_only=True) as connection:
        found = connection.execute(ANSWER, ["vm-2026", 6]).fetchall()
    assert found == [
        ("published", None, "undecided", "no figure decides this"),
        ("measured", None, "undecided", "why"),
    ]


def test_where_a_query_has_no_row_the_conclusions_own_words_stand(folders, tmp_path):
    copy = tmp_path / "sql"
    shutil.copytree(folders.sql, copy)
    (copy / "conclusions" / "vm-2026-05.sql").write_text(f"{GOOD} limit 0", encoding="utf-8")
    build(dataclasses.replace(folders, sql=copy))
    with duckdb.connect(str(folders.database), read_only=True) as connection:
        found = connection.execute(ANSWER, ["vm-2026", 5]).fetchall()
    assert found == [
        ("published", None, "undecided", "the article states no figures that decide it"),
        (
            "measured",
            None,
            "not measured yet",
            "bash workflow/run.sh --config study=vm-2026 scale=half",
        ),
    ]
