"""The formats of disk images: what macOS and diskbench can do with each.

What an article says of a format is in `published_format`; what a machine did with it in `cell`.
One thing a module: `listed` (the formats of an article), `facts` (what can be done with each),
`tools` (of macOS), `reprint` (a table of another article).
"""
