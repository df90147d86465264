"""The pages of methods and of an article list deviations of the method."""

from pathlib import Path

import pytest
import yaml
from rendered import tables

PROTOCOLS = sorted((Path(__file__).parents[2] / "config/protocols").glob("*.yaml"))


@pytest.mark.parametrize("file", PROTOCOLS, ids=lambda file: file.stem)
def test_every_deviation_is_on_both_pages_with_its_reason_and_effect(file, published_site):
    protocol = yaml.safe_load(file.read_text(encoding="utf-8"))
    assert protocol["deviations"]
    for page in ("methods.html", f"articles/{protocol['article']}.html"):
        shown = tables(published_site, page)[f"deviations-{file.stem}"].to_numpy().tolist()
        said = " ".join(" ".join(map(str, row)) for row in shown)
        for deviation in protocol["deviations"]:
            for part in deviation.values():
                assert " ".join(part.replace("`", "").split()) in said, page
