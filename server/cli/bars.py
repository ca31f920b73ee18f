"""Progress bars on a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from server.cli import output


class _Bar(output.Progress):
    def __init__(self, progress: Progress, task: TaskID) -> None:
        self._progress, self._task = progress, task

    def update(self, done: float, total: float, what: str) -> None:
        self._progress.update(self._task, completed=done, total=total or None, detail=what)


@contextmanager
def bars(names: Sequence[str]) -> Iterator[list[output.Progress]]:
    """A bar for each of what is going on; they stay, full, when the work is done."""
    columns = (
        TextColumn("{task.description:<10}", markup=False),
        BarColumn(bar_width=30),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeElapsedColumn(),
        TextColumn("{task.fields[detail]}", markup=False),
    )
    with Progress(*columns, console=Console(stderr=True)) as progress:
        yield [_Bar(progress, progress.add_task(name, total=None, detail="")) for name in names]
