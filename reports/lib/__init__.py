"""Code that all pages share: database, wording, charts, tables."""
