"""Imports reports of probes: `run.sh take-probe FOLDER`."""
