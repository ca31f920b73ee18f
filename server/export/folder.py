"""The folder of an export: its files, each whole or not there, and the list that says what they are."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self, TypeVar

from analysis.drawing import Form
from analysis.table import Column, Table
from server.export.fields import Layout
from server.files_out import put
from server.table_writers import TableFile, TableForm

T = TypeVar("T")
LIST: Final = "export.json"
"""The file that says what the others are."""
_FORMAT: Final = "ddr-export"
_VERSION: Final = 1
_OURS: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*\.(csv|json|parquet|svg|png)")
"""A name that an export may have given; no path."""


class Folder:
    """Tables in some forms, and figures. Leaving the block without an error puts the files in
    their places; else those of tables are not there. Raises StoreError where one cannot be written."""

    def __init__(self, place: Path, forms: Sequence[TableForm]) -> None:
        self.place, self._forms = place, forms
        self._stack = ExitStack()
        self._open: dict[str, list[TableFile]] = {}
        self._told: dict[str, tuple[str, tuple[Column, ...]]] = {}
        self._figures: list[Path] = []

    def add(self, layout: Layout[T], records: Iterable[T]) -> None:
        """Further records of a table, which begins with the first of them (or of none)."""
        if not self._forms:
            return
        rows = layout.rows(records)
        for file in self._files(layout.name, layout.told, layout.columns):
            file.add(rows)

    def add_table(self, table: Table, told: str) -> None:
        """A whole table of an analysis."""
        columns = tuple(Column(*each) for each in zip(table.columns, table.kinds, strict=True))
        for file in self._files(table.name, told, columns):
            file.add(table.rows)

    def add_figure(self, name: str, form: Form, content: bytes) -> None:
        """A figure in one form."""
        self._figures.append(put(self.place / f"{name}.{form}", content))

    @property
    def wants_tables(self) -> bool:
        """Whether any form of tables is wanted."""
        return bool(self._forms)

    def finish(self, about: dict[str, Any]) -> dict[str, Any]:
        """Write the list, after the block was left; it is returned. `about`: what stands above the files."""
        tables = [
            {
                "name": name,
                "row": told,
                "rows": self._open[name][0].rows,
                "files": [file.path.name for file in self._open[name]],
                "columns": [
                    {"name": each.name, "kind": each.kind, "told": each.told} for each in columns
                ],
            }
            for name, (told, columns) in self._told.items()
        ]
        paths = [file.path for files in self._open.values() for file in files] + self._figures
        body = {
            "format": _FORMAT,
            "version": _VERSION,
            **about,
            "tables": tables,
            "figures": [path.name for path in self._figures],
            "files": {path.name: _sha256(path) for path in paths},
        }
        self._clear({path.name for path in paths})
        text = json.dumps(body, ensure_ascii=False, indent=1, allow_nan=False)
        put(self.place / LIST, (text + "\n").encode("utf-8", "replace"))
        return body

    def _clear(self, written: set[str]) -> None:
        """Take away what an earlier export wrote here and this one did not: answers among it, perhaps."""
        try:
            earlier = json.loads((self.place / LIST).read_text("utf-8"))
            names = set(earlier["files"]) if earlier.get("format") == _FORMAT else set()
        except (OSError, ValueError, TypeError, AttributeError, KeyError):
            return
        for name in names - written:
            if isinstance(name, str) and _OURS.fullmatch(name):
                with suppress(OSError):
                    (self.place / name).unlink(missing_ok=True)

    def _files(self, name: str, told: str, columns: tuple[Column, ...]) -> list[TableFile]:
        if name not in self._open:
            self._told[name] = (told, columns)
            self._open[name] = [
                self._stack.enter_context(TableFile(self.place / f"{name}.{form}", form, columns))
                for form in self._forms
            ]
        return self._open[name]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.__exit__(kind, value, trace)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
