"""The manual: every page is in the contents, and computed parts agree with the code."""

import json
import re
from pathlib import Path

import yaml
from rendered import tables

from console import ExitCode
from lib.manual import settings
from study import amounts

ROOT = Path(__file__).resolve().parents[3]
MANUAL = ROOT / "reports" / "manual"


def test_the_contents_name_every_page():
    text = (MANUAL / "index.qmd").read_text(encoding="utf-8")
    named = set(re.findall(r"\]\(([\w-]+\.qmd)\)", text))
    assert named == {page.name for page in MANUAL.glob("*.qmd")} - {"index.qmd"}


def test_no_page_says_what_records_a_fork_or_a_release_make_wrong():
    # its pages are also those of a site of measured Macs, which a workflow published
    passing = r"not been (run|released|measured)|(has|have) run on|so far"
    for page in MANUAL.glob("*.qmd"):
        assert not re.search(passing, page.read_text(encoding="utf-8")), page


def test_every_code_has_a_section_that_says_what_to_do():
    codes = [str(int(code)) for code in ExitCode]
    core = (ROOT / "core/diskbench-core/src/exit_code.rs").read_text(encoding="utf-8")
    assert re.findall(r"^    \w+ = (\d+),$", core, re.MULTILINE) == codes
    page = (MANUAL / "exit-codes.qmd").read_text(encoding="utf-8")
    sections = re.findall(r"^## (\d+): .*\{#code-(\d+)\}\n\n\S", page, re.MULTILINE)
    assert sections == [(code, code) for code in codes]


def test_the_amounts_are_those_of_the_plan(site):
    shown = tables(site, "manual/mac.html")["amounts"]
    expected = [
        (study, scale, str(amount.cells), amounts.size(amount.written))
        for study, scale, amount in amounts.rows()
    ]
    columns = shown[["Study", "Scale", "Cells", "Written"]]
    assert list(columns.itertuples(index=False, name=None)) == expected
    assert list(shown["Fills 1 TB"]) == [
        amounts.times(one.drives(1000)) for *_, one in amounts.rows()
    ]


def test_every_setting_is_in_the_table_with_its_default_and_a_description(site):
    shipped = yaml.safe_load((ROOT / "workflow/config/study.yaml").read_text(encoding="utf-8"))
    keys = []
    for key, value in shipped.items():
        keys += [key] if key != "studies" else []
        keys += [f"{key}.{inner}" for inner in value] if key in ("io", "conditions") else []
    shown = tables(site, "manual/settings.html")["settings"].set_index("Setting")
    assert list(shown.index) == keys
    assert (shown["What it does"].str.len() > 20).all()
    assert shown.loc["scale", "As shipped"] == shipped["scale"]
    assert shown.loc["scale", "Allowed"] == "gold, half, tenth, smoke"
    assert shown.loc["io.block_bytes", "As shipped"] == str(shipped["io"]["block_bytes"])


def test_study_yaml_and_its_schema_describe_each_setting_alike():
    text = (ROOT / "workflow/config/study.yaml").read_text(encoding="utf-8")
    above = {
        key: [line.removeprefix("#").removeprefix(" ") for line in block.splitlines()]
        for block, key in re.findall(r"((?:^#.*\n)+)^(\w+):", text, re.MULTILINE)
    }
    behind = re.findall(r"^  (\w+): [^#\n]*# (.+)$", text, re.MULTILINE)
    keys = [key for key, _ in settings.settings()]
    for key in keys:
        group, _, inner = key.partition(".")
        # examples, which are indented, stay in the file
        said = " ".join(line for line in above[group] if not line.startswith(" "))
        assert settings.described(key)["description"] == (dict(behind)[inner] if inner else said)
    # of a row of a matrix: a name, then its words, over as many lines as they need
    rows = " ".join(
        line.strip() if line[:6].isspace() else f"\n{line}" for line in above["studies"]
    )
    schema = json.loads((ROOT / "workflow/schemas/study.schema.json").read_text(encoding="utf-8"))
    assert dict(re.findall(r"\n  (\w+) +(.+?) ?(?=\n|$)", rows)) == {
        key: one["description"] for key, one in schema["$defs"]["row"]["properties"].items()
    }


def test_every_study_leads_to_its_article(site):
    shipped = yaml.safe_load((ROOT / "workflow/config/study.yaml").read_text(encoding="utf-8"))
    shown = tables(site, "manual/settings.html")["studies"]
    assert list(shown["Study"]) == list(shipped["studies"])
