"""Real file systems, made by other people's tools, and the program that puts them into images."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[3]
sys.path.insert(0, str(Path(__file__).parent))

import payloads  # noqa: E402  (found through the line above)

BINARY = PROJECT / "core" / "target" / "release" / "diskbench"


@pytest.fixture(scope="session")
def diskbench() -> Callable[..., str]:
    """`diskbench image ARGUMENTS`, its standard input the given lines; gives its output."""
    if not BINARY.exists():
        pytest.skip("the core is not built: cargo build --release")

    def call(*arguments: object, lines: str = "") -> str:
        done = subprocess.run(
            [str(BINARY), "image", *map(str, arguments)],
            input=lines,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return call


@pytest.fixture(scope="session")
def payload(tmp_path_factory) -> Callable[[str], Path]:
    """The raw disk with this file system, made once; see payloads.PAYLOADS."""
    folder = tmp_path_factory.mktemp("payloads")
    made: dict[str, Path] = {}

    def give(name: str) -> Path:
        if name not in made:
            made[name] = payloads.make(name, folder)
        return made[name]

    return give


@pytest.fixture(scope="session")
def image(diskbench, payload, tmp_path_factory) -> Callable[[str, str], Path]:
    """A payload in an image of a format, made once by `diskbench image convert`."""
    folder = tmp_path_factory.mktemp("images")
    made: dict[tuple[str, str], Path] = {}

    def give(name: str, image_format: str) -> Path:
        if (name, image_format) not in made:
            path = folder / f"{name}.{image_format.lower()}"
            diskbench("convert", payload(name), path, "--to", image_format, "--progress", "none")
            made[name, image_format] = path
        return made[name, image_format]

    return give
