"""An article's page lists deviations of the method."""

from html import unescape
from pathlib import Path

import pytest
import yaml
from rendered import text

from lib.article import deviations

PROTOCOLS = sorted((Path(__file__).parents[2] / "config/protocols").glob("*.yaml"))


@pytest.mark.parametrize("file", PROTOCOLS, ids=lambda file: file.stem)
def test_every_deviation_of_a_protocol_is_shown_with_its_reason_and_effect(file):
    stated = yaml.safe_load(file.read_text(encoding="utf-8"))["deviations"]
    shown = unescape(text(deviations.shown(file.stem)))
    assert stated
    assert shown.count('scope="row"') >= len(stated)
    for deviation in stated:
        for words in deviation.values():
            assert words.replace("`", "") in shown.replace("<code>", "").replace("</code>", "")
