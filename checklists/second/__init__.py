"""A second engine beside DuckDB: the evidence is rewritten for SQLite and must come to the same."""
