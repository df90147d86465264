"""Measures one study on several hosts from a coordinator, over Dask (`distributed`).

Only `run.sh fleet` loads this package, with the packages of workflow/requirements-fleet.txt.
"""
