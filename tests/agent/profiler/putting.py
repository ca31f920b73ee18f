"""Put one family's probes to a small database and read what they say."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from agent.profiler.discovery import discover
from agent.profiler.long import find_long
from agent.profiler.probe import Finding, Probe, Scene
from agent.profiler.redundancy import find_fixed, find_redundant
from agent.profiler.reply import Ask, Conversation
from agent.profiler.sentences import Voice
from tests.agent.profiler.exploring import converse, task
from tests.agent.profiler.worlds import build

Family = Callable[[Scene], Iterable[Probe]]


def scene_of(entity: str, noun: str = "shop") -> Conversation[Scene]:
    """The scene of the entity's fullest table."""
    world = yield from discover(task(entity, noun))
    relation, longs = yield from find_long(world.relations[0])
    redundant = yield from find_redundant(relation)
    relation = redundant.left(relation)
    fixed = yield from find_fixed(relation)
    voice = Voice(noun, entity)
    return Scene(relation, voice, redundant.echoes, fixed, longs, redundant.nested)


def put(path: Path, entity: str, family: Family, *, deeper: bool = False) -> list[Finding]:
    """All findings of a family's probes, and of those that follow from them where asked."""

    def talk() -> Conversation[list[Finding]]:
        scene = yield from scene_of(entity)
        found: list[Finding] = []
        waiting = list(family(scene))
        while waiting:
            probe = waiting.pop(0)
            reply = yield Ask("execute_query", {"query": probe.query, "limit": 200}, probe.why)
            findings, more = probe.read(reply)
            found += findings
            waiting += more if deeper else []
        return found

    return converse(path, talk())


def said(path: Path, entity: str, family: Family, *, deeper: bool = False) -> list[str]:
    """The sentences of a family."""
    return [finding.text for finding in put(path, entity, family, deeper=deeper)]


def table(path: Path, columns: str, rows: int = 600, *more: str) -> Path:
    """A database with one table `t`, a row for each i below `rows`."""
    made = f"CREATE TABLE t AS SELECT {columns} FROM range({rows}) r(i)"
    return build(path / "world.duckdb", made, *more)


def about(sentences: Iterable[str], *words: str) -> Iterator[str]:
    """Those that hold all of the words."""
    return (s for s in sentences if all(word in s for word in words))
