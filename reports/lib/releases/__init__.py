"""The same cell under successive releases of macOS: charts and changes.

Modules: `answer` (the first sentences), `by_host` (every speed, and the charts of each host,
`drawn`), `changes` (what changed as measured), `published` (what changed according to the
articles), `pair` (two releases in words), `verdicts` (those on the speeds of charts), `newest` (the
start page's section).
"""
