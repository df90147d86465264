"""An unmeasured figure of an article has the command that measures it, or a reason why there is none."""

from pathlib import Path

import pytest
import yaml

from study.cells import Machine, plan_cells

STUDY = Path(__file__).parents[2] / "config" / "study.yaml"


def test_each_command_plans_a_cell_for_its_figure(query):
    figures = query(
        """
        select distinct article, format, encryption, phase, protocol, scale, command
        from article_table where command is not null
        """
    )
    assert len(figures) > 25
    for article, form, encryption, phase, protocol, scale, command in figures:
        assert command.startswith("bash workflow/run.sh --config study=")
        asked = dict(word.split("=") for word in command.split()[3:])
        mac = Machine("a-mac", "macos-1-2", encryption, "apple", guest=form == "VM")
        assert asked["study"] == article
        assert scale in (asked["scale"], "unstated")
        assert [
            cell
            for cell in planned(asked, mac)
            if cell["format"] == form
            and encryption in (cell["encryption"], "unstated")
            and phase in (cell["phase"], "unstated")
            and protocol in (cell["protocol"], "unstated")
            and scale in (cell["scale"], "unstated")
        ], (article, form, encryption, phase, protocol, scale)


def planned(asked, machine):
    """The cells of the config as it is shipped, with these changes."""
    config = yaml.safe_load(STUDY.read_text(encoding="utf-8")) | asked
    return plan_cells(config, machine)


@pytest.mark.parametrize(
    ("where", "why"),
    [
        ("format = 'unstated'", "format-unstated"),
        (
            "format = 'VM' and protocol = 'unstated'",
            "guest-unstated",
        ),
        ("tool = 'Blackmagic'", "other-tool"),
        (
            "macos = '26.0' and format = 'UDRW' and encryption = 'AES-256' and op = 'write'",
            "recalled",
        ),
        (
            "macos = '12.4' and format = 'UDSP' and encryption = 'none' and article = 'performance-2024' and op = 'write'",
            "recalled",
        ),
    ],
)
def test_where_no_command_would_measure_a_figure_a_reason_says_why(query, where, why):
    verdicts = query(f"select distinct command, verdict, reasons from article_table where {where}")
    assert verdicts == [(None, "not measured yet", [why])]
