"""Whole studies that are killed at random moments in a copy of the project, and called again."""
