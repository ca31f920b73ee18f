"""Keep every answer that was paid for, so that a second call goes on and asks nothing twice."""

from __future__ import annotations

import json
import os
from pathlib import Path

from pydantic import ValidationError

from core.errors import StoreError
from core.record import Record
from core.trajectory import ModelCall


class Entry(Record):
    """One line of the file."""

    key: str | None
    """Of the question (asking.key_of); None for a reply that could not be used."""
    text: str | None
    call: ModelCall | None
    note: str | None = None
    """What a person said: why restricted data may leave this machine."""


class Ledger:
    """A file of JSON lines, mode 0600 in a folder of mode 0700: replies quote the documents."""

    def __init__(self, path: Path) -> None:
        """Read what is there. Raises StoreError with file and line where it is no ledger.

        A last line that a killed process left unfinished is dropped.
        """
        self._path = path
        self._answers: dict[str, str] = {}
        self.calls: list[ModelCall] = []
        """Every call that was ever made for it."""
        try:
            lines = path.read_bytes().split(b"\n")
        except FileNotFoundError:
            lines = []
        except OSError as exc:
            raise StoreError(f"{path} cannot be read: {exc.strerror}") from exc
        for number, line in enumerate(lines, 1):
            if not line:
                continue
            try:
                self._take(Entry.model_validate_json(line))
            except ValidationError as exc:
                if number == len(lines):
                    self._cut(len(line))
                    return
                raise StoreError(
                    f"{path}: line {number} is no answer of a model; remove the file to begin anew"
                ) from exc

    def __len__(self) -> int:
        return len(self._answers)

    def answer(self, key: str) -> str | None:
        """What was answered to this question; None where it was never asked, or never usably answered."""
        return self._answers.get(key)

    def keep(self, key: str, text: str, call: ModelCall) -> None:
        """An answer, kept before anything is made of it. Raises StoreError."""
        self._write(Entry(key=key, text=text, call=call))

    def book(self, call: ModelCall) -> None:
        """A call whose reply could not be used: it was paid for, and may be asked again."""
        self._write(Entry(key=None, text=None, call=call))

    def note(self, text: str) -> None:
        """What a person said of this derivation."""
        self._write(Entry(key=None, text=None, call=None, note=text))

    def _take(self, entry: Entry) -> None:
        if entry.key is not None and entry.text is not None:
            self._answers[entry.key] = entry.text
        if entry.call is not None:
            self.calls.append(entry.call)

    def _write(self, entry: Entry) -> None:
        self._take(entry)
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._path.parent.chmod(0o700)
            handle = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            with os.fdopen(handle, "ab") as stream:
                stream.write(json.dumps(entry.model_dump(mode="json")).encode() + b"\n")
        except OSError as exc:
            raise StoreError(f"{self._path} cannot be written: {exc.strerror or exc}") from exc

    def _cut(self, length: int) -> None:
        with self._path.open("r+b") as stream:
            stream.truncate(self._path.stat().st_size - length)
