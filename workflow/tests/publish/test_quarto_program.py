"""Calling Quarto, with a test double if it is missing."""

import os
import sys
from pathlib import Path

import pytest
from tiny_project import publish

from console import ExitCode


def stand_in(folder: Path, script: str) -> str:
    """A PATH with a program `quarto` that does this."""
    folder.mkdir(exist_ok=True)
    program = folder / "quarto"
    program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    program.chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


def test_quarto_is_taken_where_it_is_found_with_the_python_that_runs(tiny, tmp_path):
    path = stand_in(
        tmp_path / "bin",
        f'echo "$@" "$QUARTO_PYTHON" > {tiny}/called\n'
        'mkdir -p "$2/$4" && echo new > "$2/$4/index.html"',
    )
    done = publish(tiny, path=path)
    assert done.returncode == 0, done.stderr
    verb, folder, option, output, python = (tiny / "called").read_text().split()
    assert (verb, folder, option) == ("render", str(tiny), "--output-dir")
    # beside the site, whose place it then took
    assert output.startswith("._site-")
    assert (tiny / "_site" / "index.html").read_text() == "new\n"
    assert [path.name for path in tiny.iterdir() if path.name.startswith("._")] == []
    assert Path(python).samefile(sys.executable)
    assert "by Quarto" in done.stderr


@pytest.mark.parametrize(
    ("does", "told"),
    [
        ("echo ERROR: no luck\nexit 1", "failed: ERROR: no luck"),
        # as version 1.9 ends: an error of its own with a stack trace, one of a cell with a warning
        ("echo ERROR: no luck\necho Stack trace:\necho at main\nexit 1", "failed: ERROR: no luck"),
        (
            "echo ValueError: no row\necho WARN: Error encountered\nexit 1",
            "failed: ValueError: no row",
        ),
        ("exit 1", "failed: no message"),
        ("exit 0", "made no index.html; the old site is kept: see the log"),
    ],
)
def test_when_quarto_fails_the_old_site_stays(tiny, tmp_path, does, told):
    (tiny / "_site").mkdir()
    (tiny / "_site" / "index.html").write_text("as it was")
    done = publish(tiny, path=stand_in(tmp_path / "bin", does))
    assert done.stderr == f"diskbench: quarto render {told}\n"
    assert (tiny / "_site" / "index.html").read_text() == "as it was"


def test_a_disk_that_is_full_while_quarto_renders_is_named(tiny, tmp_path):
    does = "echo OSError: No space left on device\necho ERROR: Error running make.py\nexit 1"
    done = publish(tiny, path=stand_in(tmp_path / "bin", does))
    assert (done.returncode, done.stderr) == (
        ExitCode.NO_SPACE,
        f"diskbench: the disk is full at {tiny}: free some space, then run again\n",
    )


def test_each_page_is_named_while_quarto_renders(tiny, tmp_path):
    # in colour, and a line begins with what ends the one before: as Quarto writes to a pipe
    pages = "printf '\\r\\033[1m\\033[34m[ 1/18] index.qmd\\033[39m\\033[22m\\r[ 2/18] articles/vm-2026.qmd\\n'"
    path = stand_in(tmp_path / "bin", f'{pages}; echo Output; echo x > "$2/$4/index.html"')
    done = publish(tiny, path=path)
    first, second, last = done.stderr.splitlines()
    assert first == "diskbench: page 1 of 18: index.qmd"
    assert second == "diskbench: page 2 of 18: articles/vm-2026.qmd"
    assert "by Quarto" in last
    assert "Output" in (tiny / "log").read_text(encoding="utf-8")
