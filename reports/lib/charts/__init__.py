"""Charts: each function takes rows of the database and returns an Altair chart of page width.

Intervals are columns of the database, drawn as rules: Vega's own are random and differ each time.
Channels are objects (`alt.X2("high:Q")`): Altair needs 20 ms to parse a string.
"""
