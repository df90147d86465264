"""Benchmarks and long tests, one file or folder for each name of prove.sh.

Each has a docstring, which is its help, and `main(words)`. What they share is in `support`.
"""
