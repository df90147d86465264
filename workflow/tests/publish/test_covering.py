"""The command that measures a host again names the studies of its cells."""

import made_up
import pytest

from lib import hosts, runs

NATIVE = {"driver": "native", "format": "native", "encryption": "FileVault"}


def image(form: str, encryption: str = "none", **cell: str) -> dict[str, str]:
    return {"driver": "apple", "format": form, "encryption": encryption} | cell


@pytest.mark.parametrize(
    ("scale", "cells", "asked_for"),
    [
        # churn is of one article alone
        (
            "gold",
            [image("UDSB", protocol="churn"), image("UDRW", protocol="churn")],
            "study=bands-2024",
        ),
        # files on the disk, whatever encrypts it
        ("gold", [NATIVE | {"protocol": "remounted"}], "study=performance-2024"),
        # both measure it, and vm-2026 has fewer cells
        ("gold", [image("UDRW", "AES-256"), NATIVE], "study=vm-2026"),
        # ... but neither emptied images nor sparse bundles
        (
            "gold",
            [image("UDRW", "AES-256"), NATIVE, image("UDSB", phase="emptied")],
            "study=encryption-2026",
        ),
        (
            "gold",
            [image("UDSB", protocol="churn"), image("UDSB")],
            "'study=[bands-2024,encryption-2026]'",
        ),
        # of its article at most half
        ("half", [image("UDSB", protocol="as-created")], "study=slow-writes-2022"),
        # by our own driver
        (
            "smoke",
            [image("UDSP", "none", protocol="remounted", driver="portable")],
            "study=performance-2024",
        ),
        # of a matrix from the command line
        ("gold", [image("UDSP", "AES-128")], None),
    ],
)
def test_it_names_the_fewest_studies_that_measure_them(scale, cells, asked_for, built, asked):
    asked(built("host", [made_up.record(scale=scale, **cell) for cell in cells]))
    command = hosts.command(runs.cells())
    assert command.startswith("bash workflow/run.sh --config ")
    found = command.removeprefix("bash workflow/run.sh --config ").partition("scale=")[0].strip()
    assert found == (asked_for or "")


def test_a_first_look_at_everything_adds_no_study_to_a_larger_run(built, asked):
    small = [
        made_up.record(scale="smoke", **image(form, protocol=protocol))
        for form, protocol in (("UDSB", "churn"), ("UDSB", "usage-phases"))
    ]
    asked(built("two-scales", [*small, made_up.record(**image("UDSB", protocol="churn"))]))
    assert "study=bands-2024 scale=gold" in hosts.command(runs.cells())
