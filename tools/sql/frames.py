"""Carry a whole result, column by column, on its way into a Python kernel."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

from core.protocols import QueryColumns
from tools.deadline import Deadline
from tools.limits import ToolLimits
from tools.sql.session import SqlSession

if TYPE_CHECKING:
    import duckdb
    import pandas as pd

VECTORS = 32
"""DuckDB hands over 2048 rows per vector; a chunk of 65,536 keeps memory and overhead low."""


def query_columns(
    session: SqlSession, sql: str, limits: ToolLimits, deadline: Deadline
) -> QueryColumns:
    """Run a statement and pack its columns, cut at `frame_rows` and `frame_bytes`.

    Dtypes are those of DuckDB's own `.df()`: decimals and wide integers become floats there.
    """

    def take(cursor: duckdb.DuckDBPyConnection) -> tuple[pd.DataFrame, bool]:
        return _collect(cursor, limits)

    answer = session.run(sql, take, deadline)
    frame, truncated = answer.value
    return QueryColumns(
        payload=_packed(frame),
        row_count=len(frame),
        truncated=truncated,
        accessed_fields=answer.fields,
    )


def _collect(cursor: duckdb.DuckDBPyConnection, limits: ToolLimits) -> tuple[pd.DataFrame, bool]:
    import pandas as pd

    # The first chunks are small: one row may hold megabytes, and their size says how to go on.
    vectors, rows, size = 1, 0, 0
    chunks: list[pd.DataFrame] = []
    while True:
        chunk = cursor.fetch_df_chunk(vectors)
        if chunks and chunk.empty:
            break
        chunks.append(chunk)
        rows += len(chunk)
        size += _bytes(chunk)
        if chunk.empty or rows > limits.frame_rows or size > limits.frame_bytes:
            break
        vectors = VECTORS if size < limits.frame_bytes // 8 else 1
    frame = chunks[0] if len(chunks) == 1 else pd.concat(chunks, ignore_index=True)
    cut = rows > limits.frame_rows or size > limits.frame_bytes
    if size > limits.frame_bytes:
        frame = frame.head(max(1, int(len(frame) * limits.frame_bytes / size)))
    return frame.head(limits.frame_rows), cut


def _bytes(chunk: pd.DataFrame) -> int:
    """About what a chunk weighs in a kernel, where equal texts are one object.

    pandas' own deep count takes longer than fetching the rows.
    """
    import numpy as np
    import pandas as pd

    total = 0
    for name in chunk.columns:
        series = chunk[name]
        total += int(series.array.nbytes)
        if isinstance(series.dtype, pd.StringDtype):
            total += sum(map(len, pd.factorize(series)[1].tolist()))
        elif series.dtype == np.dtype(object):
            total += int(series.memory_usage(deep=True, index=False))
    return total


def _packed(frame: pd.DataFrame) -> bytes:
    """The columns without their frame: numpy arrays, and pandas' own where numpy has no such type.

    Text that repeats goes as a Categorical, which is many times faster to pack and to unpack.
    """
    import numpy as np
    import pandas as pd

    columns: dict[str, Any] = {}
    for name in frame.columns:
        series = frame[name]
        if isinstance(series.dtype, np.dtype):
            columns[str(name)] = series.to_numpy()
            continue
        columns[str(name)] = series.array
        if isinstance(series.dtype, pd.StringDtype):
            codes, words = pd.factorize(series)
            if len(words) < len(series) // 2:
                columns[str(name)] = pd.Categorical.from_codes(codes, words)
    return pickle.dumps(columns, protocol=5)
