"""What the page of an article shows: its tables beside ours, its conclusions, the doubts.

One thing a module: `speeds` and `sizes` (its tables), `stated` (what else it states),
`conclusions`, `doubts`, `method` (its protocol and our command), `deviations` from it,
`short` (whether ours agrees).
"""
