"""execute_code as an agent meets it (field cases F56, F58 and F59)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.protocols import CellResult, Observation
from tests.tools.support import (
    ALL_FIELDS,
    ALL_TOOLS,
    Hand,
    needs_sandbox,
    open_tools,
    pool_of,
)
from tools.limits import ToolLimits
from tools.python.sandbox import BubblewrapSandbox
from tools.python.session import render_cell, verdict
from tools.toolset import ToolSet
from tools.values import compact

LIMITS = ToolLimits()
real_python = needs_sandbox()


@pytest.fixture(scope="module")
def python(visits: Path) -> Iterator[Hand]:
    with Hand(visits, ALL_TOOLS, BubblewrapSandbox()) as hand:
        yield hand


def data(seen: Observation) -> dict[str, Any]:
    assert seen.data is not None
    return seen.data


@real_python
def test_state_survives_and_the_last_expression_is_shown(python: Hand) -> None:
    assert data(python.python("z = 41")) == {
        "truncated": False,
        "truncation_reason": None,
        "note": None,
        "stdout": "",
        "value": None,
        "error": None,
    }
    assert data(python.python("z + 1"))["value"] == "42"


@real_python
def test_a_failed_cell_is_a_failed_call(python: Hand) -> None:
    seen = python.python("print('so far')\n1 / 0")
    assert seen.is_error
    assert seen.error_kind == "python"
    assert data(seen)["stdout"] == "so far\n"
    assert data(seen)["error"].endswith("ZeroDivisionError: division by zero")


@real_python
def test_a_timeout_says_that_the_variables_are_gone(python: Hand) -> None:
    python.python("z = 41")
    seen = python.python("def f():\n  while True: pass\nf()", timeout=0.5)
    assert seen.error_kind == "timeout"
    assert "0.5 s" in data(seen)["error"]
    assert "all variables are gone" in data(seen)["error"]
    after = python.python("z")
    assert "NameError" in data(after)["error"]
    assert "restarted before this call" in data(after)["note"]
    assert data(python.python("1"))["note"] is None


@real_python
def test_a_query_inside_reads_through_the_same_gate_and_is_logged(python: Hand) -> None:
    seen = python.python("df = query('SELECT * FROM visits ORDER BY id')\ndf.dose.sum(), len(df)")
    assert data(seen)["value"] == "(np.float64(5662.5), 150)"
    assert seen.accessed_fields == ALL_FIELDS
    seen = python.python("query('SELECT patient, avg(dose) AS d FROM visits GROUP BY 1')")
    assert seen.accessed_fields == ("visits.dose", "visits.patient")
    assert "patient" in data(seen)["value"]


@real_python
def test_a_query_inside_fails_with_the_columns_that_exist(python: Hand) -> None:
    seen = python.python("query('SELECT dosis FROM visits')")
    assert seen.error_kind == "python"
    assert "QueryError" in data(seen)["error"]
    assert "columns of visits: dose" in data(seen)["error"]
    caught = "try:\n    query('SELECT 1; SELECT 2')\nexcept QueryError as e:\n    print(e)"
    assert "one statement per call" in data(python.python(caught))["stdout"]


@real_python
@pytest.mark.parametrize(
    ("sql", "violation"),
    [
        ("SELECT * FROM read_text('../qa.json')", "sql: read_text"),
        ("COPY visits TO '/tmp/x.csv'", "sql: COPY"),
    ],
)
def test_no_query_inside_reaches_further(python: Hand, sql: str, violation: str) -> None:
    seen = python.python(f'query("{sql}")')
    assert seen.is_error
    assert violation in seen.violations


@real_python
def test_a_frame_keeps_its_types_on_the_way(python: Hand, visits: Path) -> None:
    code = (
        "df = query('''SELECT id, dose, created_at, note, IF(id % 2 = 0, NULL, id) AS n,"
        " [id] AS l, TIMESTAMPTZ '2024-01-01 00:00:00+00' AS z, id::VARCHAR AS s FROM visits''')\n"
        "[str(t) for t in df.dtypes], df.note.str.upper()[0], int(df.n.isna().sum())"
    )
    value = data(python.python(code))["value"]
    assert value == (
        "(['int64', 'float64', 'datetime64[us]', 'str', 'Int64', 'object',"
        " 'datetime64[us, UTC]', 'str'], 'DELETE; UPDATE', 75)"
    )


@real_python
def test_a_hundred_thousand_rows_arrive(python: Hand) -> None:
    code = "df = query(\"SELECT range AS i, 'word ' || range % 7 AS w FROM range(100000)\")\n"
    value = data(python.python(code + "int(df.i.sum()), df.w.nunique(), df.w.dtype.name"))["value"]
    assert value == "(4999950000, 7, 'str')"


@real_python
def test_a_query_without_end_inside_dies_with_its_cell(python: Hand) -> None:
    endless = (
        "SELECT count(*) FROM range(100000000) a, range(100000000) b WHERE a.range = b.range + 1"
    )
    seen = python.python(f"query('{endless}')", timeout=0.5)
    assert seen.error_kind == "timeout"
    assert python.rows("SELECT 1") == [[1]]


@real_python
@pytest.mark.parametrize(
    ("code", "violation"),
    [
        ("print(open('../qa.json').read())", "python: /qa.json"),
        (
            "import glob; print(glob.glob('/**/*checklist*', recursive=True))",
            "python: /**/*checklist*",
        ),
        ("print(open('/proc/self/environ').read())", "python: /proc/self/environ"),
        ("from datasets import load_dataset", None),
    ],
)
def test_the_answers_are_nowhere_to_be_read(
    python: Hand, code: str, violation: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-for-agents")
    seen = python.python(code)
    assert seen.is_error or data(seen)["stdout"] == "[]\n"
    assert "sk-not-for-agents" not in seen.text
    if violation:
        assert violation in seen.violations


@real_python
def test_no_reply_names_a_path_of_the_host(python: Hand, visits: Path) -> None:
    seen = python.python(
        "import sysconfig, sys\n"
        "print(sysconfig.get_config_vars(), sys.version, sys.flags, sysconfig.get_paths())"
    )
    assert not seen.is_error
    for folder in (Path.home(), visits.parent, Path(__file__).parents[3]):
        assert f"{folder}/" not in seen.text


@real_python
@pytest.mark.real
@pytest.mark.parametrize(
    ("code", "kind", "said"),
    [
        ("def f():\n  while True: pass\nf()", "timeout", "time limit"),
        ("x = bytearray(10**11)", "limit", "memory limit"),
        (
            "import subprocess, sys, time\n"
            "subprocess.Popen([sys.executable, '-S', '-c', 'import time; time.sleep(300)'])\n"
            "time.sleep(99)",
            "timeout",
            "time limit",
        ),
        ("print('x' * 10**9)", "limit", "printed"),
    ],
)
def test_a_limit_that_code_steps_over_is_named(
    python: Hand, code: str, kind: str, said: str
) -> None:
    seen = python.python(code, timeout=4 if kind == "timeout" else 45)
    assert seen.error_kind == kind
    assert said in data(seen)["error"]
    assert data(python.python("40 + 2"))["value"] == "42"


@real_python
def test_want_of_memory_inside_keeps_the_variables_and_says_so(python: Hand) -> None:
    python.python("z = 41")
    seen = python.python("np.zeros(10**11)")
    assert seen.error_kind == "limit"
    assert "the variables are kept" in data(seen)["error"]
    assert data(python.python("z"))["value"] == "41"


@real_python
def test_long_output_is_cut_to_one_reply(python: Hand) -> None:
    seen = python.python("for i in range(5000): print('line', i)\nlist(range(9000))")
    assert len(seen.text) <= 8000
    assert seen.truncated
    assert data(seen)["truncation_reason"] == "bytes"
    assert data(seen)["stdout"].startswith("line 0\nline 1\n")
    assert "clipped" in data(seen)["stdout"]
    assert "Output was cut" in data(seen)["note"]


@real_python
def test_what_was_printed_can_be_read_page_by_page(python: Hand) -> None:
    seen = python.python("for i in range(9000): print('line', i)")
    whole = "".join(f"line {i}\n" for i in range(9000))[:65536]
    assert "output_offset and no code (0 to 65536; " in data(seen)["note"]
    pages: list[str] = []
    while True:
        page = python.call("execute_code", output_offset=sum(map(len, pages)), reply_chars=32_000)
        assert len(page.text) <= 32_000
        pages.append(data(page)["stdout"])
        if not page.truncated:
            break
        assert f"Go on with output_offset {sum(map(len, pages))}." in data(page)["note"]
    assert "".join(pages) == whole
    assert len(pages) <= 4
    beyond = python.call("execute_code", output_offset=10**6)
    assert data(beyond)["stdout"] == ""
    assert not beyond.truncated


@real_python
def test_paging_runs_nothing(python: Hand) -> None:
    python.python("n = 41\nprint('once')")
    assert data(python.call("execute_code", output_offset=1))["stdout"] == "nce\n"
    assert data(python.python("n"))["value"] == "41"
    assert python.call("execute_code", output_offset=0, code="1").error_kind == "arguments"
    assert "needs 'code'" in python.call("execute_code").text


@real_python
def test_a_longer_reply_comes_on_request(python: Hand) -> None:
    seen = python.python("print('x' * 30_000)", reply_chars=32_000)
    assert 30_000 < len(seen.text) <= 32_000
    assert not seen.truncated


@real_python
def test_a_reset_works_even_where_the_cell_fails(python: Hand) -> None:
    python.python("z = 41")
    assert python.python("1/0", reset=True).error_kind == "python"
    assert "NameError" in python.python("z").text


@real_python
def test_two_sessions_have_their_own_variables(visits: Path) -> None:
    async def interleave() -> list[str]:
        pool = pool_of(visits)
        await pool.start()
        tools = [
            ToolSet(pool, names=ALL_TOOLS, sandbox=BubblewrapSandbox(), session=name)
            for name in ("a", "b")
        ]
        seen = []
        for i in range(5):
            for n, one in enumerate(tools):
                await one.call("execute_code", {"code": f"x = {n * 100 + i}"})
            seen += [(await one.call("execute_code", {"code": "x"})).data for one in tools]
        for one in tools:
            await one.close()
        await pool.close()
        return [one["value"] for one in seen if one]

    assert asyncio.run(interleave()) == [
        value for i in range(5) for value in (str(i), str(100 + i))
    ]


@real_python
def test_parallel_cells_of_one_session_wait_their_turn(visits: Path) -> None:
    async def together() -> list[Any]:
        async with open_tools(visits, names=ALL_TOOLS, sandbox=BubblewrapSandbox()) as tools:
            await tools.call("execute_code", {"code": "n = 0"})
            calls = (tools.call("execute_code", {"code": "n += 1\nn"}) for _ in range(6))
            seen = await asyncio.gather(*calls)
            return sorted(one.data["value"] for one in seen if one.data)

    assert asyncio.run(together()) == ["1", "2", "3", "4", "5", "6"]


@real_python
def test_a_longer_timeout_is_lowered_and_said(python: Hand) -> None:
    seen = python.python("1", timeout=600)
    assert data(seen)["note"] == "timeout 600 was lowered to 45."
    assert not seen.is_error


def test_without_a_sandbox_python_is_not_offered_and_says_why(hand: Hand, visits: Path) -> None:
    with Hand(visits, ALL_TOOLS, None) as bare:
        assert [spec.name for spec in bare.list()] == list(ALL_TOOLS[:3])
        assert bare.tools.sandbox_state.name == "off"
        seen = bare.python("1")
        assert seen.error_kind == "unknown_tool"
        assert "execute_code is off: no sandbox was chosen" in seen.text
    assert hand.tools.sandbox_state.detail == "the tools of this run leave Python out"


def test_a_machine_that_cannot_hold_python_says_so_in_the_state(visits: Path) -> None:
    from core.protocols import Kernel, QueryFunction
    from core.trajectory import Sandbox

    class Impossible:
        name = "impossible"

        def state(self) -> Sandbox:
            return Sandbox(name="off", detail="no user namespaces; run: sysctl -w a=1")

        async def open(self, session: str, query: QueryFunction) -> Kernel:
            raise AssertionError("must not be asked")

    with Hand(visits, ALL_TOOLS, Impossible()) as hand:
        assert "execute_code" not in {spec.name for spec in hand.list()}
        assert hand.tools.sandbox_state.detail == "no user namespaces; run: sysctl -w a=1"
        assert "no user namespaces" in hand.python("1").text
        assert hand.rows("SELECT 1") == [[1]]


def test_a_sandbox_that_breaks_is_an_error_of_its_own_kind(visits: Path) -> None:
    from core.errors import SandboxError
    from core.protocols import Kernel, QueryFunction

    class Broken:
        name = "broken"

        async def open(self, session: str, query: QueryFunction) -> Kernel:
            raise SandboxError("bubblewrap went away")

    with Hand(visits, ALL_TOOLS, Broken()) as hand:
        assert hand.tools.sandbox_state.name == "broken"
        seen = hand.python("1")
        assert seen.error_kind == "sandbox"
        assert "bubblewrap went away" in seen.text


@pytest.mark.parametrize(
    ("result", "kind", "said"),
    [
        (CellResult(), None, None),
        (CellResult(killed="timeout"), "timeout", "time limit of 5 s"),
        (CellResult(killed="memory"), "limit", "want of memory"),
        (CellResult(killed="output"), "limit", "printed far more"),
        (CellResult(killed="disk"), "limit", "ended (disk)"),
        (CellResult(error="ValueError: x"), "python", "ValueError: x"),
        (CellResult(error="MemoryError\nmemory limit: the sandbox"), "limit", "MemoryError"),
    ],
)
def test_every_end_of_a_cell_has_its_kind(
    result: CellResult, kind: str | None, said: str | None
) -> None:
    found, text = verdict(result, 5, LIMITS)
    assert found == kind
    assert (said or "") in (text or "")
    if result.killed:
        assert "variables are gone" in (text or "")


@pytest.mark.parametrize("text", ["x" * 50_000, "\n" * 50_000, 'ü\t"' * 20_000, "\x01" * 30_000])
def test_any_output_fits_into_a_reply(text: str) -> None:
    for result in (
        CellResult(stdout=text, value="1"),
        CellResult(stdout="a", value=text),
        CellResult(stdout=text, value=text, error=text),
    ):
        shown = render_cell(result, result.error, ["a note."], LIMITS, LIMITS.reply_chars)
        assert len(compact(shown)) <= LIMITS.reply_chars
        assert shown["truncated"]
        assert json.loads(compact(shown)) == shown


def test_a_small_text_is_not_cut_for_a_large_one() -> None:
    shown = render_cell(
        CellResult(stdout="x" * 50_000, value="42"), None, [], LIMITS, LIMITS.reply_chars
    )
    assert shown["value"] == "42"
    assert len(shown["stdout"]) > 6000


@real_python
def test_a_reset_comes_first_and_holds_even_where_the_cell_fails(python: Hand) -> None:
    python.python("z = 41")
    seen = python.python("raise ValueError('on purpose')", reset=True)
    assert seen.error_kind == "python"
    assert data(seen)["note"] is None
    assert "NameError" in data(python.python("z"))["error"]
    assert "NameError" in data(python.python("y = 1; z", reset=True))["error"]
    assert data(python.python("y"))["value"] == "1"


@real_python
def test_a_figure_goes_with_the_reply_and_the_text_counts_it(python: Hand) -> None:
    seen = python.python("import matplotlib.pyplot as plt\nplt.plot([1, 2])\nNone", timeout=45)
    assert not seen.is_error, seen.text
    assert [picture[:4] for picture in seen.images] == [b"\x89PNG"]
    assert data(seen)["note"] == "1 figure was drawn (PNG)."
    assert python.python("1").images == ()


@real_python
def test_two_columns_of_one_name_both_arrive(python: Hand) -> None:
    seen = python.python("query('SELECT 1 AS n, 2 AS n').iloc[0].tolist()")
    assert data(seen)["value"] == "[1, 2]"


@real_python
def test_a_session_that_is_closed_while_python_starts_leaves_no_kernel() -> None:
    from core.errors import SandboxError
    from core.protocols import Kernel, QueryFunction
    from tests.contracts.sandbox import answer
    from tools.python.session import PythonSession

    opened: list[Kernel] = []

    class Slow:
        name = "slow"

        async def open(self, session: str, query: QueryFunction) -> Kernel:
            opened.append(await BubblewrapSandbox().open(session, query))
            return opened[0]

    async def close_at_once() -> None:
        session = PythonSession(Slow(), answer, LIMITS, "s")
        cell = asyncio.create_task(session.run("1", 5))
        await asyncio.sleep(0)
        await session.close()
        with pytest.raises(SandboxError, match="closed"):
            await cell

    asyncio.run(close_at_once())
    assert opened[0]._live is None  # type: ignore[attr-defined]
