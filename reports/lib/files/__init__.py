"""Every single file of a cell: time against size, outliers, order, how far rates lie apart."""
