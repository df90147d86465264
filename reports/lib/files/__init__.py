"""The single files of a cell: time by size, outliers, order, spread of rates."""
