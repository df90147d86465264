"""The reference pages on formats, repair, methods and data are correct."""

import importlib.util
import json
import os
import re
import subprocess
import sys
from collections import Counter
from html import unescape
from pathlib import Path

import duckdb
import pytest
from rendered import rows, tables

from database import statistics
from lib import cite, transcript
from lib.methods import sizes

ROOT = Path(__file__).resolve().parents[3]
REPORTS = ROOT / "reports"


def fenced(page: str, language: str) -> list[str]:
    """The code blocks of a page in one language that are shown and not run."""
    text = (REPORTS / page).read_text(encoding="utf-8")
    return re.findall(rf"^```\{{\.{language}\}}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def test_the_dictionary_has_every_column_with_its_type_and_comment(site):
    text = site.text("data.html")
    columns = rows(
        site,
        """
        select table_name, column_name, data_type, comment
        from duckdb_columns() where not internal order by table_name, column_index
        """,
    )
    told, alike = {}, {}
    for name, entry in re.findall(r'<div id="table-(\w+)">(.*?)</dl>', text, re.S):
        told[name] = {
            column: (unescape(kind), unescape(comment))
            for column, kind, comment in re.findall(
                r"<dt>(\S+) <i>(.*?)</i><dd>(.*?)$", entry, re.MULTILINE
            )
        }
        if other := re.search(r'those of <a href="#table-(\w+)">', entry):
            alike[name] = other[1]
    # a view with the columns of a table has only its other comments
    told |= {name: told[other] | told[name] for name, other in alike.items()}
    assert len(alike) == 2
    expected = {}
    for name, column, kind, comment in columns:
        expected.setdefault(name, {})[column] = kind, " ".join(comment.split()).rstrip(".")
    assert told == expected


def test_every_table_has_an_anchor_and_a_line_among_the_downloads(site):
    names = [name for (name,) in rows(site, "select table_name from duckdb_tables() order by 1")]
    counts = rows(site, " union all ".join(f'select count(*) from "{name}"' for name in names))
    downloads = tables(site, "data.html")["downloads"].set_index("Table")["Rows"]
    for name, (count,) in zip(names, counts, strict=True):
        assert f'id="table-{name}"' in site.text("data.html")
        assert downloads[name] == f"{count:,}"


def test_the_code_of_the_data_page_runs_unchanged(published_only, tmp_path):
    with duckdb.connect(str(published_only), read_only=True) as connection:
        for block in fenced("data.qmd", "sql"):
            for statement in filter(str.strip, block.split(";")):
                assert connection.sql(statement).fetchall()
    (tmp_path / "diskbench.duckdb").symlink_to(published_only)
    (code,) = fenced("data.qmd", "python")
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "verdict" in done.stdout


def test_a_version_is_cited_with_its_day_once_it_is_released(monkeypatch):
    state = {"created": "2026-11-25T09:28:07Z", "records": {"sha256": 64 * "0"}}
    monkeypatch.setattr(cite.downloads, "described", lambda: state)
    assert "has not been released yet" in cite.version()
    assert "date" not in cite.software()
    assert f"version = {{{cite.citation()['version']}}}" in cite.software()
    author = [{"name": "Roe & Doe"}, {"name": "A group"}]
    released = {
        "title": "100 % of it",
        "authors": author,
        "version": "0.2.0",
        "date-released": "2027-01-31",
    }
    monkeypatch.setattr(cite, "citation", lambda: released)
    assert cite.version() == "This is version 0.2.0, of 2027-01-31."
    assert cite.software() == (
        "@software{diskbench,\n"
        "  title   = {{100 \\% of it}},\n"
        "  author  = {{Roe \\& Doe} and {A group}},\n"
        "  date    = {2027-01-31},\n"
        "  version = {0.2.0},\n"
        "  note    = {Data of 2026-11-25, checksum of the records 000000000000}\n}"
    )


def test_the_methods_page_shows_each_protocol_as_it_is_run(site):
    shown = tables(site, "methods.html")
    names = sorted(
        file.stem for file in (ROOT / "workflow" / "config" / "protocols").glob("*.yaml")
    )
    assert sorted(shown["protocols"]["Protocol"]) == names
    whole, read = (
        "write all files, timed one by one",
        "read them back in the order written, timed one by one",
    )
    # in a guest nothing is attached; after its restart nothing is flushed
    assert shown["steps-restart"].to_numpy().tolist() == [
        [
            "new",
            f"make a folder for the files, {whole}, flush them to the disk, restart the guest, {read}",
        ]
    ]
    assert shown["steps-usage-phases"]["Phase"].tolist() == [
        "new",
        "partly filled",
        "emptied after use",
    ]
    assert shown["steps-usage-phases"]["Steps"].tolist()[:2] == [
        f"create the image, detach, record its size (new), attach, {whole}, detach, record its size (filled), "
        f"attach, {read}, delete the last 8 of 10 sets, detach, record its size (partly-emptied)",
        f"attach, {whole}, detach, record its size (refilled), attach, {read}, delete all files, detach, "
        "record its size (emptied)",
    ]
    [churned] = shown["steps-churn"]["Steps"]
    assert churned.count(f"{whole}, delete the 40 largest files, ") == 4
    assert churned.count("wait 10 s") == 4


def test_the_sizes_fit_what_the_articles_state_but_for_one(published_only, asked):
    asked(published_only)
    checks = sizes.size_checks()
    assert len(checks) >= 9
    for check in checks.to_dict("records"):
        number = float(re.sub(r"[^\d.]", "", check["stated"]))
        if "does not fit" in check["note"]:
            assert check["value"] < number
        elif check["stated"].startswith("over"):
            assert check["value"] > number
        elif check["note"].startswith("the files alone"):
            assert 0.98 * number < check["value"] < number
        else:
            assert int(check["value"]) == number


def test_the_numbers_of_the_methods_page_are_those_of_the_code(site):
    told = site.words("methods.html")
    assert f"{statistics.RESAMPLES:,} resamples" in told
    level = f"{statistics.CONFIDENCE:.0%}".replace("%", " %")
    assert f"each with a {level} interval" in told
    assert f"only if the whole {level} interval" in site.words("evidence.html")
    calls = (ROOT / "core/system/src/calls.rs").read_text(encoding="utf-8")
    [percent] = re.findall(r"WARM_PERCENT: u64 = (\d+);", calls)
    assert f"may have read more than {percent} % of its bytes from memory" in told
    [(fewest,)] = rows(site, "select tolerance from verdict_rule where rule = 'runs'")
    assert {3: "With fewer than three runs"}[int(fewest)] in told
    source = (REPORTS / "methods.qmd").read_text(encoding="utf-8")
    assert not re.findall(r"[\d.,]+ ?%", source), "a share is typed by hand"


def test_the_words_quoted_of_each_article_are_those_that_the_tests_count(site):
    path = ROOT / "workflow" / "tests" / "database" / "test_quotation.py"
    spec = importlib.util.spec_from_file_location("counted", path)
    counted = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(counted)
    expected = {}
    for article, row in counted.ALL.items():
        own = {" ".join(quote.split()) for of, quote in counted.quotes() if of == article}
        apart = [one for one in own if not any(one != other and one in other for other in own)]
        words = sum(len(quote.split()) for quote in apart)
        share = f"{words / int(row['words']):.0%}".replace("%", " %")
        expected[row["title"]] = (f"{int(row['words']):,}", f"{words:,}", share, "yes")
    shown = tables(site, "evidence.html")["quotation"]
    assert {title: tuple(rest) for title, *rest in shown.itertuples(index=False)} == expected
    limit = f"the limit is {counted.MOST_SHARE:.0%}".replace("%", " %")
    assert limit in site.words("evidence.html")


def test_the_rules_of_verdicts_are_on_the_methods_page_with_their_tolerances(site):
    shown = tables(site, "methods.html")["tolerances"]
    expected = rows(
        site,
        """
        select comparison, rule,
            case rule when 'runs' then '3' when 'same night' then '12' else coalesce(round(100 * tolerance)::integer || ' %', '') end
        from verdict_rule order by comparison, rule
        """,
    )
    told = shown[["Table", "Rule", "Tolerance"]].fillna("").replace("\u00a0", " ", regex=True)
    assert list(told.itertuples(index=False, name=None)) == expected
    # and in a sentence
    shown = tables(site, "methods.html")["rules"].set_index("The whole rule")["Rule"]
    said = {name: rule.replace("\u00a0", " ") for name, rule in shown.items()}
    assert "the corrected p is below 5 %" in said["release_change"]
    assert "lies beyond 10 %, alone and" in said["release_change"]
    assert "within 5 % of the disk itself" in said["format_cost"]
    for name, rule in said.items():
        assert len(rule.split()) < 40, name
        assert f'href="data.html#table-{name}"' in site.text("methods.html")


def test_the_page_of_methods_has_the_numbers_and_words_of_the_core(site):
    record = (ROOT / "core/diskbench-core/src/record.rs").read_text(encoding="utf-8")
    epoch, version = (
        re.search(rf"{constant}: u32 = (\d+);", record)[1]
        for constant in ("HARNESS_EPOCH", "RECORD_VERSION")
    )
    *_, newest = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines()
    assert newest.split(" | ")[1:3] == [epoch, version]
    told = site.words("methods.html").replace("\u2019", "'")
    assert newest.split(" | ")[3].partition("`")[0].strip(" |") in told
    # what is timed
    schema = json.loads((ROOT / "workflow/schemas/record.schema.json").read_text(encoding="utf-8"))
    assert schema["$defs"]["Sample"]["properties"]["elapsed_ns"]["description"] in told
    # as much content is generated in advance
    supply = ROOT / "core/diskbench-core/src/workload/supply.rs"
    [size] = re.findall(r"^const STORE: usize = (\d+) << 20;$", supply.read_text("utf-8"), re.M)
    [(comment,)] = rows(
        site,
        "select comment from duckdb_columns() "
        "where table_name = 'cell' and column_name = 'ceiling_content_gbps'",
    )
    assert f"first {size} MiB of a file" in comment
    assert f"{size} MiB of a file" in site.words("methods.html")


BINARY = ROOT / "core" / "target" / "release" / "diskbench"


def test_the_formats_are_in_the_articles_order_with_its_words_and_what_can_be_done_with_each(site):
    listed = rows(
        site,
        """
        select format, description from published_format
        where article = 'explainer-2026' order by table_order
        """,
    )
    shown = tables(site, "articles/explainer-2026.html")["formats"]
    found = [
        (row["Format"], row["The article says"].partition("” ")[0].removesuffix("”") + "”")
        for row in shown.to_dict("records")
        if row["Format"] not in {"Supported", "Unsupported"}
    ]
    assert found == [(code, f"“{description}”") for code, description in listed]
    lines = (REPORTS / "articles/explainer-2026.qmd").read_text(encoding="utf-8").splitlines()
    named = [
        code for line in lines if line[:2] == "| " for code in line.split(" | ")[0].split(", ")
    ]
    # made with which tools, and what diskbench can do
    of_tools = Counter(code.removeprefix("| ") for code in named)
    assert {of_tools[code] for code, _ in listed} == {2}
    # the article on repairs has the same list
    again = "select format, description from published_format where article = 'repair-2026' order by table_order"
    assert rows(site, again) == listed[: len(rows(site, again))]


@pytest.fixture(scope="module")
def played():
    if not BINARY.is_file():
        pytest.skip("core/target/release/diskbench is not built: bash workflow/test.sh builds it")
    return transcript.play(BINARY)


def test_the_transcript_of_the_guide_is_what_the_program_answers(played):
    written = transcript.written()
    assert list(written) == list(transcript.SCENES)
    for name, answers in played.items():
        told = [transcript.compared(answer) for answer in written[name]]
        assert told == [transcript.compared(answer) for answer in answers], name


def test_the_guide_shows_every_scene(site):
    shown = unescape(re.sub(r"<[^>]+>", "", site.text("articles/repair-2026.html")))
    for answers in transcript.written().values():
        for answer in answers:
            assert f"$ {answer.command}\n{answer.output}".rstrip() in shown


def test_every_flag_of_diskbench_in_the_guides_is_there():
    if not BINARY.is_file():
        pytest.skip("core/target/release/diskbench is not built: bash workflow/test.sh builds it")
    guides = ("articles/repair-2026.qmd", "manual/images.qmd")
    text = "".join((REPORTS / page).read_text(encoding="utf-8") for page in guides)
    # a command may go on in the next line
    text = text.replace("\\\n", "") + transcript.FILE.read_text(encoding="utf-8")
    used = re.findall(r"diskbench image ([\w-]+)((?:(?!diskbench)[^`\"|&])*)", text)
    assert used
    for command, rest in used:
        told = subprocess.run(
            [BINARY, "image", command, "--help"], capture_output=True, text=True, check=False
        )
        assert told.returncode == 0, command
        for flag in re.findall(r"--[a-z][a-z-]*", rest):
            assert flag in told.stdout, f"diskbench image {command} {flag}"
        for code in re.findall(r"--to (\w+)", rest):
            assert f"- {code}:" in told.stdout


# a tool of macOS: it finds the image that it is given, and makes none
MACOS = """#!/bin/sh
for word in "$@"; do
    case $word in work.* | broken.*) [ -e "$word" ] || { echo "no $word" >&2; exit 1; };; esac
done
"""
# a clone is macOS's own
COPY = '#!/bin/sh\n[ "$1" = -c ] && shift\nexec /bin/cp "$@"\n'


def test_the_steps_of_the_guide_run_on_the_copy_that_the_first_one_makes(tmp_path):
    if not BINARY.is_file():
        pytest.skip("core/target/release/diskbench is not built: bash workflow/test.sh builds it")
    text = (REPORTS / "articles/repair-2026.qmd").read_text(encoding="utf-8")
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "diskbench").symlink_to(BINARY)
    for name, script in (("hdiutil", MACOS), ("diskutil", MACOS), ("cp", COPY)):
        (programs / name).write_text(script)
        (programs / name).chmod(0o755)
    original = (b"\0" * 32 + b"NXSB").ljust(1000 * 512, b"x")
    (tmp_path / "broken.dmg").write_bytes(original)
    commands = re.findall(
        r"(?:^|`)((?:cp|hdiutil|diskutil|diskbench) [^`\n]*(?:work|broken)\.[^`\n]*)", text, re.M
    )
    assert {line.split()[0] for line in commands} == {"cp", "hdiutil", "diskutil", "diskbench"}
    environment = os.environ | {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    for command in commands:
        done = subprocess.run(
            command, shell=True, cwd=tmp_path, env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, f"{command}: {done.stderr}"
        # only the copy is touched
        assert ("broken" in command) == command.startswith("cp"), command
    assert (tmp_path / "broken.dmg").read_bytes() == original
    assert (tmp_path / "new.asif").is_file()
