"""Plans and runs studies: which cells, in which order, which are due."""
