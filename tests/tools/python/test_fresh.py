"""Under protocol ddr Python forgets its variables after each call."""

from __future__ import annotations

import asyncio

from core.protocols import CellLimits, CellResult, Kernel, QueryFunction, SandboxFactory
from core.trajectory import Sandbox
from tests.contracts.sandbox import Session
from tests.tools.support import needs_sandbox
from tools.python.fresh import FreshPython
from tools.python.sandbox import BubblewrapSandbox


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


@needs_sandbox()
def test_a_cell_in_the_sandbox_finds_nothing_of_the_one_before() -> None:
    session = Session(FreshPython(BubblewrapSandbox()))
    try:
        assert session.value("z = 41\nopen('x', 'w').write('x')\nz") == "41"
        again = session.run("z")
        assert "NameError" in (again.error or "")
        assert not again.state_lost, "that was asked for, and is no loss"
        assert session.value("import os\nos.listdir('.')") == "[]"
        assert session.run("while True: pass", wall_s=0.5).killed == "timeout"
        assert not session.run("1").state_lost
    finally:
        session.close()
