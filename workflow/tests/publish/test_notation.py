"""The line above the conclusions of an article that tells what the codes in their figures mean."""

import pandas as pd
import pytest

from lib.article import conclusions


@pytest.mark.parametrize(
    ("cells", "storage", "told"),
    [
        (None, None, ""),
        (
            "UDRW|UDSP AES-256 @imac-pro / native",
            "internal",
            "UDRW: RAW; UDSP: sparse image; native: no image; A / B: the figure of A divided by that of B.",
        ),
        ("UDSB; UDSB", "usb4-980pro", "UDSB: sparse bundle; usb4-980pro: a USB4 SSD (980 PRO)."),
        ("UDSB - UDSB AES-256", "internal", "UDSB: sparse bundle."),
    ],
)
def test_each_code_in_the_figures_of_conclusions_is_told_once(cells, storage, told):
    rows = pd.DataFrame({"cells": [cells, None], "storage": [storage, None]})
    found = conclusions._notation(rows)
    assert found == (f" There, {told}" if told else "")
