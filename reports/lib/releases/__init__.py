"""The same cell under one release of macOS after the other: lines, and what changed.

One thing a module: `answer` (the first sentences), `figures` (every speed, in the order of
releases), `by_host` (what is known of each host: its charts, `drawn`, and its figures, `listed`),
`changes` (what changed as measured), `published` (what changed according to the articles), `pair`
(two releases in words).
"""
