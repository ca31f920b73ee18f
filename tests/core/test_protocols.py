"""The contracts: what fulfils them is known by its shape, and core needs nothing heavy."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

import pytest

from core.protocols import (
    Agent,
    CellLimits,
    CellResult,
    ChatModel,
    Checker,
    Finish,
    Kernel,
    Observation,
    QueryFunction,
    SandboxFactory,
    Tools,
    ToolSpec,
)
from core.run import Limits
from core.scenario import Task
from core.trajectory import Insight, Turn


class NoTools:
    async def list(self) -> Sequence[ToolSpec]:
        return ()

    async def call(self, name: str, arguments: Mapping[str, Any]) -> Observation:
        return Observation(text=f"no tool {name!r}", is_error=True, error_kind="unknown_tool")


class SilentAgent:
    name = "silent"

    async def explore(
        self, task: Task, tools: Tools, model: ChatModel | None, limits: Limits
    ) -> AsyncIterator[Turn | Insight | Finish]:
        yield Finish(report=None)


class NoKernel:
    async def run(self, code: str, limits: CellLimits) -> CellResult:
        return CellResult(error="off")

    async def reset(self) -> None: ...

    async def close(self) -> None: ...


@pytest.mark.parametrize(
    ("thing", "contract"), [(NoTools(), Tools), (SilentAgent(), Agent), (NoKernel(), Kernel)]
)
def test_what_has_the_shape_fulfils_the_contract(thing: object, contract: type) -> None:
    assert isinstance(thing, contract)


@pytest.mark.parametrize("contract", [ChatModel, Checker, SandboxFactory, QueryFunction, Tools])
def test_what_lacks_the_shape_does_not(contract: type) -> None:
    assert not isinstance(object(), contract)


def test_the_types_of_an_agent_fit_its_contract() -> None:
    agent: Agent = SilentAgent()
    tools: Tools = NoTools()
    kernel: Kernel = NoKernel()
    assert agent.name == "silent"
    assert tools
    assert kernel


def test_a_tools_answer_is_well_unless_it_says_otherwise() -> None:
    seen = Observation(text="[]")
    assert (seen.is_error, seen.truncated, seen.violations) == (False, False, ())


def test_a_cell_has_limits_unless_it_is_given_others() -> None:
    limits = CellLimits()
    assert (limits.wall_s, limits.memory_mb, limits.output_bytes) == (30.0, 2048, 65536)


def test_an_agent_may_finish_without_a_report() -> None:
    assert Finish(report=None).report is None


def test_core_loads_nothing_but_pydantic_and_the_standard_library() -> None:
    code = (
        "import sys; before = set(sys.modules); import core.checklist, core.evaluation,"
        " core.plugins, core.protocols, core.run; print(*set(sys.modules) - before)"
    )
    loaded = subprocess.check_output([sys.executable, "-c", code], text=True).split()
    tops = {name.split(".")[0] for name in loaded} - sys.stdlib_module_names
    of_pydantic = {"pydantic_core", "annotated_types", "typing_extensions", "typing_inspection"}
    strangers = {name for name in tops if not name.startswith("_sysconfigdata")}
    assert strangers <= {"core", "pydantic"} | of_pydantic
