"""Builds the DuckDB database of published and measured figures."""
