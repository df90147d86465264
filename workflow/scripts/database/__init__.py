"""The room between the records and the pages: published and measured side by side in DuckDB."""
