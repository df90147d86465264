"""Lists in several files that must agree, which no compiler compares.

The recipes of core/ARCHITECTURE.md and .github/CONTRIBUTING.md name these files. A message of a test says which name is
missing and where to add it.
"""

import re
from pathlib import Path

import pytest
import yaml

from probe import lines
from probe.probes import machine
from study import config

PROJECT = Path(__file__).resolve().parents[3]
CORE = "core/diskbench-core"
CAPABILITIES = f"{CORE}/src/image/apple/capabilities.rs"
CELL = "workflow/schemas/cell.schema.json"
FORMATS = "core/diskimage/src/lib.rs"
HOST_TABLE = "workflow/sql/marts/26_host.sql"
PROTOCOLS = "reports/lib/protocols.py"
STAND_IN = "core/doubles/examples/stand_in"
VOCABULARY = "workflow/config/vocabulary.yaml"
# a Mac may lack these: it is no virtual machine then, and has no Rosetta
MAY_LACK = {"kern.hv_vmm_present", "sysctl.proc_translated"}


def text(path: str) -> str:
    return (PROJECT / path).read_text(encoding="utf-8")


def document(path: str) -> dict:
    return yaml.safe_load(text(path))


def found(path: str, pattern: str) -> set[str]:
    """Every match of a pattern's group in a file; at least one."""
    matches = set(re.findall(pattern, text(path)))
    assert matches, f"{path} has nothing like {pattern}: correct this test"
    return matches


def agree(where: str, listed: set[str], source: str, expected: set[str]) -> None:
    """Fails with what to do unless a list has what its source has."""
    missing, unknown = sorted(expected - listed), sorted(listed - expected)
    assert not missing, f"add {missing} to {where}: {source} has them"
    assert not unknown, f"remove {unknown} from {where}, or add them to {source}"


def steps() -> dict[str, set[str]]:
    """The keys of each step of a cell, by its name."""
    kinds = document(CELL)["$defs"]["Step"]["oneOf"]
    return {
        kind["properties"]["step"]["const"]: set(kind["properties"]) - {"step"} for kind in kinds
    }


def formats() -> set[str]:
    """The formats that a cell may have."""
    return {kind["const"] for kind in document(CELL)["$defs"]["Format"]["oneOf"]}


def image_formats() -> set[str]:
    """Those of disk images, which the core implements."""
    return found(FORMATS, r'= "(\w+)" in \w+::ROW')


def newest() -> int:
    """The newest macOS that the stand-in imitates."""
    return max(map(int, found(f"{STAND_IN}/release.rs", r'\("(\d+)[\d.]*", "\w+"\),')))


def test_protocols_may_have_every_step_of_a_cell():
    kinds = document("workflow/schemas/protocol.schema.json")["$defs"]["step"]["oneOf"]
    names = [kind["properties"]["step"] for kind in kinds]
    listed = {name for one in names for name in one.get("enum", [one.get("const")])}
    agree("workflow/schemas/protocol.schema.json", listed, CELL, set(steps()))


def test_pages_have_words_for_every_step():
    cases = found(PROTOCOLS, r'case {"step": "(\w+)"')
    plain = found(PROTOCOLS, r'(?m)^    "(\w+)": ')
    agree(
        f"the cases of _step in {PROTOCOLS}",
        cases,
        CELL,
        {one for one, of in steps().items() if of},
    )
    agree(f"WORDS of {PROTOCOLS}", plain, CELL, {one for one, of in steps().items() if not of})


def test_the_vocabulary_has_every_format_of_a_cell():
    listed = document(VOCABULARY)["formats"]
    agree(f"formats in {VOCABULARY}", set(listed), CELL, formats())
    agree(f"images in {VOCABULARY}", set(config.IMAGE_FORMATS), FORMATS, image_formats())


def test_the_probe_makes_every_format_that_a_mac_makes():
    [made] = found(CAPABILITIES, r"use Format::{(.*)};")
    path = lines.FILE.relative_to(PROJECT).as_posix()
    made = set(made.upper().split(", "))
    agree(f"`extensions` in {path}", set(lines.extensions()), CAPABILITIES, made)


def test_an_article_says_what_can_be_done_with_every_image_format():
    path = "reports/articles/repair-2026.qmd"
    missing = sorted(one for one in image_formats() if f"| {one} " not in text(path))
    assert not missing, f"add {missing} to the table of formats in {path}"


def test_the_probe_queries_what_the_core_queries_of_a_mac():
    path = f"{CORE}/src/host/macos.rs"
    queried = found(path, r'(?:sysctl|number|kernel)\("([\w.]+)"\)|"sysctl", &\["-n", "([\w.]+)"\]')
    queried = {name for pair in queried for name in pair if name}
    probed = {
        words[2] for words in (*machine.FACTS, *machine.KEPT.values()) if words[0] == "sysctl"
    }
    where = "FACTS in workflow/scripts/probe/probes/machine.py"
    agree(where, probed | MAY_LACK, path, queried)
    levels = found(path, r'"hw\.perflevel{level}\.(\w+)"')
    agree(where.replace("FACTS", "OF_A_LEVEL"), set(machine.OF_A_LEVEL), path, levels)
    imitated = found(f"{STAND_IN}/facts.rs", r'"([\w.]+)"')
    missing = sorted((queried | levels) - imitated)
    assert not missing, f"add {missing} to {STAND_IN}/facts.rs"


def test_the_stand_in_imitates_every_program_that_the_core_calls_and_lets_it_hang():
    path = f"{CORE}/src/program/tools.rs"
    called = found(path, r'\("(\w+)", "/') - {"sh"}
    missing = sorted(called - found(f"{STAND_IN}/main.rs", r'\("(\w+)", Player::'))
    assert not missing, f"add {missing} to PROGRAMS in {STAND_IN}/main.rs: {path} has them"
    misbehaving = "workflow/tests/mac/misbehaving.py"
    # those with verbs hang by verb
    missing = sorted(called - {"diskutil", "hdiutil"} - found(misbehaving, r'"hang (\w+)"'))
    assert not missing, f"add a `hang` of each of {missing} to MISBEHAVIOURS in {misbehaving}"


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("EJECTS_SINCE", "workflow/scripts/probe/probes/taking.py"),
        ("OLDEST", "workflow/scripts/probe/mac.py"),
    ],
)
def test_the_probe_has_the_releases_of_the_core(name, path):
    [since] = found(CAPABILITIES, rf"const {name}: u32 = (\d+);")
    assert found(path, rf"{name} = (\d+)") == {since}, f"make {name} {since} in {path}"


@pytest.mark.parametrize(
    ("path", "last"),
    [
        (f"{CORE}/src/image/apple/capabilities/tests.rs", ", {}];"),
        (f"{CORE}/tests/program/stand_in/releases.rs", '("{}", true)]'),
        (f"{CORE}/tests/program/stand_in/releases.rs", '        ("{}", true, true),\n'),
        ("README.md", "macOS 13 to {} "),
        ("reports/articles/explainer-2026.qmd", "\n| {} | "),
        ("reports/manual/mac.qmd", "macOS 13 to {}."),
    ],
)
def test_each_list_of_releases_has_the_newest(path, last):
    said = last.format(newest())
    told = f"{path} lacks macOS {newest()}, which the stand-in imitates: it should have {said!r}"
    assert said in text(path), told


def test_every_host_of_the_vocabulary_has_its_chip_or_a_note_why_not():
    hosts = document(VOCABULARY)["hosts"]
    missing = sorted(name for name, of in hosts.items() if not {"chip", "note"} & set(of))
    assert not missing, f"add `chip`, or a `note` why it is not known, to {missing} in {VOCABULARY}"


def test_the_table_host_has_every_fact_of_a_machine():
    kinds = document("workflow/schemas/record.schema.json")["$defs"]
    facts = set(kinds["Host"]["properties"]) - {"os", "storage"}
    facts |= {f"os.{name}" for name in kinds["Os"]["properties"]}
    shown = found(HOST_TABLE, r"\b(?:facts|record\.host)\.([\w.]+)")
    missing = sorted(facts - shown)
    assert not missing, f"add a column for each of {missing} to {HOST_TABLE}"
