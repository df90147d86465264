"""The charts. Each takes rows of the database and gives an Altair chart as wide as the page.

Intervals are columns of the database, drawn as rules: Vega's own are random and differ each time.
Channels are written as objects (`alt.X2("high:Q")`): Altair takes 20 ms to find out what a text is.
"""

from lib.charts.costs import forest
from lib.charts.measured import by_image
from lib.charts.parts import end
from lib.charts.rounds import by_round

__all__ = ["by_image", "by_round", "end", "forest"]
