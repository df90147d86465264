"""The plain renderer on a tiny project: what goes in comes out, and a failure keeps the old site."""

import os
import re
from multiprocessing import resource_tracker
from pathlib import Path

import psutil
import pytest
import tiny_project
from gate import PATIENCE_SECONDS
from tiny_project import MORE, SETTINGS, publish

from console import ExitCode, StudyError
from publish import execute, plain, project, write


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """The folder of the site of the tiny project."""
    tiny = tiny_project.make(tmp_path_factory.mktemp("rendered"))
    plain.render(project.load(tiny))
    return tiny / "_site"


@pytest.fixture
def rendered(site) -> tuple[str, str]:
    return tuple(
        (site / name).read_text(encoding="utf-8") for name in ("index.html", "more/page.html")
    )


def test_no_process_outlives_its_pages(tiny):
    resource_tracker.ensure_running()  # that of Python itself stays
    before = psutil.Process().children(recursive=True)
    plain.render(project.load(tiny))
    assert [one for one in psutil.Process().children(recursive=True) if one not in before] == []


def test_a_page_has_its_titles_navigation_contents_and_foot(rendered):
    index, more = rendered
    assert "<title>Tiny: &lt;one&gt; &amp; *two* \u2013 tiny &amp; small</title>" in index
    assert "<h1>Tiny: &lt;one&gt; &amp; *two*</h1>" in index
    assert '<p class="subtitle">How small</p>' in index
    assert '<a href="index.html" aria-current="page">Home</a>' in index
    assert '<a href="more/page.html">More</a>' in index
    assert '<a href="../index.html">Home</a>' in more
    assert '<a href="page.html" aria-current="page">' not in more
    assert '<a href="../more/page.html" aria-current="page">More</a>' in more
    # a menu opens without a script, and says when it leads here
    assert '<details name="pages"><summary>Others</summary>' in index
    assert '<summary class="here">Others</summary>' in more
    assert '<a href="#shown"' in index.split("<main")[0]
    assert "the foot" in index
    assert "plain renderer" in index


def test_code_runs_and_is_shown_only_on_request(rendered):
    index, more = rendered
    main = re.sub(r"<[^>]+>", "", index.split("<main")[1])
    assert "Markdown(str(6 * 7))" in main
    assert "\n42" in main
    assert "read_text" not in main
    assert "assert Path" not in main
    assert "never seen" not in main
    assert "shown, never run" in main
    assert "IPython.display" in re.sub(r"<[^>]+>", "", more)


def test_emphasis_tables_and_captions_come_through(rendered):
    index, more = rendered
    assert "<em>hot</em>" in index
    assert "<table><caption>A caption</caption><tr><td>1 &lt; 2</td></tr></table>" in index
    assert "<caption>Words below</caption>" in re.sub(r"</?p>", "", more)
    assert ":::" not in index


def test_links_between_pages_lead_to_html_and_others_stay(rendered):
    index, more = rendered
    assert 'href="more/page.html#the-part"' in index
    assert 'href="https://example.org/a.qmd"' in index
    assert 'href="../index.html"' in more


def test_what_the_head_needs_is_made_included_and_copied(rendered, site):
    index, more = rendered
    assert "<script>let made = 1</script>" in index
    assert "<script>let made = 1</script>" in more
    # as in Quarto, an address from the root of the site
    assert '<script src="more/made.js">' in index
    assert '<script src="../more/made.js">' in more
    assert '<link rel="stylesheet" href="../site.css">' in more
    assert (site / "site.css").is_file()
    assert (site / "icon.svg").is_file()
    assert (site / "assets" / "plain.css").is_file()


def test_a_failing_cell_is_named_in_one_line_and_the_old_site_stays(tiny):
    plain.render(project.load(tiny))
    before = (tiny / "_site" / "index.html").read_bytes()
    page = tiny / "more" / "page.qmd"
    page.write_text(MORE + "\n```{python}\n#| label: broken\n1 / 0\n```\n", encoding="utf-8")
    with pytest.raises(StudyError) as failure:
        plain.render(project.load(tiny))
    assert failure.value.line == "more/page.qmd, cell broken: ZeroDivisionError: division by zero"
    assert failure.value.code == ExitCode.UNEXPECTED
    assert (tiny / "_site" / "index.html").read_bytes() == before
    assert sorted(path.name for path in tiny.iterdir() if path.name.startswith("._")) == []


def test_a_page_that_pandoc_cannot_write_is_named_in_one_line(tiny, tmp_path, monkeypatch):
    program = tmp_path / "pandoc"
    program.write_text("#!/bin/sh\nprintf 'Out of\\nmemory' >&2\nexit 1\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setattr(write.pypandoc, "get_pandoc_path", lambda: str(program))
    with pytest.raises(StudyError, match=r"\w+\.qmd: pandoc failed: Out of memory$"):
        plain.render(project.load(tiny))


def test_an_output_that_would_load_scripts_is_refused(tiny):
    html = "from IPython.display import HTML\nHTML('<b>bold</b>')"
    (tiny / "index.qmd").write_text(
        f"---\ntitle: x\n---\n\n```{{python}}\n#| label: bold\n{html}\n```\n", encoding="utf-8"
    )
    with pytest.raises(StudyError, match=r"index.qmd, cell bold: shows text/html, text/plain and"):
        plain.render(project.load(tiny))


def test_the_site_that_a_killed_call_had_moved_away_is_put_back(tmp_path):
    away = tmp_path / "._site-of-the-killed"
    (away / "old").mkdir(parents=True)
    (away / "old" / "index.html").write_text("as it was")
    with pytest.raises(StudyError), plain.new_site(tmp_path / "_site"):
        raise StudyError(ExitCode.UNEXPECTED, "this call fails too")
    assert (tmp_path / "_site" / "index.html").read_text() == "as it was"
    assert list(tmp_path.iterdir()) == [tmp_path / "_site"]


def test_a_script_that_fails_before_the_pages_is_named(tiny):
    (tiny / "make.py").write_text("raise RuntimeError('no header today')", encoding="utf-8")
    with pytest.raises(StudyError, match=r"make.py failed: RuntimeError: no header today"):
        plain.render(project.load(tiny))


@pytest.mark.parametrize("where", ["make.py", "index.qmd"])
def test_a_disk_that_is_full_while_a_site_is_made_is_named(tiny, where):
    full = "raise OSError(28, 'No space left on device', 'x')"
    page = f"---\ntitle: x\n---\n\n```{{python}}\n#| label: broken\n{full}\n```\n"
    (tiny / where).write_text(page if where == "index.qmd" else full, encoding="utf-8")
    with pytest.raises(StudyError, match="the disk is full at ") as failure:
        plain.render(project.load(tiny))
    assert failure.value.code == ExitCode.NO_SPACE


@pytest.mark.parametrize(
    ("settings", "line"),
    [
        (None, "it has no _quarto.yml"),
        ("website: [", "cannot be read"),
        ("a: 1", "cannot be read"),
        (SETTINGS.replace("favicon", "icon"), r"cannot be read \(KeyError: 'favicon'\)"),
    ],
)
def test_a_folder_without_a_project_is_refused(tiny, settings, line):
    file = tiny / "_quarto.yml"
    file.unlink() if settings is None else file.write_text(settings, encoding="utf-8")
    with pytest.raises(StudyError, match=line) as refusal:
        project.load(tiny)
    assert refusal.value.code == ExitCode.BAD_INPUT


def test_the_command_says_one_line_and_writes_its_log(tiny):
    done = publish(tiny, "--plain")
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"diskbench: 2 pages by the plain renderer.*index\.html\n", done.stderr)
    assert "executed" in (tiny / "log").read_text(encoding="utf-8")


def test_a_page_finds_nothing_of_the_one_before(tiny):
    """One Python runs both: names are gone, and the project's modules are made anew."""
    (tiny / "own.py").write_text("seen = []\n", encoding="utf-8")
    cell = (
        "```{python}\nimport os, own\nown.seen.append(1)\n"
        "print(os.getpid(), own.seen, 'mine' in globals())\nmine = 1\n```\n"
    )
    for page in ("index.qmd", "more/page.qmd"):
        (tiny / page).write_text(f"---\ntitle: x\n---\n\n{cell}", encoding="utf-8")
    done = plain.render(project.load(tiny))
    said = [
        part.printed.split(maxsplit=1) for page in done.values() for part in page if part.printed
    ]
    assert [what for _, what in said] == ["[1] False\n"] * 2
    assert len({process for process, _ in said}) == 1


def test_one_line_comes_out_when_a_page_fails_while_others_run_and_nothing_is_left(tiny, tmp_path):
    # a gate that the one opens when it runs, and the other waits at
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    cell = "---\ntitle: x\n---\n\n```{{python}}\n#| label: {}\n{}\n```\n"
    slow = cell.format(
        "slow",
        f"import time; from pathlib import Path; Path({str(gate)!r}).write_text('here')\n"
        f"time.sleep({PATIENCE_SECONDS})",
    )
    bad = cell.format("bad", f"from pathlib import Path; Path({str(gate)!r}).read_text(); missing")
    (tiny / "index.qmd").write_text(bad, encoding="utf-8")
    (tiny / "more" / "page.qmd").write_text(slow, encoding="utf-8")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    done = publish(tiny, "--plain", TMPDIR=str(temporary))
    line = "diskbench: index.qmd, cell bad: NameError: name 'missing' is not defined\n"
    assert (done.returncode, done.stderr, done.stdout) == (1, line, "")
    assert list(temporary.iterdir()) == []


def test_messages_of_a_script_are_printed(tiny, capsys):
    with (tiny / "make.py").open("a", encoding="utf-8") as script:
        script.write("\nimport sys\nprint('diskbench: look here\\nnot here', file=sys.stderr)")
    plain.render(project.load(tiny))
    assert capsys.readouterr().err == "diskbench: look here\n"


def test_pages_that_are_quick_are_not_named(tiny, capsys, monkeypatch):
    plain.render(project.load(tiny))
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(plain, "SECONDS", 0)
    plain.render(project.load(tiny))
    named = "diskbench: page 1 of 2: index.qmd\ndiskbench: page 2 of 2: more/page.qmd\n"
    assert capsys.readouterr().err == named


@pytest.mark.parametrize(
    ("cell", "seconds", "line"),
    [
        (
            "import os\nos.kill(os.getpid(), 9)",
            PATIENCE_SECONDS,
            "the process that ran it was ended",
        ),
        (f"import time\ntime.sleep({PATIENCE_SECONDS})", 3, "not finished in 3 s"),
    ],
)
def test_a_page_whose_process_is_killed_or_hangs_is_named(tiny, monkeypatch, cell, seconds, line):
    monkeypatch.setattr(execute, "PAGE_SECONDS", seconds)
    (tiny / "index.qmd").write_text(
        f"---\ntitle: x\n---\n\n```{{python}}\n{cell}\n```\n", encoding="utf-8"
    )
    with pytest.raises(StudyError, match=rf"index.qmd.*: {line}"):
        plain.render(project.load(tiny))
