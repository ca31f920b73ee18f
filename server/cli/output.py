"""What a command prints: answers on stdout, progress on stderr, JSON as stdout's last line."""

from __future__ import annotations

import json as json_module
import math
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from pathlib import Path

_SECONDS_BETWEEN_LINES: Final = 5.0
_SECONDS_BETWEEN_ALIKE: Final = 60.0
"""Where nothing has changed: enough to show that it is alive."""
_LOG_WIDTH: Final = 200
_LEAST_ROOM: Final = 16
"""Characters of a column that may be cut, below which it tells nothing."""

_UNSEEN: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""What a terminal would obey or cannot show, and what turns the order of a line round."""


def visible(text: str) -> str:
    """A text as it may stand on a terminal: what a terminal would obey is spelt out, as in '\\x1b'.

    Agents, models and databases write most of what is shown, and what they write may want more
    than to be read: to move the cursor, rename the window, hide a line.
    """
    return _UNSEEN.sub(_spelt, text.replace("\r\n", "\n"))


def one_line(text: str) -> str:
    """What was said where a name belongs, as it may stand within a line: it begins none of its own."""
    return visible(text).replace("\n", "\\n")


def _spelt(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape", "backslashreplace").decode("ascii")


@dataclass(frozen=True)
class Output:
    """How one command speaks."""

    json: bool = False
    quiet: bool = False

    def say(self, text: str = "") -> None:
        """Part of the answer, for people; silent where JSON was asked for."""
        if not self.json:
            sys.stdout.write(visible(text) + "\n")

    def hint(self, text: str) -> None:
        """What may be done next, beside the answer; not part of it."""
        if not self.quiet:
            self.say(text)

    def note(self, text: str) -> None:
        """A remark beside the answer, on stderr."""
        if not self.quiet:
            sys.stderr.write(visible(text) + "\n")
            sys.stderr.flush()

    def wrote(self, files: Iterable[Path]) -> list[str]:
        """Files that were asked for, each remarked; how --json names them."""
        names = [str(file) for file in files]
        for name in names:
            self.note(f"written: {name}")
        return names

    def warn(self, text: str) -> None:
        """What nobody may miss, on stderr, however quiet."""
        sys.stderr.write(f"warning: {visible(text)}\n")
        sys.stderr.flush()

    def table(self, columns: list[str], rows: list[list[str]], *, title: str | None = None) -> None:
        """A table for people; figures (columns that start with '>') stand to the right.

        A last column that starts with '~' is cut to what the others leave of a line, and left out
        where that is too little to tell anything.
        """
        if self.json:
            return
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        # A row begins where its first cell does: none but ours begins one.
        columns, *rows = (
            [one_line(first), *map(visible, cells)] for first, *cells in (columns, *rows)
        )
        # Off a terminal lines may be long: a cut id in a log or a pipe helps nobody.
        console = Console(width=None if sys.stdout.isatty() else _LOG_WIDTH, highlight=False)
        room = console.width - _taken(columns, rows) if columns[-1].startswith("~") else None
        if room is not None and room < _LEAST_ROOM:
            columns, rows, room = columns[:-1], [row[:-1] for row in rows], None
        table = Table(title=title, title_justify="left", box=None, pad_edge=False)
        for place, column in enumerate(columns):
            right = column.startswith(">")
            name = Text(column.lstrip(">~"))
            table.add_column(
                name,
                justify="right" if right else "left",
                no_wrap=place == 0 or right,
                overflow="fold",
            )
        for row in rows:
            cells = [Text(cell) for cell in row]
            if room is not None:
                cells[-1].truncate(room, overflow="ellipsis")
            table.add_row(*cells)
        console.print(table)

    def code(self, text: str, language: str) -> None:
        """SQL or Python, indented, and in colours on a terminal."""
        if self.json:
            return
        if not sys.stdout.isatty():
            self.say("\n".join(f"    {line}" for line in text.splitlines()))
            return
        from rich.console import Console
        from rich.padding import Padding
        from rich.syntax import Syntax

        shown = Syntax(visible(text), language, word_wrap=True, background_color="default")
        Console().print(Padding(shown, (0, 0, 0, 4)))

    def result(self, value: Mapping[str, Any]) -> None:
        """The answer for programs."""
        if self.json:
            text = _strict(value)
            # Half of a surrogate pair, which no UTF-8 text can hold, is spelt as JSON spells it.
            sys.stdout.write(text.encode("utf-8", "backslashreplace").decode() + "\n")

    @contextmanager
    def progress(self, what: str) -> Iterator[Progress]:
        """A bar on a terminal, a line now and then elsewhere, nothing when quiet."""
        with self.progresses([what]) as (shown,):
            yield shown

    @contextmanager
    def progresses(self, names: Sequence[str]) -> Iterator[list[Progress]]:
        """The same for several things that go on side by side."""
        if self.quiet:
            yield [Progress() for _ in names]
        elif sys.stderr.isatty():
            from server.cli.bars import bars

            with bars(names) as shown:
                yield shown
        else:
            yield [Lines(name) for name in names]


def _strict(value: Mapping[str, Any]) -> str:
    """JSON that any reader takes: what is no number, or has no end, is unknown (null)."""

    def finite(part: Any) -> Any:
        if isinstance(part, float):
            return part if math.isfinite(part) else None
        if isinstance(part, Mapping):
            return {key: finite(each) for key, each in part.items()}
        return [finite(each) for each in part] if isinstance(part, (list, tuple)) else part

    try:
        return json_module.dumps(value, ensure_ascii=False, default=str, allow_nan=False)
    except ValueError:
        return json_module.dumps(finite(value), ensure_ascii=False, default=str, allow_nan=False)


def _taken(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> int:
    """How wide all columns but the last are, with the gaps behind them."""
    from rich.cells import cell_len

    widest = [
        max(cell_len(cell) for cell in (head.lstrip(">"), *cells))
        for head, *cells in zip(columns[:-1], *(row[:-1] for row in rows), strict=True)
    ]
    return sum(widest) + 2 * len(widest)


class Progress:
    """Told how far the work is; this one says nothing."""

    def update(self, done: float, total: float, what: str) -> None:
        """`done` of `total`, and what is being done right now."""


class Lines(Progress):
    """For logs: a line for each further tenth, and one every few seconds in between."""

    def __init__(self, what: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._what, self._tenth, self._told_at, self._told = what, -1, 0.0, ""

    def update(self, done: float, total: float, what: str) -> None:
        tenth = int(10 * done / total) if total else 0
        now = self._clock()
        pause = _SECONDS_BETWEEN_ALIKE if what == self._told else _SECONDS_BETWEEN_LINES
        if tenth == self._tenth and now - self._told_at < pause:
            return
        self._tenth, self._told_at, self._told = tenth, now, what
        percent = f"{100 * done / total:3.0f} %" if total else "     "
        sys.stderr.write(f"{self._what} {percent}  {what}\n")
        sys.stderr.flush()
