"""Helpers for tests of the articles' figures and ours."""

import made_up

# UDSB, not encrypted, fresh: published read 6.13, write 7.62 GB/s on a Mac mini M4 Pro with macOS 26.3.1
# the build of the update (a) of 26.3.1
MAC = {"host": "mac-mini-m4-pro", "release": "macos-26.3.1-25D771280a"}
UDSB = MAC | {"format": "UDSB", "driver": "apple"}
ROW = """
    from article_table
    where article = 'encryption-2026' and format = 'UDSB' and encryption = 'none' and phase = 'fresh' and op = 'write'
"""
# how much three runs differ
RUNS = (0.99, 1.0, 1.01)


def measured(folders, write_gbps=7.62, read_gbps=6.13, runs=RUNS, **cell):
    """Runs of one cell, each with its own share of the speed."""
    for repeat, share in enumerate(runs, start=1):
        # without a cost of each file by itself all statistics agree
        time = made_up.noisy(share * write_gbps, share * read_gbps, spread=0.02, per_file_ns=0)
        made_up.save(made_up.record(time, **{"repeat": repeat} | cell), folders.runs)
