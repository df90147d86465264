"""The same cell under successive releases of macOS: charts and changes.

Modules: `answer` (the first sentences), `figures` (every speed, in the order of
releases), `by_host` (the charts of each host, `drawn`),
`changes` (what changed as measured), `published` (what changed according to the articles), `pair`
(two releases in words).
"""
