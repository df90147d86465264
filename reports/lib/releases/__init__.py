"""The same cell under one release of macOS after the other: lines, and what changed.

One thing a module: `answer` (the first sentences), `figures` (every speed, in the order of
releases), `by_host` (the charts of each host, `drawn`),
`changes` (what changed as measured), `published` (what changed according to the articles), `pair`
(two releases in words).
"""
