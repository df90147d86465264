"""The articles' figures, and errors in their files, which are refused."""

import shutil

import pytest

from console import StudyError
from database import published
from database.published.vocabulary import RULES

MINI = "mac-mini-m4-pro"


@pytest.fixture
def copy(folders, tmp_path):
    """A copy of the project's CSV files."""
    return shutil.copytree(folders.published, tmp_path / "published")


# of each article: what is asked, and the figures
FIGURES = [
    (
        """host, format, encryption, phase, read_gbps, write_gbps from published_speed
        where article = 'encryption-2026' and macos = '26.3.1 (a)' and scale = 'gold'
        order by table_order""",
        [
            (MINI, "UDSB", "none", "fresh", 6.13, 7.62),
            (MINI, "UDSB", "none", "partly-filled", 6.12, 8.03),
            (MINI, "UDSB", "none", "emptied", 6.19, 7.79),
            (MINI, "UDSB", "AES-256", "fresh", 5.09, 5.23),
            (MINI, "UDRW", "none", "fresh", 6.09, 10.11),
            (MINI, "UDRW", "none", "partly-filled", 6.10, 9.86),
            (MINI, "UDRW", "none", "emptied", 6.08, 10.11),
            (MINI, "UDRW", "AES-256", "fresh", 2.84, 1.58),
            (MINI, "ASIF", "none", "fresh", 5.99, 9.55),
            (MINI, "ASIF", "none", "partly-filled", 5.88, 8.93),
            (MINI, "ASIF", "none", "emptied", 5.85, 9.64),
            (MINI, "ASIF", "AES-256", "fresh", 2.82, 1.72),
            ("macbook-pro-m3-pro", "ASIF", "AES-256", "fresh", 2.63, 1.52),
        ],
    ),
    (
        """format, macos, read_gbps, write_gbps from published_speed
        where article = 'encryption-2026' and scale <> 'gold'
            and (read_gbps is not null or write_gbps is not null)
        order by table_order""",
        [
            ("ASIF", "26.3.1 (a)", 3.32, 1.65),
            ("ASIF", "26.3.1 (a)", 2.92, 1.15),
            ("UDRW", "26.0", None, 4.3),
            ("ASIF", "26.0", None, 3.9),
            ("native", "26.3.1 (a)", None, 7.66),
            ("UDSP", "unstated", 0.5, 0.1),
            ("native", "unstated", 4.7, 4.9),
        ],
    ),
    (
        """format, encryption, macos, read_gbps, write_gbps, second_hand
        from published_speed where article = 'vm-2026' order by table_order""",
        [
            ("native", "FileVault", "26.4", 6.57, 7.66, False),
            ("VM", "none", "26.4", 6.62, 5.91, False),
            ("VM", "FileVault", "26.4", 4.66, 3.11, False),
            ("UDRW", "AES-256", "26.4", 2.82, 1.59, False),
            ("ASIF", "AES-256", "26.4", 2.85, 1.76, False),
            ("VM", "none", "12", 4.4, 0.7, True),
            ("VM", "none", "13", 5.4, 0.7, True),
        ],
    ),
    (
        """format, state, value, unit, value_bytes from published_size
        where article = 'encryption-2026' and quantity = 'on-disk' order by table_order""",
        [
            ("UDSB", "new", 32, "MB", 32_000_000),
            ("UDSB", "emptied-again", 3.99, "GB", 3_990_000_000),
            ("UDRW", "new", 5.78, "MB", 5_780_000),
            ("UDRW", "emptied-again", 621, "MB", 621_000_000),
            ("ASIF", "new", 26.8, "MB", 26_800_000),
            ("ASIF", "emptied-again", 954, "MB", 954_000_000),
        ],
    ),
    (
        """state, value, as_printed from published_size
        where article = 'bands-2024' and quantity = 'bands' order by table_order""",
        [("churned", 12408, "12,408"), ("emptied", 135, "135")],
    ),
    # the conclusions that are our own readings
    (
        "article, number from conclusion where ours order by all",
        [("bands-2024", 9), *(("encryption-2026", number) for number in (3, 4, 13, 14))],
    ),
    # the formats of both lists agree
    (
        """count(*), count(other.format), count(*) filter (where other.description <> listed.description)
        from published_format as listed
        left join published_format as other on other.format = listed.format and other.article = 'repair-2026'
        where listed.article = 'explainer-2026'""",
        [(17, 11, 0)],
    ),
    (
        """format, coalesce(since, sparse_since) from published_format
        where article = 'explainer-2026' and coalesce(since, sparse_since) is not null order by all""",
        [
            ("ASIF", "macOS 15"),
            ("UDRW", "macOS 12"),
            ("UDSB", "Mac OS X 10.5"),
            ("ULFO", "OS X 10.11"),
            ("ULMO", "macOS 10.15"),
        ],
    ),
    # rows beside ours have their table and its number
    (
        """distinct table_name, table_number from article_table
        where article in ('encryption-2026', 'vm-2026') and format <> 'VM' and table_name in ('three-tests', 'results')
        order by all""",
        [("results", 1), ("three-tests", 1)],
    ),
    # every table has its rows
    (
        """article, table_name, count(*)
        from (from published_speed union all by name from published_size)
        where table_name is not null group by all order by all""",
        [
            ("bands-2024", "states", 16),
            ("bands-2024", "steps", 23),
            ("encryption-2026", "test-2-summary", 6),
            ("encryption-2026", "three-tests", 12),
            ("performance-2024", "diskimages13", 1),
            ("performance-2024", "xferdiskimage24", 14),
            ("slow-writes-2022", "diskimage00", 5),
            ("vm-2026", "results", 5),
        ],
    ),
    # five rounds of writing, and four of deleting: what is left follows from it
    (
        """quantity, list(value::int order by table_order) from published_size
        where article = 'bands-2024' and table_name = 'steps' and unit = 'files' group by all order by all""",
        [
            ("files", [160] * 5),
            ("files-deleted", [40] * 4),
            ("files-left", [120, 240, 360, 480, 640]),
        ],
    ),
    # each direction has its own kind of number, and its own quote
    (
        """op, gbps, gbps_to, kind, as_printed from known_speed
        where article = 'performance-2024' and table_order = 7 order by op""",
        [("read", 0.08, 0.5, "range", "0.08 to 0.5"), ("write", 0.1, None, "exact", "0.1")],
    ),
    (
        """op, quote from article_table
        where article = 'performance-2024' and table_order = 7 order by op""",
        [("read", "0.08 to 0.5 GB/s"), ("write", "0.1 GB/s")],
    ),
    (
        """op, quote from article_table
        where article = 'performance-2024' and table_order = 5 order by op""",
        [("read", "about 1 GB/s"), ("write", "about 1 GB/s")],
    ),
    # speeds of other publications: read in their opening, or second-hand
    (
        """origin, op, gbps, kind, as_printed, second_hand from known_speed
        where origin in ('P13', 'P27') and table_order < 3 and basis = 'published' order by all""",
        [
            ("P13", "write", 7.3, "exact", "7.3", False),
            ("P13", "write", 7.3, "exact", "7.3", False),
            ("P27", "read", 4.8, "exact", "4.8", True),
            ("P27", "read", 5.8, "exact", "5.8", True),
            ("P27", "write", 4.6, "exact", "4.6", True),
            ("P27", "write", 6.6, "exact", "6.6", True),
        ],
    ),
]


@pytest.mark.parametrize(("asked", "figures"), FIGURES)
def test_the_figures_of_an_article_are_those_that_it_states(example, asked, figures):
    assert example.execute(f"select {asked}").fetchall() == figures


def test_the_rules_that_a_conclusion_may_name_are_those_of_the_table(example):
    found = example.execute("select rule from verdict_rule where supported_to is not null")
    assert {rule for (rule,) in found.fetchall()} == RULES


@pytest.mark.parametrize(
    ("name", "old", "new", "complaint"),
    [
        ("speeds.csv", "encryption,phase", "encription,phase", "unknown column 'encription'"),
        ("speeds.csv", ",UDSB,", ",UDSX,", "line 3: format: 'UDSX' is none of ASIF"),
        ("speeds.csv", "encryption-2026,1,", "encryption-2027,1,", "vm-2026, which articles.csv lists"),
        # where to add a word that is right
        ("speeds.csv", ",mac-mini-m4-pro,", ",mac-mini,", "unstated, which workflow/config/vocabulary.yaml lists"),
        ("speeds.csv", ",as-created,", ",waited,", "usage-phases, which workflow/config/protocols lists"),
        ("figures.csv", ",32,,GB,", ",32,,GiB,", "which workflow/scripts/database/published/vocabulary.py lists"),
        ("speeds.csv", ",6.13,", ",6.31,", "read_gbps: '6.31' is not 6.13 GB/s"),
        ("speeds.csv", ",0.057,", ",57,", "write_gbps: '57' is not 57 MB/s"),
        ("speeds.csv", ",6.13,7.62,GB/s,", ",6.13,7.62,GB,", "has the unit 'GB', which is none of GB/s, MB/s"),
        ("speeds.csv", "6.13, 6.12", "6.31, 6.12", "'6.13' does not stand in the quote"),
        ("speeds.csv", ",6.13,7.62,GB/s,exact,", ",6.13,7.62,GB/s,range,", "does not fit '6.13' of kind 'range'"),
        ("speeds.csv", ",6.13,7.62,GB/s,", ",6 to 13,7.62,GB/s,", "does not fit '6 to 13' of kind 'exact'"),
        ("speeds.csv", ",6.13,7.62,GB/s,exact,,false,,", ",6.13,7.62,GB/s,exact,,false,needless,", "reason: 'needless' must say why"),
        # neither direction, and one of a table
        ("speeds.csv", '"the table is a picture, and the text does not state this number"', "", "line 2: reason: '' must say why"),
        ("speeds.csv", '"the table is a picture; for reading, the text says “almost as fast as from the SSD”"', "", "reason: '' must say why"),
        ("speeds.csv", ",6.13,,", ",fast,,", "'fast' is no number"),
        ("speeds.csv", ",6.13,,", ",-6.13,,", "'-6.13' is not a size or speed"),
        ("speeds.csv", ",6.13,,", ",6.13,,,", "has more or fewer fields than the header"),
        ("speeds.csv", "encryption,phase", "encryption,encryption", "'encryption' is needed once"),
        ("speeds.csv", "encryption-2026,2,", "encryption-2026,1,", "is there twice"),
        ("sizes.csv", "bands-2024,2,", "bands-2024,two,", "table_order: 'two' is not a number"),
        ("sizes.csv", ",32,MB,32,", ",33,MB,32,", "value: '33' is not 32"),
        ("sizes.csv", ",and 2 GB,", ",2 MB,", "does not stand in the quote with its unit"),
        ("speeds.csv", ",diskimage00,", ",diskimage01,", "table_name: 'diskimage01' is not in"),
        ("tables.csv", ",performance-2024/", ",performance-2025/", "is not a table of an article"),
        ("figures.csv", ",0.5,,times,", ",0.6,,times,", "value: '0.6' is not half"),
        ("figures.csv", ",0.020,3.1,", ",20,3.1,", "value: '20' is not 20 MB/s"),
        ("figures.csv", ",of 45,", ",of 46,", "'45' does not stand in the quote"),
        ("figures.csv", ",GB,32,exact,", ",GB,32,range,", "does not fit '32' of kind 'range'"),
        ("figures.csv", ",20 MB/s to 3.1 GB/s,range,", ",20 MB/s to 3.1 GB/s,exact,", "does not fit '20 MB/s to 3.1 GB/s' of kind 'exact'"),
        ("figures.csv", ",GB,32,", ",GB,32 GB,", "has a unit in '32 GB', which only speeds in GB/s may"),
        ("elsewhere.csv", ",2.8,2.2,", ",2.9,2.2,", "read_gbps: '2.9' is not 2,8 GB/s"),
        ("elsewhere.csv", ",334,,MB,334", ",334,,,334", "unit: '' is required where value is given"),
        ("formats.csv", ",OS X 10.11,", ",OS X 10.12,", "'OS X 10.12' does not stand in the quote"),
        ("conclusions.csv", ",almost as fast as from the SSD,", ",,", "quote: '' has 0 words, not 1 to 12"),
        ("conclusions.csv", ",almost as fast as from the SSD,", f",{'a ' * 13},", "has 13 words, not 1 to 12"),
        ("conclusions.csv", "vm-2026,1,", "vm-2026,2,", "'vm-2026 2' is there twice"),
        ("conclusions.csv", "UDSB AES-256 / UDSB", "UDSX AES-256 / UDSB", "has 'UDSX AES-256', which is not a cell"),
        ("conclusions.csv", ",much more,", ",very much more,", "rule: 'very much more' is none of"),
        ("conclusions.csv", ",0.2,less than,", ",0,less than,", "stated: '0' is not above 0"),
        ("articles.csv", "2026-03-23", "2026-03-32", "published_on: '2026-03-32' is not a day"),
        ("articles.csv", "https://", "gopher://", "is not a web address"),
    ],
)  # fmt: skip
def test_a_slip_in_a_file_is_refused_with_its_line(copy, name, old, new, complaint):
    text = (copy / name).read_text(encoding="utf-8")
    assert old in text
    (copy / name).write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(StudyError) as error:
        published.read(copy)
    assert error.value.code == 2
    assert name in error.value.line
    assert complaint in error.value.line
    assert "\n" not in error.value.line


def test_a_missing_file_is_refused_by_name(copy):
    (copy / "sizes.csv").unlink()
    with pytest.raises(StudyError, match=r"sizes\.csv cannot be read") as error:
        published.read(copy)
    assert error.value.code == 2
