"""What a SQL worker finds inside its walls: Python, what the engines need, one database, nothing else."""

from __future__ import annotations

import functools
import importlib.util
from dataclasses import replace
from importlib import metadata
from pathlib import Path

from tools.sql.engines import ENGINES
from tools.walls.bwrap import Sizes
from tools.walls.runtime import Bind, Runtime, assemble, with_requirements

DATA = "/data"
SPILL = f"{DATA}/tmp"  # noqa: S108 - inside the walls
DISTRIBUTIONS = ("duckdb", "pandas", "pydantic", "sqlglot")
ALSO = ("sqlglotc",)
"""Makes sqlglot fast, where there is a wheel of it."""
DATABASES = ("__init__.py", "connection.py", "schema.py", "target.py")
"""Of the package that holds scenarios too, what an engine imports."""
BESIDE = (".wal", "-wal", "-shm")
"""Endings of what belongs to a database file and lies beside it."""
SIZES = Sizes(tmp_mb=16, shared_mb=1)
ENVIRONMENT = {
    "MALLOC_ARENA_MAX": "2",
    "GLIBC_TUNABLES": "glibc.malloc.tcache_count=120",
    "TZ": "UTC",
}
"""Each arena of malloc's would take 64 MB of the address space that is bounded. An engine takes and gives
back thousands of small pieces for the shortest query: with seven of a size at hand, as is usual, to find
them takes a tenth of all time. And the same query shows the same times on every machine."""
_ROOT = Path(__file__).resolve().parents[2]


def place_of(engine: str) -> str:
    """`module:attribute` of an engine: the metadata that names a plug-in is not inside."""
    if engine in ENGINES:
        return ENGINES[engine]
    named = (
        point.value for point in metadata.entry_points(group="ddr.engines") if point.name == engine
    )
    return next(named, engine)


def inside(database: Path, engine: str, spill: Path) -> Runtime:
    """The inside for workers on this file; `engine` is a `module:attribute`."""
    base = code(engine)
    binds = [Bind(database.resolve(), f"{DATA}/{database.name}"), Bind(spill, SPILL, writable=True)]
    for ending in BESIDE:
        beside = database.resolve().with_name(database.resolve().name + ending)
        if beside.is_file():
            binds.append(Bind(beside, f"{DATA}/{database.name}{ending}"))
    return replace(base, binds=(*base.binds, *binds))


@functools.cache
def code(engine: str) -> Runtime:
    """The inside but for the database. Collected once per process and engine: it takes 0.1 s."""
    module = engine.partition(":")[0]
    top = module.partition(".")[0]
    own = [Bind(_ROOT / name, f"/site/{name}") for name in ("core", "tools")]
    own += [Bind(_ROOT / "databases" / name, f"/site/databases/{name}") for name in DATABASES]
    roots = [*DISTRIBUTIONS, *(name for name in ALSO if _is_installed(name))]
    if top not in {"core", "tools"}:
        holders = metadata.packages_distributions().get(top, [])
        roots += holders
        if not holders and (spec := importlib.util.find_spec(module)) and spec.origin:
            own.append(Bind(Path(spec.origin), f"/site/{module.replace('.', '/')}.py"))
    return assemble(with_requirements(roots), own, ENVIRONMENT, described=True)


def _is_installed(name: str) -> bool:
    try:
        metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return False
    return True
