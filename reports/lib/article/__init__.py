"""The parts of an article's page: its tables with our figures, its conclusions, caveats.

Modules: `speeds` and `sizes` (its tables), `stated` (its other numbers),
`conclusions`, `doubts`, `method` (its protocol and our command), `deviations` from it,
`short` (whether our figures agree).
"""
