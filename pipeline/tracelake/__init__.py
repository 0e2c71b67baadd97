"""tracelake: coding-agent transcripts as Arrow and Parquet tables, answered by DuckDB."""

__version__ = "0.1.0"
