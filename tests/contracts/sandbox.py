"""What every Python sandbox must keep and keep out; run it against a class of your own:

    from tests.contracts.sandbox import SandboxContract

    class TestMySandbox(SandboxContract):
        @pytest.fixture(scope="class")
        @classmethod
        def factory(cls) -> SandboxFactory:
            return MySandbox()

An attack here does no harm where it succeeds: it opens and writes nothing, its loops are bounded.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.errors import ToolError
from core.protocols import (
    CellLimits,
    CellResult,
    Kernel,
    QueryColumns,
    SandboxFactory,
)

SECRET = "a-key-that-no-cell-may-read"
FIELDS = ("visits.dose", "visits.id")


async def answer(sql: str) -> QueryColumns:
    """The way to the data that a kernel is handed here: three rows, or an error that helps."""
    import numpy as np
    import pandas as pd

    if "nope" in sql:
        raise ToolError('column "nope" not found; columns: id, dose', kind="sql")
    if "read_text" in sql:
        raise ToolError("out of reach", kind="refused", violations=("sql: read_text",))
    if "twins" in sql:
        return QueryColumns(payload=pickle.dumps([("n", [1]), ("n", [2])]), row_count=1)
    columns: dict[str, Any] = {
        "id": np.arange(3),
        "dose": np.array([0.5, 1.5, 2.5]),
        "note": pd.Categorical.from_codes([0, 1, 0], pd.Index(["a", "b"])),
    }
    return QueryColumns(
        payload=pickle.dumps(columns),
        row_count=3,
        truncated="range" in sql,
        accessed_fields=FIELDS,
    )


class Session:
    """One open kernel, called from plain code."""

    def __init__(self, factory: SandboxFactory) -> None:
        self.runner = asyncio.Runner()
        self.kernel: Kernel = self.runner.run(factory.open("contract", answer))

    def run(self, code: str, **limits: Any) -> CellResult:
        return self.runner.run(self.kernel.run(code, CellLimits(**limits)))

    def value(self, code: str) -> str | None:
        """The value of a cell that must go well."""
        result = self.run(code)
        assert result.error is None, result.error
        assert result.killed is None
        return result.value

    def close(self) -> None:
        self.runner.run(self.kernel.close())
        self.runner.close()


def processes_with(mark: str) -> list[int]:
    """Processes of this machine that have a mark in their command line."""
    found = []
    for place in Path("/proc").iterdir():
        if place.name.isdigit():
            try:
                line = (place / "cmdline").read_bytes()
            except OSError:
                continue
            if mark.encode() in line and int(place.name) != os.getpid():
                found.append(int(place.name))
    return found


class SandboxContract:
    """Subclass it and give it a `factory`."""

    @pytest.fixture(scope="class")
    @classmethod
    def factory(cls) -> SandboxFactory:
        raise NotImplementedError("give your sandbox's factory")

    @pytest.fixture(scope="class")
    @classmethod
    def session(cls, factory: SandboxFactory) -> Iterator[Session]:
        """One kernel for the whole class; it must recover from whatever a test does to it."""
        os.environ["DDR_CONTRACT_KEY"] = SECRET
        session = Session(factory)
        yield session
        session.close()
        del os.environ["DDR_CONTRACT_KEY"]

    def test_the_factory_has_a_name(self, factory: SandboxFactory) -> None:
        assert isinstance(factory, SandboxFactory)
        assert factory.name

    def test_variables_survive_and_the_last_expression_is_shown(self, session: Session) -> None:
        assert session.run("z = 41").value is None
        assert session.value("z + 1") == "42"

    def test_what_is_printed_comes_back(self, session: Session) -> None:
        result = session.run("import sys\nprint('out')\nprint('err', file=sys.stderr)")
        assert result.stdout.splitlines() == ["out", "err"]
        assert result.value is None
        assert not result.truncated

    def test_an_error_shows_the_agents_own_frames(self, session: Session) -> None:
        result = session.run("def f(x):\n    return 1 / x\n\nf(0)")
        assert result.killed is None
        assert result.error is not None
        assert result.error.splitlines()[-1] == "ZeroDivisionError: division by zero"
        assert "return 1 / x" in result.error
        assert result.error.count("File ") == 2

    def test_a_syntax_error_and_an_exit_end_the_cell_only(self, session: Session) -> None:
        session.run("kept = 1")
        assert "SyntaxError" in (session.run("1 +").error or "")
        assert "SystemExit" in (session.run("raise SystemExit(3)").error or "")
        assert session.value("kept") == "1"

    def test_a_fork_that_falls_out_of_a_cell_answers_nothing(self, session: Session) -> None:
        session.run("kept = 1")
        result = session.run("import os\nforked = os.fork()\nforked > 0")
        # Where the sandbox lets no process start, that is as good.
        assert result.value == "True" or "PermissionError" in (result.error or "")
        assert session.value("kept") == "1"

    def test_functions_and_classes_survive(self, session: Session) -> None:
        session.run(
            "import math\nclass P:\n    def area(self, r): return math.floor(r * r * math.pi)"
        )
        assert session.value("P().area(2)") == "12"

    def test_query_gives_a_data_frame_and_says_what_it_read(self, session: Session) -> None:
        result = session.run("df = query('SELECT * FROM visits')\ndf.dose.sum(), df.note.tolist()")
        assert result.error is None, result.error
        assert result.value is not None
        assert "4.5" in result.value
        assert "['a', 'b', 'a']" in result.value
        assert result.accessed_fields == FIELDS
        assert session.run("1").accessed_fields == ()

    def test_a_query_that_was_cut_says_so(self, session: Session) -> None:
        assert "cut at 3 rows" in session.run("x = query('FROM range')").stdout

    def test_a_query_that_fails_raises_with_the_text_that_helps(self, session: Session) -> None:
        result = session.run("query('SELECT nope FROM visits')")
        assert result.error is not None
        assert "columns: id, dose" in result.error
        assert session.value("query('SELECT 1').id.tolist()") == "[0, 1, 2]"

    def test_an_attempt_inside_a_query_is_recorded(self, session: Session) -> None:
        assert "sql: read_text" in session.run("query('FROM read_text(1)')").violations

    def test_reset_forgets_even_after_a_cell_that_failed(self, session: Session) -> None:
        session.run("z = 41\n1 / 0")
        assert session.value("z") == "41"
        session.run("raise ValueError('and then reset')")
        session.runner.run(session.kernel.reset())
        assert "NameError" in (session.run("z").error or "")

    def test_a_reset_that_was_asked_for_is_no_loss(self, session: Session) -> None:
        session.run("z = 1")
        session.runner.run(session.kernel.reset())
        assert not session.run("1").state_lost

    def test_columns_of_one_name_stay_apart(self, session: Session) -> None:
        assert session.value("query('SELECT twins').iloc[0].tolist()") in {
            "[1, 2]",
            "[np.int64(1), np.int64(2)]",
        }

    def test_a_figure_comes_back_as_png_and_is_closed(self, session: Session) -> None:
        drawn = session.run("import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()")
        assert drawn.error is None, drawn.error
        assert drawn.stdout == ""
        assert [picture[:8] for picture in drawn.figures] == [b"\x89PNG\r\n\x1a\n"]
        assert session.value("plt.get_fignums()") == "[]"
        assert session.run("1").figures == ()

    def test_figures_are_few_and_bounded(self, session: Session) -> None:
        code = (
            "import matplotlib.pyplot as plt\n"
            "for _ in range(12): plt.figure(); plt.imshow(np.random.rand(900, 900))\n"
        )
        drawn = session.run(code)
        assert drawn.killed is None
        assert len(drawn.figures) <= 8
        assert sum(map(len, drawn.figures)) <= 8 << 20

    def test_time_is_bounded_from_outside(self, session: Session) -> None:
        code = (
            "import signal\n"
            "for s in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM): signal.signal(s, signal.SIG_IGN)\n"
            "def f():\n"
            "  while True:\n"
            "    try:\n"
            "      while True: pass\n"
            "    except BaseException: pass\n"
            "f()\n"
        )
        session.run("z = 1")
        result = session.run(code, wall_s=1)
        assert result.killed == "timeout"
        after = session.run("z")
        assert "NameError" in (after.error or "")
        assert after.state_lost
        assert not session.run("1").state_lost

    def test_output_is_bounded(self, session: Session) -> None:
        result = session.run("print('x' * 200_000)", output_bytes=4096)
        assert result.killed in {None, "output"}
        assert result.truncated
        assert len(result.stdout) <= 4096
        flood = session.run("for _ in range(10**5): print('x' * 10**4)", output_bytes=4096)
        assert flood.killed == "output"
        assert session.value("1 + 1") == "2"

    def test_memory_is_bounded(self, session: Session) -> None:
        result = session.run("x = bytearray(10**11)")
        assert result.killed == "memory" or "MemoryError" in (result.error or "")
        assert session.value("1 + 1") == "2"

    def test_the_end_of_the_process_is_an_error_and_the_next_cell_works(
        self, session: Session
    ) -> None:
        result = session.run("import os\nos._exit(3)")
        assert result.killed or result.error
        assert session.run("1 + 1").value == "2"

    def test_a_file_of_the_host_cannot_be_read(self, session: Session, tmp_path: Path) -> None:
        secret = tmp_path / "checklist.json"
        secret.write_text(SECRET, encoding="ascii")
        secret.chmod(0o644)
        for path in (str(secret), "/etc/passwd", "/etc/shadow", __file__, "/proc/self/environ"):
            result = session.run(f"print(open({path!r}).read())")
            assert result.error, path
            assert SECRET not in result.stdout
            assert "root:" not in result.stdout

    def test_the_hosts_folders_cannot_be_listed(self, session: Session, tmp_path: Path) -> None:
        for folder in (tmp_path, Path.home(), Path("/root"), Path("/home"), Path("/etc")):
            result = session.run(f"import os\nos.listdir({str(folder)!r})")
            assert result.error, folder

    def test_nothing_can_be_written_but_an_own_tmp(self, session: Session) -> None:
        code = (
            "import os, sys\n"
            "def writable(folder):\n"
            "    try:\n"
            "        os.close(os.open(folder + '/x', os.O_WRONLY | os.O_CREAT)); return True\n"
            "    except OSError: return False\n"
            "places = ['/', os.path.dirname(os.__file__), os.path.dirname(sys.executable)]\n"
            "import pandas; places.append(os.path.dirname(pandas.__file__))\n"
            "import tempfile\n"
            "[writable(p) for p in places], writable(tempfile.gettempdir())\n"
        )
        assert session.value(code) == "([False, False, False, False], True)"

    def test_there_is_no_environment_of_the_host(self, session: Session) -> None:
        result = session.run("import os\nprint(dict(os.environ))")
        assert result.error is None
        assert SECRET not in result.stdout
        assert "DDR_" not in result.stdout
        assert os.environ.get("PATH", "-") not in result.stdout

    def test_there_is_no_network(self, session: Session) -> None:
        code = (
            "import socket\n"
            "def reach():\n"
            "    s = socket.socket(); s.settimeout(2); s.connect(('127.0.0.1', 22))\n"
            "reach()\n"
        )
        assert session.run(code).error
        assert session.run("import socket\nsocket.gethostbyname('pypi.org')").error

    def test_a_process_ends_with_its_cell_or_with_its_session(self, session: Session) -> None:
        mark = f"mark-{uuid.uuid4()}"
        start = (
            "import subprocess, sys\n"
            f"code = 'import time; time.sleep(30)  # {mark}'\n"
            "child = subprocess.Popen([sys.executable, '-S', '-c', code])\n"
        )
        result = session.run(start + "while True: pass", wall_s=1)
        # Where the sandbox lets no process start, that is as good.
        assert result.killed == "timeout" or result.error
        assert processes_with(mark) == []
        session.run(start)
        session.runner.run(session.kernel.reset())
        assert processes_with(mark) == []

    def test_sessions_do_not_see_each_other(
        self, session: Session, factory: SandboxFactory
    ) -> None:
        session.run("open('mine', 'w').write('x')\nmine = 1")
        other = Session(factory)
        try:
            assert other.value("import os\nos.path.exists('mine')") == "False"
            assert "NameError" in (other.run("mine").error or "")
        finally:
            other.close()

    def test_a_caller_that_goes_away_ends_its_cell(self, session: Session) -> None:
        async def leave() -> None:
            cell = asyncio.create_task(session.kernel.run("while True: pass", CellLimits()))
            await asyncio.sleep(0.05)
            cell.cancel()
            with pytest.raises(asyncio.CancelledError):
                await cell

        session.run("z = 1")
        session.runner.run(leave())
        after = session.run("2")
        assert after.value == "2"
        assert after.state_lost
