"""Under protocol ddr Python forgets its variables after each call."""

from __future__ import annotations

import asyncio

from core.protocols import CellLimits, CellResult, Kernel, QueryFunction, SandboxFactory
from core.trajectory import Sandbox
from tools.python.fresh import FreshPython


class Remembering:
    """A kernel that remembers its cells until it is reset."""

    def __init__(self) -> None:
        self.cells: list[str] = []
        self.closed = False

    async def run(self, code: str, limits: CellLimits) -> CellResult:
        self.cells.append(code)
        return CellResult(stdout=" ".join(self.cells))

    async def reset(self) -> None:
        self.cells.clear()

    async def close(self) -> None:
        self.closed = True


class Factory:
    """Holds one such kernel."""

    name = "small"

    def __init__(self) -> None:
        self.kernel = Remembering()

    def state(self) -> Sandbox:
        return Sandbox(name="off", detail="not here")

    async def open(self, session: str, query: QueryFunction) -> Kernel:
        return self.kernel


def never(sql: str) -> object:
    raise AssertionError(sql)


def test_each_cell_begins_with_nothing_and_the_kernel_is_closed_with_the_session() -> None:
    factory = Factory()

    async def two_cells() -> list[str]:
        kernel = await FreshPython(factory).open("s", never)  # type: ignore[arg-type]
        said = [(await kernel.run(code, CellLimits())).stdout for code in ("a", "b")]
        await kernel.close()
        return said

    assert asyncio.run(two_cells()) == ["a", "b"]
    assert factory.kernel.closed


def test_how_python_is_held_is_told_by_the_sandbox_itself() -> None:
    fresh = FreshPython(Factory())
    assert isinstance(fresh, SandboxFactory)
    assert (fresh.name, fresh.state()) == ("small", Sandbox(name="off", detail="not here"))
