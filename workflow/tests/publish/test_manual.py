"""The manual: every page is in the contents, and computed parts agree with the code."""

import json
import re
from html import unescape
from pathlib import Path

from rendered import tables

from console import ExitCode
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


def test_the_settings_are_shown_as_shipped(site):
    page = unescape(re.sub(r"<[^>]+>", "", site.text("manual/settings.html")))
    shipped = (ROOT / "workflow/config/study.yaml").read_text(encoding="utf-8")
    assert shipped.strip() in page
    schema = json.loads((ROOT / "workflow/schemas/study.schema.json").read_text(encoding="utf-8"))
    # the comments name each key of a row
    assert [
        key for key in schema["$defs"]["row"]["properties"] if f"\n#   {key} " not in shipped
    ] == []
