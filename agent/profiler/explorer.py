"""The exploration as one line of questions: discovery, then probes until nothing is told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from agent.profiler.agenda import Agenda
from agent.profiler.discovery import World, discover
from agent.profiler.long import find_long
from agent.profiler.probe import Finding, Probe, Scene
from agent.profiler.probes import (
    anchor,
    conditions,
    days,
    extremes,
    groups,
    kinds,
    market,
    mix,
    related,
    together,
)
from agent.profiler.redundancy import find_fixed, find_redundant
from agent.profiler.relation import Relation
from agent.profiler.reply import Ask, Conversation, Note, text
from agent.profiler.report import message, render
from agent.profiler.sentences import Voice, sentence
from core.scenario import Task

_FAMILIES = (mix, market, kinds, groups, days, extremes, together, related, conditions)
_SECONDARY = 0.85
"""Each further table of the entity is expected to tell a little less than the one before."""


class Explorer:
    """One entity's exploration; its report can be had at any time."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.findings: list[Finding] = []
        self._world = World()
        self._known = False
        """Whether discovery came to its end; a limit may cut it before."""
        noun = text(task.entity_noun) or "entity"
        self._voice = Voice(noun, text(task.entity_id) or "without an id")
        self.asked = 0
        """Questions about the entity."""
        self._over = False
        """Whether it stopped by itself; a limit may cut it before."""
        self.failed = 0
        """Calls that ended in an error; counted by whoever makes them."""

    def run(self) -> Conversation[None]:
        """Ask until the agenda is over."""
        self._world = yield from _persistent(discover(self.task))
        self._known = True
        agenda = Agenda()
        if self._world.anchor:
            agenda.add(anchor.probes(Scene(self._world.anchor, self._voice)))
        weight = 1.0
        scenes = []
        for relation in self._world.relations:
            scene = yield from self._scene(relation)
            scenes.append(scene)
            for family in _FAMILIES:
                agenda.add(_placed(family.probes(scene), relation.table.name, weight))
            weight *= _SECONDARY
        agenda.add(mix.volumes(scenes))
        while not agenda.over:
            yield from self._put(agenda.take(), agenda)
        self._over = True

    def _put(self, probe: Probe, agenda: Agenda) -> Conversation[None]:
        reply = yield Ask("execute_query", {"query": probe.query, "limit": probe.limit}, probe.why)
        self.asked += 1
        found: list[Finding] = []
        more: list[Probe] = []
        if reply.error is None:
            found, more = probe.read(reply)
            found = [replace(finding, family=probe.family) for finding in found]
        self.findings += found
        agenda.learn(probe, found)
        agenda.add(_placed(iter(more), probe.table, 1.0))
        said = message(found)
        if said:
            yield Note(said)

    def _scene(self, relation: Relation) -> Conversation[Scene]:
        several = len(self._world.relations) > 1
        voice = self._voice
        if several:
            voice = replace(voice, rows=f"rows in {relation.words}")
            named = tuple(replace(c, of=relation.words) for c in relation.columns)
            relation = replace(relation, columns=named)
        relation, longs = yield from find_long(relation)
        redundant = yield from find_redundant(relation)
        relation = redundant.left(relation)
        fixed = yield from find_fixed(relation)
        return Scene(relation, voice, redundant.echoes, fixed, longs, redundant.nested)

    def report(self) -> str:
        """What has been found so far, as a text."""
        # Who was cut off before the first question about the entity cannot say that nothing stands out.
        silent = not self._over and not self.asked
        return render(self._voice, self.findings, self._frame(), silent=silent)

    def speechless(self, tool: str) -> str:
        """The report where the one tool that it cannot do without is not on offer."""
        words = f"the tool {tool} is not on offer, so that nothing could be asked about"
        return "\n".join([self._title, "", sentence(f"{words} {self._voice.who}")])

    @property
    def _title(self) -> str:
        return f"# Profile of {self._voice.who}"

    def _frame(self) -> list[str]:
        voice, world = self._voice, self._world
        lines = [self._title, ""]
        label = text(self.task.entity_label)
        if label and label != voice.entity:
            lines.append(sentence(f"{voice.who} is called {label}"))
        if not self._known:
            cut = "the limit was reached before all tables were read"
            lines.append(sentence(f"{cut} and the rows of {voice.who} were found"))
        elif not world.tables:
            lines.append(sentence(f"no table could be read, so that {voice.who} was not found"))
        elif not world.apart and (world.located is None or not world.located.places):
            lines.append(sentence(f"no column of the database holds {voice.who}"))
        elif not world.relations:
            lines.append(
                sentence(
                    f"{voice.who} has no rows of its own beside the one about it, or none that was found"
                )
            )
        if world.relations:
            tables = ", ".join(r.words for r in world.relations)
            lines.append(sentence(f"the rows of {voice.who} are in: {tables}"))
            lines.append(
                "Small groups are those of fewer than 30 rows, "
                "or of less than half the average group where that is fewer."
            )
        if self._known and not self._over:
            which = "all questions" if self.asked else "the first question"
            lines.append(
                sentence(
                    f"a limit ended the exploration before {which} about {voice.who} could be put"
                )
            )
        if self.failed:
            lines.append("Some queries failed and tell nothing here.")
        return lines


def _placed(probes: Iterator[Probe], table: str, weight: float) -> Iterator[Probe]:
    return (replace(probe, prior=probe.prior * weight, table=table) for probe in probes)


def _persistent(conversation: Conversation[World]) -> Conversation[World]:
    """Ask again, once, where a call failed by chance: all that follows hangs on it."""
    try:
        item = next(conversation)
        while True:
            reply = yield item
            if reply.by_chance and isinstance(item, Ask):
                reply = yield item
            item = conversation.send(reply)
    except StopIteration as end:
        found: World = end.value
        return found
