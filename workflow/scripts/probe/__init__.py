"""Tests assumptions about macOS on a Mac: `run.sh probe`, `run.sh take-probe`."""
