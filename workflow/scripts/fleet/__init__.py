"""One study over several hosts, from one coordinator; Dask (`distributed`) carries it.

Only `run.sh fleet` loads this room, with the packages of workflow/requirements-fleet.txt.
"""
