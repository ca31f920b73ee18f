"""The set-up: nothing unpinned is run, nothing half made is used, two at once do not collide."""

from __future__ import annotations

import hashlib
import io
import os
import platform
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from server import bootstrap

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "server" / "bootstrap.py"

Checkout = Callable[[str], Path]


def wheel(program: bytes) -> bytes:
    """A wheel like uv's, with another program in it."""
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w") as archive:
        archive.writestr(f"uv-{bootstrap.UV_VERSION}.data/scripts/uv", program)
    return body.getvalue()


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """Makes an empty checkout whose uv is the given shell script; it logs each call in `calls`."""

    def make(script: str = "exit 0") -> Path:
        root = tmp_path / "check out"
        program = root / ".cache" / f"uv-{bootstrap.UV_VERSION}" / "uv"
        program.parent.mkdir(parents=True)
        program.write_text(f'#!/bin/sh\necho "$@" >>"{root}/calls"\n{script}\n', encoding="utf-8")
        program.chmod(0o755)
        return root

    return make


def set_up(root: Path, stamp: str = "made from this") -> subprocess.CompletedProcess[str]:
    """Run the set-up as the launcher does: a process of its own, isolated."""
    command = [sys.executable, "-I", str(SCRIPT), str(root), f"{root}\n{stamp}"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def calls(root: Path) -> list[str]:
    return (root / "calls").read_text(encoding="utf-8").splitlines()


# The pin


def test_a_tampered_wheel_is_refused_and_both_hashes_are_named(tmp_path: Path) -> None:
    served = tmp_path / "uv.whl"
    served.write_bytes(wheel(b"tampered"))
    pinned = hashlib.sha256(wheel(b"honest")).hexdigest()
    with pytest.raises(bootstrap.SetupError, match=r"refused uv\.whl") as caught:
        bootstrap.download(served.as_uri(), pinned)
    assert pinned in str(caught.value)
    assert hashlib.sha256(served.read_bytes()).hexdigest() in str(caught.value)


def test_a_tampered_wheel_leaves_no_program_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    served = tmp_path / "uv.whl"
    served.write_bytes(wheel(b"tampered"))
    here = (platform.system(), platform.machine())
    monkeypatch.setitem(bootstrap.WHEELS, here, (served.as_uri(), "0" * 64))
    with pytest.raises(bootstrap.SetupError):
        bootstrap.uv_program(tmp_path)
    assert not list(tmp_path.rglob("uv"))


def test_the_pinned_wheel_is_unpacked_and_can_be_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    served = tmp_path / "uv.whl"
    served.write_bytes(wheel(b"#!/bin/sh\necho here\n"))
    pinned = hashlib.sha256(served.read_bytes()).hexdigest()
    here = (platform.system(), platform.machine())
    monkeypatch.setitem(bootstrap.WHEELS, here, (served.as_uri(), pinned))
    program = bootstrap.uv_program(tmp_path)
    assert subprocess.check_output([program], text=True) == "here\n"
    assert [path.name for path in program.parent.iterdir()] == ["uv"]


def test_a_wheel_without_the_program_leaves_nothing_half_written(tmp_path: Path) -> None:
    body = io.BytesIO()
    zipfile.ZipFile(body, "w").close()
    with pytest.raises(KeyError):
        bootstrap.unpack_uv(body.getvalue(), tmp_path / "bin" / "uv")
    assert list((tmp_path / "bin").iterdir()) == []


def test_an_unreachable_index_is_told_with_what_to_set(tmp_path: Path) -> None:
    with pytest.raises(bootstrap.SetupError, match=r"HTTPS_PROXY.*SSL_CERT_FILE"):
        bootstrap.download((tmp_path / "absent.whl").as_uri(), "0" * 64, attempts=1)


def test_every_pinned_wheel_comes_from_pypi_and_has_a_whole_hash() -> None:
    assert {("Linux", "x86_64"), ("Linux", "aarch64"), ("Darwin", "arm64")} <= set(bootstrap.WHEELS)
    for url, sha256 in bootstrap.WHEELS.values():
        assert url.startswith("https://files.pythonhosted.org/packages/")
        assert url.endswith(".whl")
        assert bootstrap.UV_VERSION in url
        assert len(bytes.fromhex(sha256)) == 32


def test_a_platform_without_a_pin_uses_the_uv_that_stands_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "uv"
    own.write_text("#!/bin/sh\n", encoding="utf-8")
    own.chmod(0o755)
    monkeypatch.setattr(platform, "machine", lambda: "sparc64")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert bootstrap.uv_program(tmp_path / "root") == own


def test_a_platform_without_a_pin_and_without_uv_is_told_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "sparc64")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(bootstrap.SetupError, match=r"no uv is pinned for .* sparc64; install uv"):
        bootstrap.uv_program(tmp_path)


def test_only_pypi_is_named_in_the_lock() -> None:
    lock = (ROOT / "uv.lock").read_text(encoding="utf-8")
    hosts = {part.split("/")[0] for part in lock.split("https://")[1:]}
    assert {host.rstrip('"') for host in hosts} == {"pypi.org", "files.pythonhosted.org"}


# The machine's own settings


def test_uv_gets_the_callers_settings_and_this_venv_alone(tmp_path: Path) -> None:
    given = {
        "UV_INDEX_URL": "https://mirror.example/simple",
        "HTTPS_PROXY": "http://proxy.example:3128",
        "VIRTUAL_ENV": "/somewhere/else",
        "UV_PYTHON": "3.9",
        "UV_PROJECT_ENVIRONMENT": "/somewhere/else",
    }
    environ = bootstrap.uv_environment(tmp_path, given)
    assert environ["UV_INDEX_URL"] == given["UV_INDEX_URL"]
    assert environ["HTTPS_PROXY"] == given["HTTPS_PROXY"]
    assert environ["UV_PROJECT_ENVIRONMENT"] == str(tmp_path / ".venv")
    assert "VIRTUAL_ENV" not in environ
    assert "UV_PYTHON" not in environ


def test_the_cache_lies_in_the_checkout_unless_the_caller_has_one(tmp_path: Path) -> None:
    assert bootstrap.uv_environment(tmp_path, {})["UV_CACHE_DIR"] == str(tmp_path / ".cache" / "uv")
    assert bootstrap.uv_environment(tmp_path, {"UV_CACHE_DIR": "/c"})["UV_CACHE_DIR"] == "/c"


def test_certificates_named_for_pip_are_trusted_by_uv_too(tmp_path: Path) -> None:
    bundle = tmp_path / "company.pem"
    bundle.touch()
    environ = bootstrap.uv_environment(tmp_path, {"PIP_CERT": str(bundle)})
    assert environ["SSL_CERT_FILE"] == str(bundle)


def test_ssl_cert_file_goes_before_what_was_named_for_pip(tmp_path: Path) -> None:
    bundle = tmp_path / "company.pem"
    bundle.touch()
    given = {"PIP_CERT": str(bundle), "SSL_CERT_FILE": "/etc/own.pem"}
    assert bootstrap.uv_environment(tmp_path, given)["SSL_CERT_FILE"] == "/etc/own.pem"


def test_a_certificate_file_that_is_not_there_is_not_handed_on(tmp_path: Path) -> None:
    given = {"PIP_CERT": str(tmp_path / "gone.pem")}
    assert "SSL_CERT_FILE" not in bootstrap.uv_environment(tmp_path, given)


# What stands afterwards


def test_a_set_up_makes_a_venv_without_pip_and_asks_uv_for_the_locked_packages(
    checkout: Checkout,
) -> None:
    root = checkout("exit 0")
    done = set_up(root)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert "setting up" in done.stderr
    assert (root / ".venv" / "bin" / "python").exists()
    assert not (root / ".venv" / "bin" / "pip").exists()
    assert calls(root)[0].startswith("sync --frozen ")
    assert bootstrap.read_stamp(root) == f"{root}\nmade from this"


def test_a_second_set_up_from_the_same_files_does_nothing(checkout: Checkout) -> None:
    root = checkout("exit 0")
    set_up(root)
    assert set_up(root).stderr == ""
    assert len(calls(root)) == 1


def test_a_changed_lock_syncs_again_in_the_same_venv(checkout: Checkout) -> None:
    root = checkout("exit 0")
    set_up(root)
    (root / ".venv" / "kept").touch()
    set_up(root, "made from that")
    assert len(calls(root)) == 2
    assert (root / ".venv" / "kept").exists()


def test_the_tests_tools_stay_when_the_lock_changes(checkout: Checkout) -> None:
    root = checkout("exit 0")
    set_up(root)
    (root / ".venv" / "bin" / "pytest").touch()
    set_up(root, "made from that")
    assert ["--group dev" in call for call in calls(root)] == [False, True]


def test_a_venv_that_someone_made_by_hand_is_taken_over(checkout: Checkout) -> None:
    root = checkout("exit 0")
    command = [sys.executable, "-m", "venv", "--without-pip", str(root / ".venv")]
    subprocess.run(command, check=True)
    (root / ".venv" / "kept").touch()
    assert set_up(root).returncode == 0
    assert (root / ".venv" / "kept").exists()


def test_a_moved_checkout_gets_a_new_venv(checkout: Checkout) -> None:
    root = checkout("exit 0")
    set_up(root)
    (root / ".venv" / "old").touch()
    moved = root.rename(root.with_name("moved"))
    assert set_up(moved).returncode == 0
    assert not (moved / ".venv" / "old").exists()


def test_a_failed_sync_is_told_and_the_next_call_starts_from_nothing(checkout: Checkout) -> None:
    root = checkout(f'[ -e "{ROOT}/nowhere" ] || exec false')
    done = set_up(root)
    assert done.returncode == 1
    assert "uv could not install" in done.stderr
    (root / ".venv" / "half made").touch()
    program = root / ".cache" / f"uv-{bootstrap.UV_VERSION}" / "uv"
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    assert set_up(root).returncode == 0
    assert not (root / ".venv" / "half made").exists()


def test_a_set_up_killed_in_the_middle_is_made_good_by_the_next(checkout: Checkout) -> None:
    root = checkout('touch "$UV_PROJECT_ENVIRONMENT/half made"; echo begun; exec sleep 600')
    command = [sys.executable, "-I", str(SCRIPT), str(root), f"{root}\nmade from this"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, start_new_session=True) as process:
        assert process.stderr is not None
        while b"begun" not in process.stderr.readline():
            pass
        os.killpg(process.pid, 9)
    program = root / ".cache" / f"uv-{bootstrap.UV_VERSION}" / "uv"
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    done = set_up(root)
    assert done.returncode == 0, done.stderr
    assert not (root / ".venv" / "half made").exists()
    assert bootstrap.read_stamp(root) == f"{root}\nmade from this"


def test_of_two_first_calls_at_once_one_sets_up_and_the_other_waits_for_it(
    checkout: Checkout, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    root = checkout(f'cat "{gate}"')
    command = [sys.executable, "-I", str(SCRIPT), str(root), f"{root}\nmade from this"]
    with subprocess.Popen(command, stderr=subprocess.PIPE) as first:
        held = gate.open("w")  # opens once the first one's uv reads from it
        with subprocess.Popen(command, stderr=subprocess.PIPE) as second:
            assert second.stderr
            assert b"waiting for it" in second.stderr.readline()
            assert first.poll() is None
            held.close()
    assert [first.returncode, second.returncode] == [0, 0]
    assert len(calls(root)) == 1


def test_the_tests_tools_are_added_to_a_venv_that_stands(checkout: Checkout) -> None:
    root = checkout("exit 0")
    set_up(root)
    bootstrap.add_tools(root)
    assert "--group dev" in calls(root)[-1]
    assert bootstrap.read_stamp(root) == f"{root}\nmade from this"


def test_a_folder_that_may_not_be_written_is_told_in_one_line(tmp_path: Path) -> None:
    root = tmp_path / "file"
    root.touch()
    done = set_up(root)
    assert done.returncode == 1
    assert done.stderr.startswith("ddr: the set-up failed: ")
    assert "Traceback" not in done.stderr


def test_it_imports_nothing_but_the_standard_library() -> None:
    code = f"import runpy, sys; runpy.run_path({str(SCRIPT)!r}); print(*sys.modules)"
    loaded = subprocess.check_output([sys.executable, "-I", "-S", "-c", code], text=True).split()
    names = {name.split(".")[0] for name in loaded} - {"__main__"}
    assert names <= sys.stdlib_module_names | {"encodings"}
