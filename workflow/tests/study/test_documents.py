"""The repository's documents: limits of length, and valid links and paths."""

import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[3]
README = ROOT / "README.md"
CONTRIBUTING = ROOT / ".github" / "CONTRIBUTING.md"
SECURITY = ROOT / ".github" / "SECURITY.md"


def links(document: Path) -> list[str]:
    """Where a Markdown document leads, without other hosts."""
    text = re.sub(r"^```.*?^```", "", document.read_text(encoding="utf-8"), flags=re.S | re.M)
    return [one for one in re.findall(r"\]\(([^)]+)\)", text) if not one.startswith("https://")]


@pytest.mark.parametrize("document", [README, CONTRIBUTING, SECURITY], ids=lambda path: path.name)
def test_the_links_of_a_document_lead_to_files(document):
    assert links(document)
    for link in links(document):
        file, _, anchor = link.partition("#")
        target = (document.parent / file).resolve() if file else document
        assert target.exists(), link
        if anchor and target.suffix in (".md", ".qmd"):
            headings = re.findall(r"^#+ (.+)$", target.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {
                re.sub(r"[^\w-]", "", one.lower().replace(" ", "-")) for one in headings
            }


def test_the_readme_is_short_and_says_early_that_no_mac_was_measured():
    text = README.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 150
    assert len(text.split()) <= 1300
    assert "No Mac has been measured yet" in text.split("\n\n")[2]


def test_the_readme_names_every_study():
    shipped = yaml.safe_load((ROOT / "workflow/config/study.yaml").read_text(encoding="utf-8"))
    text = README.read_text(encoding="utf-8")
    assert [study for study in shipped["studies"] if f"`{study}`" not in text] == []


def test_files_named_in_the_recipes_exist():
    text = CONTRIBUTING.read_text(encoding="utf-8")
    named = re.findall(r"`((?:workflow|reports|data|core|\.github)/[\w./-]+)`", text)
    assert named
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_the_changelog_says_what_the_newest_epoch_changed():
    source = (ROOT / "core/diskbench-core/src/record.rs").read_text(encoding="utf-8")
    [epoch] = re.findall(r"const HARNESS_EPOCH: u32 = (\d+);", source)
    told = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.findall(r"^\| [\w.]+ \| (\d+) \| \d+ \| ", told, re.MULTILINE)[-1]
    assert newest == epoch, "add a row to the table under Methodology in CHANGELOG.md"
    assert f"- **method** (epoch {epoch}) " in told


def blocks(document: Path) -> list[str]:
    """The blocks of shell commands of a document: those of no other language."""
    text = document.read_text(encoding="utf-8")
    found = re.findall(r"^ *```([^\n]*)\n(.*?)^ *```$", text, flags=re.S | re.M)
    return [block for language, block in found if language in ("", "bash", "{.bash}")]


def test_commands_to_copy_have_no_comments():
    # zsh, the shell of macOS, takes them for words, and an apostrophe in them for an open quote
    documents = [README, CONTRIBUTING, SECURITY, *ROOT.glob("reports/**/*.qmd")]
    found = {document: blocks(document) for document in documents}
    assert found[README]
    commented = re.compile(r"(^|\s)#", re.M)
    assert [d.name for d, texts in found.items() if any(map(commented.search, texts))] == []


def test_scripts_are_sourced_in_bash():
    # they are written for it, and zsh would stop at their patterns
    found = [block for page in ROOT.glob("reports/**/*.qmd") for block in blocks(page)]
    sourcing = [block.splitlines() for block in found if "source workflow/" in block]
    assert sourcing
    assert [lines for lines in sourcing if lines[0].strip() != "bash"] == []
