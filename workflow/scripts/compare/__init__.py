"""Compares two sets of records in the terminal with the code of the table `release_change`."""
