"""What the pages share: the database, the words, the charts, the tables."""
