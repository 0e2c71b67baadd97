"""Between rows in memory and the Parquet and DuckDB files on disk."""
