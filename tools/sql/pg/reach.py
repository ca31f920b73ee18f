"""What lies within an agent's reach in PostgreSQL, by name, and the words that turn it back."""

from __future__ import annotations

VOLATILE = frozenset(
    {
        "bernoulli",
        "clock_timestamp",
        "gen_random_bytes",
        "gen_random_uuid",
        "normal_rand",
        "random",
        "random_normal",
        "system",
        "timeofday",
        "uuid_generate_v1",
        "uuid_generate_v4",
        "uuidv4",
        "uuidv7",
    }
)
"""Volatile functions that may be called (bernoulli and system are TABLESAMPLE's). Every other one is
refused, those of later versions, of extensions and of the database's owner too."""

PG_NAMES = frozenset(
    {
        # schemas and types
        "pg_catalog",
        "pg_lsn",
        "pg_toast",
        # what describes this database's own tables
        "pg_am",
        "pg_attrdef",
        "pg_attribute",
        "pg_class",
        "pg_collation",
        "pg_constraint",
        "pg_depend",
        "pg_description",
        "pg_enum",
        "pg_index",
        "pg_indexes",
        "pg_inherits",
        "pg_matviews",
        "pg_namespace",
        "pg_operator",
        "pg_partitioned_table",
        "pg_proc",
        "pg_range",
        "pg_sequence",
        "pg_sequences",
        "pg_statistic_ext",
        "pg_stats",
        "pg_stats_ext",
        "pg_stats_ext_exprs",
        "pg_tables",
        "pg_timezone_abbrevs",
        "pg_timezone_names",
        "pg_ts_config",
        "pg_ts_dict",
        "pg_type",
        "pg_views",
        # functions over values and over the same catalogue
        "pg_char_to_encoding",
        "pg_collation_for",
        "pg_column_compression",
        "pg_column_size",
        "pg_encoding_to_char",
        "pg_get_constraintdef",
        "pg_get_expr",
        "pg_get_function_arguments",
        "pg_get_function_result",
        "pg_get_functiondef",
        "pg_get_indexdef",
        "pg_get_keywords",
        "pg_get_partition_constraintdef",
        "pg_get_partkeydef",
        "pg_get_serial_sequence",
        "pg_get_viewdef",
        "pg_indexes_size",
        "pg_input_error_info",
        "pg_input_is_valid",
        "pg_partition_ancestors",
        "pg_partition_root",
        "pg_partition_tree",
        "pg_relation_size",
        "pg_size_bytes",
        "pg_size_pretty",
        "pg_table_is_visible",
        "pg_table_size",
        "pg_total_relation_size",
        "pg_type_is_visible",
        "pg_typeof",
    }
)
"""Names beginning with pg_ that may stand in a statement, in whatever position. All others are refused:
the prefix is PostgreSQL's own, and most of what has it shows or moves the server (pg_stat_activity,
pg_sleep, pg_terminate_backend, pg_read_file, pg_settings, pg_locks, pg_authid, advisory locks)."""

OUT_OF_REACH = frozenset(
    {
        # the server, its addresses, its transactions
        "current_query",
        "current_setting",
        "inet_client_addr",
        "inet_client_port",
        "inet_server_addr",
        "inet_server_port",
        "set_config",
        "setseed",
        "txid_current",
        "txid_current_if_assigned",
        "txid_current_snapshot",
        "txid_status",
        # SQL, or a table's name, in a string
        "connectby",
        "crosstab",
        "crosstab2",
        "crosstab3",
        "crosstab4",
        "crosstabn",
        "cursor_to_xml",
        "cursor_to_xmlschema",
        "database_to_xml",
        "database_to_xml_and_xmlschema",
        "database_to_xmlschema",
        "query_to_xml",
        "query_to_xml_and_xmlschema",
        "query_to_xmlschema",
        "schema_to_xml",
        "schema_to_xml_and_xmlschema",
        "schema_to_xmlschema",
        "table_to_xml",
        "table_to_xml_and_xmlschema",
        "table_to_xmlschema",
        "ts_rewrite",
        "ts_stat",
        "xpath_table",
        # other servers, files and large objects: an attempt is refused where they do not exist, too
        "dblink",
        "dblink_connect",
        "dblink_exec",
        "dblink_open",
        "dblink_send_query",
        "lo_creat",
        "lo_create",
        "lo_export",
        "lo_from_bytea",
        "lo_get",
        "lo_import",
        "lo_open",
        "lo_put",
        "lo_unlink",
        "loread",
        "lowrite",
        "nextval",
        "setval",
        "read_csv",
        "read_text",
    }
)
"""Functions that are refused whatever their volatility is; those that are volatile come on top."""

INFORMATION_SCHEMA = frozenset(
    {
        "check_constraints",
        "column_domain_usage",
        "columns",
        "constraint_column_usage",
        "constraint_table_usage",
        "domain_constraints",
        "domains",
        "element_types",
        "key_column_usage",
        "referential_constraints",
        "schemata",
        "sequences",
        "table_constraints",
        "tables",
        "view_column_usage",
        "view_table_usage",
        "views",
    }
)
"""Its views that may be read: those about tables, and none about servers, mappings or roles."""

STATEMENTS = frozenset(
    {
        "abort",
        "alter",
        "analyze",
        "attach",
        "begin",
        "call",
        "checkpoint",
        "close",
        "cluster",
        "comment",
        "commit",
        "copy",
        "create",
        "deallocate",
        "declare",
        "delete",
        "describe",
        "discard",
        "do",
        "drop",
        "end",
        "execute",
        "fetch",
        "grant",
        "import",
        "insert",
        "listen",
        "load",
        "lock",
        "merge",
        "move",
        "notify",
        "pragma",
        "prepare",
        "reassign",
        "refresh",
        "reindex",
        "release",
        "reset",
        "revoke",
        "rollback",
        "savepoint",
        "security",
        "set",
        "show",
        "start",
        "truncate",
        "unlisten",
        "update",
        "vacuum",
    }
)
"""First words of what is no query, those of other databases that an agent may try among them."""

LOOKING_ELSEWHERE = frozenset({"copy", "load", "show", "listen", "notify", "import", "alter"})
"""First words of statements that reach for files, other sessions or the server; recorded."""

_STATE = "each call stands alone and settings are fixed; send one SELECT"
_WRITE = (
    "the database can only be read; for intermediate results use WITH x AS (SELECT ...) in one"
    " SELECT"
)
_SCHEMA = (
    "for the schema use SELECT ... FROM information_schema.tables or .columns, or the tool"
    " describe_table"
)
HINTS = {
    "write": _WRITE,
    "hidden": "it is not a way to this database's own tables (no files, no server, no other"
    f" session, no SQL in strings); {_SCHEMA}",
    "explain": "EXPLAIN takes one SELECT here",
    "show": _SCHEMA,
    "set": _STATE,
    "reset": _STATE,
    "discard": _STATE,
    "begin": _STATE,
    "start": _STATE,
    "commit": _STATE,
    "rollback": _STATE,
    "savepoint": _STATE,
    "prepare": _STATE,
    "execute": _STATE,
    "deallocate": _STATE,
    "declare": _STATE,
    "fetch": _STATE,
    "listen": _STATE,
    "notify": _STATE,
    "do": "there is no procedural code here; send one SELECT",
    "call": "there is no procedural code here; send one SELECT",
    "copy": "there are no files here, only the tables of this database",
    "load": "there are no files here, only the tables of this database",
    "describe": _SCHEMA,
}
