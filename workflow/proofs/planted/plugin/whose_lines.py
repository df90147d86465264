"""A pytest plugin that reports the current test to coverage.py."""

import os
from collections.abc import Iterator

import coverage
import pytest

# as pytest calls them in PYTEST_CURRENT_TEST, by which other programs know it
ALONE, SHARED = "call", "setup"


def _whose(test: str, phase: str) -> None:
    if recorder := coverage.Coverage.current():
        recorder.switch_context(f"{test} ({phase})")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    """What is set up may serve other tests as well."""
    _whose(item.nodeid, SHARED)
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef, request: pytest.FixtureRequest) -> Iterator:
    """A fixture of one test alone does not."""
    test = os.environ["PYTEST_CURRENT_TEST"].rpartition(" (")[0]
    _whose(test, ALONE if fixturedef.scope == "function" else SHARED)
    try:
        return (yield)
    finally:
        _whose(test, SHARED)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """The test itself."""
    _whose(item.nodeid, ALONE)
    return (yield)
