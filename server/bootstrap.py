"""Make .venv from uv.lock with a bare Python: the launcher's first call, standard library only.

`./ddr` runs this file with the system's interpreter before anything is installed, so it imports
nothing of the project. It needs neither pip nor ensurepip (Debian ships Python without both):
uv comes as a wheel from PyPI whose sha-256 is written here.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import platform
import shutil
import ssl
import subprocess
import sys
import urllib.request
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

UV_VERSION = "0.13.9"
FILES = "https://files.pythonhosted.org/packages"
MANYLINUX = f"uv-{UV_VERSION}-py3-none-manylinux_2_17"
WHEELS: dict[tuple[str, str], tuple[str, str]] = {
    ("Linux", "x86_64"): (
        f"{FILES}/3d/aa/26d64642d808de4a652579ef950d7cd2d37f080a8babf9c67c6b75fc4c3f"
        f"/{MANYLINUX}_x86_64.manylinux2014_x86_64.whl",
        "d7f459fe4fd247d830351c75686d3996ace3c6f3f728eb0e85a30b7ada0cef19",
    ),
    ("Linux", "aarch64"): (
        f"{FILES}/57/15/94b6cd62ac3ff6550288328e8035288875197cbc183f51554b266a69877b"
        f"/{MANYLINUX}_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64.whl",
        "5435c5ce14a56431208ca0996416d310f1598e8c2c8ba707688985a16bb82dbe",
    ),
    ("Darwin", "x86_64"): (
        f"{FILES}/1e/db/08e9ef4879bd667e6d7b4705e594e5bd3e4585f10fc63cb16b9fa2fac63e"
        f"/uv-{UV_VERSION}-py3-none-macosx_10_12_x86_64.whl",
        "c16ed11e013557536b3e60065f1b912f6407bd6518e041b961e23ef9e6b4fbf5",
    ),
    ("Darwin", "arm64"): (
        f"{FILES}/f3/a7/a8d7b074798c7fb3b26b37584b8fe2e29df2ccdc24ce7902caab2a53edbf"
        f"/uv-{UV_VERSION}-py3-none-macosx_11_0_arm64.whl",
        "66c512266d633bef48384a1f53003f41f2a8e7b36fe6e7fbfd3e0fd52d96fa63",
    ),
}
"""(system, machine) -> (address, sha-256) of uv's wheel, from PyPI's JSON API."""

STAMP = "ddr-stamp"
UNFINISHED = "unfinished"


class SetupError(Exception):
    """The set-up cannot go on; the text says what to do."""


def say(text: str) -> None:
    """One line for the person who waits; stdout belongs to the command."""
    sys.stderr.write(f"ddr: {text}\n")
    sys.stderr.flush()


def own_certificates(environ: Mapping[str, str]) -> str | None:
    """The certificate file that this machine's owner named for pip or requests.

    SSL_CERT_FILE is left to OpenSSL and uv, which read it themselves.
    """
    if environ.get("SSL_CERT_FILE"):
        return None
    named = (environ.get(name) for name in ("PIP_CERT", "REQUESTS_CA_BUNDLE"))
    return next((path for path in named if path and Path(path).is_file()), None)


def system_has_certificates() -> bool:
    """False in a slim container, where nothing can be verified."""
    paths = ssl.get_default_verify_paths()
    return bool(paths.cafile or (paths.capath and any(Path(paths.capath).iterdir())))


def tls_context(environ: Mapping[str, str]) -> ssl.SSLContext:
    """How the one download of uv is verified on the way."""
    context = ssl.create_default_context(cafile=own_certificates(environ))
    if not system_has_certificates() and not own_certificates(environ):
        # The pinned sha-256 is what vouches for the file; uv then brings certificates of its own.
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


def download(url: str, sha256: str, *, attempts: int = 3) -> bytes:
    """The bytes behind an address, if they are the ones that were pinned."""
    context = tls_context(os.environ)
    for attempt in range(1, attempts + 1):
        try:
            with urllib.request.urlopen(url, timeout=60, context=context) as reply:  # noqa: S310 - our constants
                body: bytes = reply.read()
            break
        except OSError as exc:
            if attempt == attempts:
                raise SetupError(
                    f"cannot download {url}: {exc}\n"
                    "  The set-up needs PyPI (pypi.org, files.pythonhosted.org). Behind a proxy set"
                    " HTTPS_PROXY; with certificates of your own set SSL_CERT_FILE."
                ) from exc
            say(f"download failed ({exc}); again")
    found = hashlib.sha256(body).hexdigest()
    if found != sha256:
        raise SetupError(
            f"refused {url.rsplit('/', 1)[-1]}: its sha-256 is {found}, pinned is {sha256}.\n"
            "  Something between here and PyPI changed the file; nothing of it was run."
        )
    return body


def unpack_uv(wheel: bytes, target: Path) -> None:
    """Write the wheel's one program to `target`; never a part of it under that name."""
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f"{target.name}.{os.getpid()}")
    packed = partial.with_suffix(".whl")
    try:
        packed.write_bytes(wheel)
        with zipfile.ZipFile(packed) as archive:
            member = f"uv-{UV_VERSION}.data/scripts/uv"
            with archive.open(member) as source, partial.open("wb") as sink:
                shutil.copyfileobj(source, sink)
        partial.chmod(0o755)
        partial.replace(target)
    finally:
        packed.unlink(missing_ok=True)
        partial.unlink(missing_ok=True)


def uv_program(root: Path) -> Path:
    """The pinned uv below .cache, fetched when it is not there yet."""
    target = root / ".cache" / f"uv-{UV_VERSION}" / "uv"
    if target.is_file():
        return target
    key = (platform.system(), platform.machine())
    if key not in WHEELS:
        own = shutil.which("uv")
        if own is None:
            raise SetupError(
                f"no uv is pinned for {' '.join(key)}; install uv (https://docs.astral.sh/uv),"
                " then call again"
            )
        return Path(own)
    say(f"fetching uv {UV_VERSION} from PyPI (17 MB)")
    unpack_uv(download(*WHEELS[key]), target)
    return target


def uv_environment(root: Path, environ: Mapping[str, str]) -> dict[str, str]:
    """The caller's own settings, proxies and certificates, with .venv as the one target."""
    kept = {k: v for k, v in environ.items() if k not in ("VIRTUAL_ENV", "UV_PYTHON")}
    kept["UV_PROJECT_ENVIRONMENT"] = str(root / ".venv")
    kept["UV_PYTHON_DOWNLOADS"] = "never"  # they come from elsewhere than PyPI
    kept.setdefault("UV_CACHE_DIR", str(root / ".cache" / "uv"))
    if named := own_certificates(environ):
        kept["SSL_CERT_FILE"] = named
    if system_has_certificates():
        # Python trusts these already; without it uv refuses a company's own authority.
        kept.setdefault("UV_SYSTEM_CERTS", "1")
    return kept


def sync(root: Path, *, dev: bool = False) -> None:
    """Bring .venv to what uv.lock says; the tools of the tests with it when `dev`."""
    python = root / ".venv" / "bin" / "python"
    # Whoever has the tests' tools keeps them when the lock changes.
    groups = ["--group", "dev"] if dev or python.with_name("pytest").exists() else []
    command = [str(uv_program(root)), "sync", "--frozen", "--python", str(python), *groups]
    command += ["--directory", str(root)]
    if not sys.stderr.isatty():
        command.append("--no-progress")
    done = subprocess.run(
        command, env=uv_environment(root, os.environ), stdout=sys.stderr, check=False
    )
    if done.returncode:
        raise SetupError("uv could not install what uv.lock lists (its message is above)")


def make_venv(root: Path) -> None:
    """A .venv without pip, anew when the old one was left half made or moved."""
    folder = root / ".venv"
    old = read_stamp(root)
    moved = old not in ("", UNFINISHED) and old.split("\n")[0] != str(root)
    usable = (folder / "bin" / "python").exists() and old != UNFINISHED and not moved
    if not usable:
        say(f"making .venv with Python {platform.python_version()}")
        # The interpreter by its own name (python3.11, not python3): if the system moves on to
        # another version, .venv is seen to be broken instead of being empty.
        python = os.path.realpath(sys.executable)
        command = [python, "-I", "-m", "venv", "--without-pip", "--clear", str(folder)]
        if subprocess.run(command, stdout=sys.stderr, check=False).returncode:
            raise SetupError(f"{python} could not make {folder} (its message is above)")
    write_stamp(root, UNFINISHED)


def read_stamp(root: Path) -> str:
    """What .venv was made from; '' where nobody said."""
    try:
        return (root / ".venv" / STAMP).read_text(encoding="utf-8").rstrip("\n")
    except OSError:
        return ""


def write_stamp(root: Path, text: str) -> None:
    """Replace the stamp in one step."""
    target = root / ".venv" / STAMP
    partial = target.with_name(f"{STAMP}.{os.getpid()}")
    partial.write_text(text + "\n", encoding="utf-8")
    partial.replace(target)


@contextmanager
def one_at_a_time(root: Path) -> Iterator[None]:
    """Hold the set-up for one process; the lock goes with the process, however it ends."""
    path = root / ".cache" / "setup.lock"
    path.parent.mkdir(exist_ok=True)
    with path.open("w") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another call is setting up; waiting for it")
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def set_up(root: Path, stamp: str) -> None:
    """Make .venv what the stamp says, unless another call just did."""
    with one_at_a_time(root):
        if read_stamp(root) == stamp and (root / ".venv" / "bin" / "python").exists():
            return
        say(f"setting up in {root} (once; a few minutes on a slow line)")
        make_venv(root)
        sync(root)
        write_stamp(root, stamp)
        say("ready")


def add_tools(root: Path) -> None:
    """Add the tests' tools to a .venv that stands; unfinished until they are all there."""
    with one_at_a_time(root):
        stamp = read_stamp(root)
        write_stamp(root, UNFINISHED)
        sync(root, dev=True)
        write_stamp(root, stamp)


def main(arguments: list[str]) -> int:
    """`bootstrap.py ROOT STAMP`, as the launcher calls it."""
    root, stamp = arguments
    try:
        set_up(Path(root), stamp)
    except SetupError as exc:
        say(str(exc))
        return 1
    except OSError as exc:
        say(f"the set-up failed: {exc}")
        return 1
    except KeyboardInterrupt:
        say("interrupted; the next call takes it up again")
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
