"""Two sets of records side by side in the terminal, by the code of the table `release_change`."""
