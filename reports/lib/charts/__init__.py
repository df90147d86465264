"""The charts. Each takes rows of the database and gives an Altair chart as wide as the page.

Intervals are columns of the database, drawn as rules: Vega's own are random and differ each time.
Channels are written as objects (`alt.X2("high:Q")`): Altair takes 20 ms to find out what a text is.
"""
