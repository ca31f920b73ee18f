"""Refuse a description that holds one of the ids that a build replaces: agents read it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from core.errors import ConfigError

if TYPE_CHECKING:
    import duckdb

_SHORTEST: Final = 4
"""Shorter ids, and plain numbers, stand in many a sentence by chance."""


def refuse_leaks(
    connection: duckdb.DuckDBPyConnection,
    replaced: Mapping[str, str],
    descriptions: Mapping[str, Mapping[str, str]],
    folder: Path,
) -> None:
    """Raise ConfigError with the key of a description that tells a true id.

    `replaced` is each kind with its table of ids. The id itself is not repeated in the error.
    """
    told = [
        (f"descriptions.{table}.{column}", text)
        for table, texts in descriptions.items()
        for column, text in texts.items()
    ]
    whole = "\n".join(text for _, text in told).lower()
    for kind, ids in replaced.items():
        rows = connection.execute(
            f"SELECT lower(id) FROM {ids} WHERE length(id) >= {_SHORTEST} "
            "AND NOT regexp_full_match(id, '[0-9 .,:-]*') AND contains($told, lower(id))",
            {"told": whole},
        ).fetchall()
        for (value,) in rows:
            pattern = re.compile(rf"(?<!\w){re.escape(value)}(?!\w)")
            for key, text in told:
                if pattern.search(text.lower()):
                    raise ConfigError(
                        f"{folder / 'scenario.toml'}: key '{key}': holds an id of kind {kind!r}, which "
                        "the build replaces; agents read descriptions, so take it out"
                    )
