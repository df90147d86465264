"""Computed parts of the manual: from settings and planning code."""
