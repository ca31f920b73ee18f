"""What lies within an agent's reach in SQL, by name, and the words that turn it back."""

from __future__ import annotations

TABLE_FUNCTIONS = frozenset(
    {
        "duckdb_columns",
        "duckdb_constraints",
        "duckdb_functions",
        "duckdb_indexes",
        "duckdb_keywords",
        "duckdb_schemas",
        "duckdb_sequences",
        "duckdb_tables",
        "duckdb_types",
        "duckdb_views",
        "generate_series",
        "icu_calendar_names",
        "json_each",
        "json_tree",
        "pg_timezone_names",
        "pragma_collations",
        "pragma_show",
        "pragma_table_info",
        "pragma_version",
        "range",
        "repeat",
        "repeat_row",
        "summary",
        "unnest",
    }
)
"""The engine's table functions that may be called; every other one is refused, new ones too.

Left out on purpose: readers of files, views of the server (duckdb_settings, duckdb_databases),
whatever runs SQL out of a string (query, json_execute_serialized_sql), what takes the name of a
table as a value (histogram_values), and functions that take a bare memory address (pandas_scan,
arrow_scan).
"""

ABOUT_THE_ENGINE = frozenset(
    {
        "current_setting",
        "duckdb_databases",
        "duckdb_extensions",
        "duckdb_logs",
        "duckdb_memory",
        "duckdb_optimizers",
        "duckdb_secrets",
        "duckdb_settings",
        "duckdb_temporary_files",
        "pg_settings",
        "pragma_database_list",
        "pragma_database_size",
    }
)
"""Show paths, or fail with one. In a mount namespace of the process's own these are neutral
(/data/...), and all of it may be read; elsewhere all of it is refused."""

AGGREGATES_TOO = frozenset({"histogram"})
"""Refused in FROM, where it takes any table's name as a value; an aggregate everywhere else."""

OUT_OF_REACH = frozenset(
    {
        "current_setting",
        "dblink",
        "getenv",
        "http_get",
        "http_post",
        "json_serialize_plan",
        "load_extension",
        "lo_export",
        "lo_import",
        "nextval",
        "pg_ls_dir",
        "pg_read_binary_file",
        "pg_read_file",
        "readfile",
        "set_config",
        "sqlite_scan",
        "postgres_scan",
        "mysql_scan",
        "writefile",
        "write_log",
    }
)
"""Functions of any kind that show or change the server. Several exist in other engines only: an
attempt gets the same answer whether or not this engine has them (field case F1)."""

VIEWS_OUT_OF_REACH = frozenset(
    {"duckdb_databases", "duckdb_logs", "duckdb_secrets", "pragma_database_list", "pg_settings"}
)

LOOKING_ELSEWHERE = frozenset(
    {"ATTACH", "COPY", "COPY_DATABASE", "DETACH", "EXPORT", "EXTENSION", "LOAD"}
)
"""Kinds of statement that reach for another file; an attempt is recorded."""

_FILES = "there are no files and no network here, only the tables of this database"
_STATE = "each call stands alone and settings are locked; send one SELECT"
_WRITE = (
    "the database can only be read; for intermediate results use WITH x AS (SELECT ...) in one"
    " SELECT"
)
HINTS = {
    "write": _WRITE,
    "hidden": "it is not a way to this database's own tables (no files, no server, no SQL in"
    " strings). For the schema use SHOW TABLES, DESCRIBE a_table or duckdb_columns()",
    "file": _FILES,
    "own": "the engine would look into a folder of its own, and there are no files here: look at the"
    " tables of this database",
    "nested": "the query is nested too deep to be parsed (brackets, signs in a row, WITH or lambda"
    " inside its like, PIVOTs); write its parts as WITH x AS (SELECT ...), y AS (SELECT ...)",
    "show": "SHOW names a table of this database here (there is no {name!r}): use SHOW TABLES, or"
    " DESCRIBE a_table",
    "PRAGMA": "use DESCRIBE a_table, SHOW TABLES or duckdb_columns()",
    "CALL": "use DESCRIBE a_table, SHOW TABLES or duckdb_columns()",
    "SET": _STATE,
    "VARIABLE_SET": _STATE,
    "TRANSACTION": _STATE,
    "PREPARE": _STATE,
    "EXECUTE": _STATE,
    "ATTACH": _FILES,
    "DETACH": _FILES,
    "COPY": _FILES,
    "COPY_DATABASE": _FILES,
    "EXPORT": _FILES,
    "LOAD": _FILES,
    "EXTENSION": _FILES,
    "several statements": "one statement per call",
}

_FILE_ENDINGS = (
    ".csv",
    ".tsv",
    ".json",
    ".jsonl",
    ".ndjson",
    ".parquet",
    ".txt",
    ".gz",
    ".zst",
    ".db",
    ".duckdb",
    ".sqlite",
    ".xlsx",
    ".arrow",
)


def is_file_name(table: str) -> bool:
    """Whether a name in FROM is meant as a file (DuckDB would read `FROM 'x.csv'`)."""
    return "/" in table or table.lower().endswith(_FILE_ENDINGS)
