"""Computed parts of the manual: from settings, planning code and the core's exit codes."""
