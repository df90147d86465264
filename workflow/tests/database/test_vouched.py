"""Every verdict names who vouches for its records."""

import made_up
import pytest

import voucher

MAC, RELEASE = "mac-mini-m4-pro", "macos-26.3.1-25D2128"
COMPARED = "select distinct vouched_by from {} where measured_host is not null"


@pytest.fixture
def measured(folders):
    """One image of a Mac of the articles, whose records somebody may have sent."""
    made = made_up.served(made_up.record(host=MAC, release=RELEASE, driver="apple", format="UDSB"))
    made = made_up.sized(made, ("filled", 64_300_000_000, 7_666, None))
    return made_up.save(made, folders.runs)


@pytest.mark.parametrize(
    ("told", "by"),
    [
        (None, "own"),
        ("community\n", "community"),
        ("hosted runner\n", "hosted runner"),
        ("own\n", "community"),
        ("\x1b[2J", "community"),
    ],
)
def test_the_label_of_a_release_names_who_vouches_for_its_records(
    folders, query, measured, told, by
):
    if told is not None:
        (folders.runs / MAC / RELEASE / voucher.FILE).write_text(told)
    # another release of the same Mac
    made_up.save(made_up.record(host=MAC, release="macos-26.4-25E246"), folders.runs)
    assert query("select vouched_by from host order by release") == [(by,), ("own",)]
    for table in ("article_table", "article_size_table"):
        found = query(f"{COMPARED.format(table)} and measured_release = '{RELEASE}'")
        assert found == [(by,)], table


@pytest.mark.parametrize("leads_to", ["nowhere", "/dev/null", "vouched-by", "."])
def test_a_link_in_the_place_of_the_file_makes_no_record_our_own(
    folders, query, measured, leads_to
):
    (folders.runs / MAC / RELEASE / voucher.FILE).symlink_to(leads_to)
    assert query("select vouched_by from host") == [("community",)]


@pytest.mark.parametrize(
    ("earlier", "later", "by"),
    [
        ("own", "own", "own"),
        ("community", "community", "community"),
        ("own", "community", "community and own"),
        ("hosted runner", "community", "community and hosted runner"),
    ],
)
def test_a_change_between_two_releases_names_all_who_vouch_for_its_records(
    folders, query, earlier, later, by
):
    for release, word in (("macos-26.4-25E246", earlier), ("macos-26.5-25F71", later)):
        made_up.save(made_up.record(host=MAC, release=release), folders.runs)
        if word != "own":
            voucher.write(folders.runs, MAC, release, word)
    assert query("select distinct vouched_by from release_change") == [(by,)]


def test_comparable_rows_name_who_vouches_for_them(folders, query, measured):
    voucher.write(folders.runs, MAC, RELEASE, voucher.COMMUNITY)
    for view in ("comparable_speed", "comparable_size"):
        assert query(f"select distinct vouched_by from {view}") == [("community",)], view
