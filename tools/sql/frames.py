"""Carry a whole result, column by column, on its way into a Python kernel."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

from tools.limits import ToolLimits
from tools.sql.engine import Cursor

if TYPE_CHECKING:
    import pandas as pd

FIRST, CHUNK = 2048, 65_536
"""Rows fetched at a time. The first chunks are small: one row may hold megabytes, and their size says
how to go on."""


def read_frame(cursor: Cursor, limits: ToolLimits) -> tuple[pd.DataFrame, bool]:
    """The rows, cut at `frame_rows` and `frame_bytes`, and whether they were cut."""
    import pandas as pd

    count, rows, size = FIRST, 0, 0
    chunks: list[pd.DataFrame] = []
    while True:
        chunk = cursor.fetch_frame(count)
        if chunks and chunk.empty:
            break
        chunks.append(chunk)
        rows += len(chunk)
        size += _bytes(chunk)
        if chunk.empty or rows > limits.frame_rows or size > limits.frame_bytes:
            break
        count = CHUNK if size < limits.frame_bytes // 8 else FIRST
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
    for place in range(len(chunk.columns)):  # by place: two may have one name
        series = chunk.iloc[:, place]
        total += int(series.array.nbytes)
        if isinstance(series.dtype, pd.StringDtype):
            total += sum(map(len, pd.factorize(series)[1].tolist()))
        elif series.dtype == np.dtype(object):
            total += int(series.memory_usage(deep=True, index=False))
    return total


def pack_frame(frame: pd.DataFrame) -> bytes:
    """The columns without their frame: numpy arrays, and pandas' own where numpy has no such type.

    Text that repeats goes as a Categorical, which is many times faster to pack and to unpack. Of
    two columns of one name the second is numbered, as in DuckDB's own frames.
    """
    import numpy as np
    import pandas as pd

    columns: dict[str, Any] = {}
    tried: dict[str, int] = {}
    for name, series in frame.items():
        key = _free(str(name), columns, tried)
        if isinstance(series.dtype, np.dtype):
            columns[key] = series.to_numpy()
            continue
        columns[key] = series.array
        if isinstance(series.dtype, pd.StringDtype):
            codes, words = pd.factorize(series)
            if len(words) < len(series) // 2:
                columns[key] = pd.Categorical.from_codes(codes, words)
    return pickle.dumps(columns, protocol=5)


def _free(name: str, taken: dict[str, Any], tried: dict[str, int]) -> str:
    """The name, or the first of name_1, name_2, ... that is not taken.

    `tried`: name to the last number tried for it, so that thousands of one name are not tried anew.
    """
    free = name
    while free in taken:
        tried[name] = tried.get(name, 0) + 1
        free = f"{name}_{tried[name]}"
    return free
