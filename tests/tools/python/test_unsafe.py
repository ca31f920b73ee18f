"""No sandbox at all: only by a name that says so, and every trajectory made with it says so too."""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contracts.sandbox import Session, processes_with
from tests.support.needs import needs
from tools.python import SANDBOXES
from tools.python.sandbox import UnsafeSandbox

pytestmark = needs("linux")


@pytest.fixture(scope="module")
def cell() -> Iterator[Session]:
    session = Session(UnsafeSandbox())
    yield session
    session.close()


def test_its_name_and_its_state_say_unsafe() -> None:
    assert UnsafeSandbox.name == "unsafe-none"
    assert "unsafe" in next(name for name, at in SANDBOXES.items() if at.endswith("UnsafeSandbox"))
    state = UnsafeSandbox().state()
    assert state.name == "unsafe-none"
    assert (state.detail or "").startswith("unsafe: no sandbox; cells run with the rights of")


def test_it_is_what_it_says(cell: Session, tmp_path: Path) -> None:
    (tmp_path / "x").write_text("the host's file", encoding="ascii")
    assert cell.value(f"open({str(tmp_path / 'x')!r}).read()") == '"the host\'s file"'
    assert cell.value("import os\nos.getuid()") == str(os.getuid())


def test_it_does_the_honest_work(cell: Session) -> None:
    cell.run("z = 41")
    assert cell.value("z + 1") == "42"
    assert cell.value("query('SELECT 1').dose.tolist()") == "[0.5, 1.5, 2.5]"


def test_not_even_here_are_there_keys_in_the_environment(
    cell: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-for-agents")
    session = Session(UnsafeSandbox())
    try:
        assert "sk-not" not in (session.value("import os\ndict(os.environ)") or "")
    finally:
        session.close()


def test_a_timeout_ends_the_cell_with_what_it_started(cell: Session) -> None:
    mark = f"mark-{uuid.uuid4()}"
    code = (
        "import subprocess, sys\n"
        f"code = 'import time; time.sleep(30)  # {mark}'\n"
        "child = subprocess.Popen([sys.executable, '-S', '-c', code])\n"
        "while True: pass"
    )
    assert cell.run(code, wall_s=1).killed == "timeout"
    last = time.monotonic() + 10
    while processes_with(mark):
        assert time.monotonic() < last
        time.sleep(0.01)
    assert cell.run("1 + 1").value == "2"


def test_its_folder_goes_with_the_session() -> None:
    session = Session(UnsafeSandbox())
    folder = Path((session.value("import os\nos.getcwd()") or "").strip("'"))
    session.run("open('x', 'w').write('x')")
    assert (folder / "x").exists()
    session.close()
    last = time.monotonic() + 10
    while folder.exists():
        assert time.monotonic() < last
        time.sleep(0.01)
