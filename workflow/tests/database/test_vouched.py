"""Every verdict names who vouches for its records."""

import made_up

import voucher

MAC = "mac-mini-m4-pro"
# what the file of a release says, or leads to, and who vouches for its records
LABELS = [
    (None, "own"),
    ("community\n", "community"),
    ("hosted runner\n", "hosted runner"),
    ("own\n", "community"),
    ("\x1b[2J", "community"),
]
SYNTHETIC = {"host": {"model": "synthetic Mac16,11"}}
LINKS = ("nowhere", "/dev/null", voucher.FILE, ".")


def test_a_row_names_who_vouches_for_its_records_and_whether_they_are_synthetic(folders, query):
    expected = []
    for number, (label, by) in enumerate([*LABELS, *((link, "community") for link in LINKS)]):
        release = f"macos-26.3.1-25D{number}"
        parts = SYNTHETIC if number == 0 else {}
        made = made_up.record(None, parts, host=MAC, release=release, driver="apple", format="UDSB")
        made = made_up.sized(made, ("new", 32_000_000, 4, None))
        made_up.save(made, folders.runs)
        file = folders.runs / MAC / release / voucher.FILE
        if label in LINKS:
            file.symlink_to(label)
        elif label:
            file.write_text(label)
        expected.append((release, by, number == 0))
    for release, tables in (
        ("release", ("host", "comparable_speed", "comparable_size")),
        ("measured_release", ("article_table", "article_size_table")),
    ):
        for table in tables:
            found = f"select distinct {release}, vouched_by, made_up from {table}"
            assert query(f"{found} where {release} is not null order by all") == expected, table


def test_a_change_between_two_releases_names_all_who_vouch_for_its_records(folders, save, query):
    pairs = {
        ("own", "own"): "own",
        ("community", "community"): "community",
        ("own", "community"): "community and own",
        ("hosted runner", "community"): "community and hosted runner",
    }
    for number, words in enumerate(pairs):
        for release, word in zip(("macos-26.4-25E246", "macos-26.5-25F71"), words, strict=True):
            save(host=f"mac-{number}", release=release, scale="tenth")
            if word != "own":
                voucher.write(folders.runs, f"mac-{number}", release, word)
    found = query("select distinct host, vouched_by, why_not_comparable from release_change order by all")  # fmt: skip
    # two people's Macs of one kind have one slug
    assert found == [
        (f"mac-{number}", by, ["other-machine"] if " and " in by else None)
        for number, by in enumerate(pairs.values())
    ]
