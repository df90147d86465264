"""What the manual computes: from settings, planning code and the exit codes of the core."""
