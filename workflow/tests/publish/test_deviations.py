"""The pages of methods and of an article list deviations of the method."""

from html import unescape
from pathlib import Path

import pytest
import yaml
from rendered import tables, text

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


@pytest.mark.parametrize("file", PROTOCOLS, ids=lambda file: file.stem)
def test_they_are_on_the_page_of_methods_and_on_that_of_the_article(file, published_site):
    article = yaml.safe_load(file.read_text(encoding="utf-8"))["article"]
    for page in ("methods.html", f"articles/{article}.html"):
        assert f"deviations-{file.stem}" in tables(published_site, page), page
