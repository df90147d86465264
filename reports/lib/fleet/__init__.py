"""Where each machine stands: what is measured, missing, and out of date after an update.

One thing a module: `standing` (the rows, and the first sentences), `matrix` (hosts by release),
`bars` (the chart), `due` (what is out of date, missing, failed and skipped), `commands` (what
completes it).
"""
