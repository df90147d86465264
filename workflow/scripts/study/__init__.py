"""From the config to a plan: which cells, in which order, which still to be measured."""
