"""Make small records by hand, and a whole realistic run by seed, for the tests of analysis/."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from analysis.report_data import ReportData
from core.checklist import Checklist, ChecklistItem, Expected
from core.evaluation import Evaluation, Label, Level, Score, Verdict
from core.run import RunSpec
from core.scenario import Entity, License, Scenario
from core.trajectory import (
    Insight,
    Preamble,
    Sandbox,
    StopReason,
    ToolCall,
    ToolResult,
    Trajectory,
    Turn,
)

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
CATEGORIES = ("volume", "network", "punctuality", "season", "time of day", "fleet", "weather")
DIFFICULTIES = ("easy", "medium", "hard")
NAMES = ("Amber", "Bittern", "Cobalt", "Dune", "Ember", "Fern", "Gale", "Heron", "Indigo", "Kite")


@dataclass(frozen=True)
class Proved:
    """A verification summary as checklists/verify.py gives it."""

    items: int
    hold: int
    fail_when_perturbed: int


def item(name: str, entity: str = "01", **changes: object) -> ChecklistItem:
    """A checklist item with a proof."""
    values: dict[str, object] = {
        "id": name,
        "entity_id": entity,
        "question": f"What is there to say about {name}?",
        "answer": f"The figure for {name} is 12.5.",
        "category": "volume",
        "difficulty": "easy",
        "source": "template: mean",
        "evidence_sql": f"SELECT avg(x) FROM t WHERE id = '{entity}' -- {name}",
        "expected": Expected(value=12.5, tolerance=0.1),
    }
    return ChecklistItem.model_validate(values | changes)


def turn(index: int, sql: str = "SELECT 1", result: str = '{"columns":["x"],"rows":[[1]]}') -> Turn:
    """A turn that ran one query."""
    call = ToolCall(call_id=f"c{index}", name="execute_query", arguments=json.dumps({"query": sql}))
    answer = ToolResult(call_id=call.call_id, name=call.name, text=result, duration_s=0.012)
    return Turn(
        index=index,
        tool_calls=(call,),
        tool_results=(answer,),
        started_at=START + timedelta(seconds=index),
        duration_s=0.02,
    )


def insight(trajectory: str, text: str | None, turn: int | None = None) -> Insight:
    """A message-wise insight of a turn; without one, the report."""
    return Insight(
        id=f"{trajectory}-{turn or 'report'}",
        trajectory_id=trajectory,
        level="message" if turn else "trajectory",
        turn=turn,
        text=text,
        author="profiler",
    )


def trajectory(
    name: str = "t1", entity: str = "01", turns: int | Sequence[Turn] = 3, **changes: object
) -> Trajectory:
    """A finished trajectory of so many turns."""
    made = [turn(i) for i in range(1, turns + 1)] if isinstance(turns, int) else list(turns)
    values: dict[str, object] = {
        "id": name,
        "run_id": "r1",
        "scenario_id": "flights",
        "scenario_fingerprint": "f" * 64,
        "entity_id": entity,
        "agent": "profiler",
        "turns": tuple(made),
        "stop_reason": StopReason.FINISHED,
        "started_at": START,
        "ended_at": START + timedelta(seconds=len(made) + 1),
        "sandbox": Sandbox(name="bubblewrap"),
        "code_revision": "30875ea",
    }
    return Trajectory.model_validate(values | changes)


def verdict(
    item_id: str,
    label: Label | None = "supported",
    *,
    trajectory_id: str = "t1",
    level: Level = "message",
    turns: tuple[int, ...] = (),
    **changes: object,
) -> Verdict:
    """What the checker said of one item."""
    values: dict[str, object] = {
        "evaluation_id": "e1",
        "item_id": item_id,
        "trajectory_id": trajectory_id,
        "level": level,
        "label": label,
        "supporting_turns": turns,
    }
    return Verdict.model_validate(values | changes)


def score(competitor: str, level: Level, averaging: str, strict: float | None, n: int) -> Score:
    """A score with an interval of 0.07 to either side."""
    supported = round((strict or 0) * n)
    return Score.model_validate(
        {
            "competitor": competitor,
            "level": level,
            "averaging": averaging,
            "headline": strict,
            "strict": strict,
            "scored_only": strict,
            "coverage": 1.0,
            "standard_error": 0.035,
            "low": max((strict or 0) - 0.07, 0),
            "high": min((strict or 0) + 0.07, 1),
            "items": n,
            "supported": supported,
            "contradicted": 1,
            "insufficient": n - supported - 1,
            "unscored": 0,
            "entities": 16,
        }
    )


def data(
    items: Sequence[ChecklistItem],
    trajectories: Sequence[Trajectory],
    verdicts: Sequence[Verdict] = (),
    *,
    entities: Sequence[Entity] | None = None,
    scenario: Scenario | None = None,
    **changes: object,
) -> ReportData:
    """A report's records round the given ones."""
    ids = sorted({i.entity_id for i in items} | {t.entity_id for t in trajectories})
    names = entities or [entity(i, f"{NAMES[n % len(NAMES)]} Air") for n, i in enumerate(ids)]
    values: dict[str, object] = {
        "run": run([e.id for e in names]),
        "scenario": scenario or make_scenario(),
        "entities": names,
        "checklist": Checklist(
            id="flights",
            version="1.0.0",
            scenario_id="flights",
            hash="c" * 64,
            license=License(name="CC0-1.0"),
            items=tuple(items),
        ),
        "trajectories": trajectories,
        "evaluation": evaluation(),
        "verdicts": verdicts,
    }
    return ReportData(**(values | changes))  # type: ignore[arg-type]


def entity(name: str, label: str) -> Entity:
    """An entity of the flights scenario."""
    return Entity(scenario_id="flights", id=name, label=label)


def run(entity_ids: Sequence[str]) -> RunSpec:
    """A run of the profiler over the entities."""
    return RunSpec(
        id="r1",
        scenario_id="flights",
        scenario_fingerprint="f" * 64,
        entity_ids=tuple(entity_ids),
        agent="profiler",
        created_at=START,
    )


def evaluation() -> Evaluation:
    """A pass of the matching checker."""
    return Evaluation(
        id="e1",
        run_id="r1",
        checker="matching",
        checklist_id="flights",
        checklist_version="1.0.0",
        checklist_hash="c" * 64,
        created_at=START,
    )


def make_scenario(*, restricted: bool = False) -> Scenario:
    """The flights scenario, under an open licence or a restricted one."""
    return Scenario(
        id="flights",
        title="A year of flights from three airports",
        version="1.0.0",
        database="flights.duckdb",
        fingerprint="f" * 64,
        entity_noun="carrier",
        task_template="Analyse {entity_noun} {entity_id}.",
        license=License(name="PhysioNet" if restricted else "CC0-1.0", restricted=restricted),
    )


def realistic(entities: int = 16, turns: int = 80, *, seed: int = 7) -> ReportData:
    """A whole run as the profiler leaves it: queries, tables, insights, reports, verdicts."""
    chance = random.Random(seed)
    people = [
        entity(f"{i:02d}", f"{chance.choice(NAMES)} {chance.choice(['Air', 'Wings', 'Jet'])}")
        for i in range(1, entities + 1)
    ]
    items: list[ChecklistItem] = []
    trajectories: list[Trajectory] = []
    verdicts: list[Verdict] = []
    for person in people:
        story = _Story(person, chance, turns)
        items += story.items
        trajectories.append(story.trajectory)
        verdicts += story.verdicts
    n = len(items)
    rates = {
        level: sum(v.label == "supported" for v in verdicts if v.level == level) / n
        for level in ("message", "trajectory")
    }
    scores = [
        score(who, level, averaging, rate + (0.02 if averaging == "sample" else 0), n)
        for level in ("message", "trajectory")
        for averaging in ("item", "sample")
        for who, rate in (
            ("profiler", rates[level]),
            ("blank", 0.0),
            ("generic", 0.0),
            ("shuffled_entity", 0.04),
        )
    ]
    return data(
        items,
        trajectories,
        verdicts,
        entities=people,
        scores=scores,
        verification=Proved(n, n, n),
        gated={"profiler": 412, "shuffled_entity": 371, "generic": 0, "blank": 0},
        generated_at=START + timedelta(minutes=4),
    )


class _Story:
    """One entity's trajectory, items and verdicts, drawn from the shared chance."""

    def __init__(self, person: Entity, chance: random.Random, turns: int) -> None:
        self.person, self.chance = person, chance
        self.id = f"t{person.id}"
        last = max(3, turns - chance.randrange(max(turns // 3, 1)))
        made = [_opening(self.id, 1)] + [self._turn(i) for i in range(2, last + 1)]
        facts = {i: self._sentence(i) for i in range(2, last + 1) if chance.random() < 0.8}
        told = [text for text in facts.values() if chance.random() < 0.6]
        report = "\n\n".join([f"Report on carrier {person.id}.", *told, "Nothing else stood out."])
        insights = [insight(self.id, facts.get(i), i) for i in range(2, last + 1)]
        self.facts, self.report = facts, report
        self.items, self.verdicts = [], []  # type: list[ChecklistItem], list[Verdict]
        for number in range(chance.randrange(4, 13)):
            self._judge(number)
        stop = StopReason.MAX_TURNS if chance.random() < 0.1 else StopReason.FINISHED
        self.trajectory = trajectory(
            self.id,
            person.id,
            made,
            insights=(*insights, insight(self.id, report)),
            stop_reason=stop,
            preamble=Preamble(start_prompt=f"Analyse carrier {person.id}."),
        )

    def _sentence(self, index: int) -> str:
        chance, who = self.chance, f"carrier {self.person.id}"
        value, rest = chance.uniform(2, 60), chance.uniform(2, 60)
        shapes = (
            f"For {who} the mean of departure delay (min) is {value:.1f}, against {rest:.1f} "
            "for the rest.",
            f"Departure delay (min) is missing in {value / 10:.1f}% of {who}'s rows, against "
            f"{rest / 10:.1f}% for the rest.",
            f"The most frequent destination of {who} is A{chance.randrange(1, 99):03d}, with "
            f"{value:.1f}% of its rows ({chance.randrange(100, 9999):,}).",
            f"{who.capitalize()}'s mean departure delay (min) is highest at scheduled hour "
            f"{chance.randrange(15, 23)} ({value:.1f}) and lowest at scheduled hour 6 "
            f"({rest / 20:.1f}).",
        )
        first = chance.choice(shapes)
        return first if index % 5 else f"{first} {chance.choice(shapes)}"

    def _turn(self, index: int) -> Turn:
        chance = self.chance
        column = chance.choice(("departure_delay_min", "arrival_delay_min", "air_time_min"))
        sql = (
            f"SELECT f.destination_id, COUNT(*) AS n, AVG(f.{column}) AS mean_value\n"
            f"FROM flights AS f\nWHERE f.carrier_id = '{self.person.id}' -- the entity's rows\n"
            "GROUP BY 1\nORDER BY n DESC"
        )
        if chance.random() < 0.04:
            made = turn(index, sql.replace("AVG", "AVERAGE"), 'Scalar function "average" unknown')
            broken = made.tool_results[0].model_copy(update={"is_error": True, "error_kind": "sql"})
            return made.model_copy(update={"tool_results": (broken,)})
        rows = [
            [f"A{chance.randrange(1, 99):03d}", chance.randrange(10, 9999), chance.uniform(-5, 60)]
            for _ in range(chance.randrange(1, 21))
        ]
        body = {"columns": ["destination_id", "n", "mean_value"], "rows": rows, "truncated": False}
        made = turn(index, sql, json.dumps(body, separators=(",", ":")))
        if index % 40 == 39:
            looked = made.tool_results[0].model_copy(
                update={"violations": ("read_text: files are not to be read",), "truncated": True}
            )
            made = made.model_copy(update={"tool_results": (looked,)})
        return made

    def _judge(self, number: int) -> None:
        chance = self.chance
        name = f"flights-{self.person.id}-{number:02d}"
        made = item(
            name,
            self.person.id,
            category=chance.choice(CATEGORIES),
            difficulty=chance.choice(DIFFICULTIES),
            question=f"How does carrier {self.person.id} compare with the rest in delay no. "
            f"{number}, measured by the mean of departure delay?",
        )
        self.items.append(made)
        heard = chance.random()
        if heard < 0.55:
            when = chance.choice(sorted(self.facts))
            quote = self.facts[when].split(". ")[0].rstrip(".")
            self._say(name, "message", "supported", (when,), quote)
            if quote in self.report:
                self._say(name, "trajectory", "supported", (), quote)
            else:
                self._say(name, "trajectory", "insufficient")
        elif heard < 0.6:
            self._say(name, "message", None)
            self._say(name, "trajectory", None)
        else:
            wrong: Label = "contradicted" if heard < 0.66 else "insufficient"
            self._say(name, "message", wrong)
            self._say(name, "trajectory", "insufficient")

    def _say(
        self,
        name: str,
        level: Level,
        label: Label | None,
        turns: tuple[int, ...] = (),
        quote: str | None = None,
    ) -> None:
        self.verdicts.append(
            verdict(
                name,
                label,
                trajectory_id=self.id,
                level=level,
                turns=turns,
                evidence=quote,
                reason="the figure is the entity's own" if quote else "",
                unscored_reason=None if label else "no signals",
            )
        )


def _opening(trajectory_id: str, index: int) -> Turn:
    """The first turn: what is there."""
    tables = {
        "tables": [
            {"name": "flights", "comment": "One row for each flight.", "row_count": 336776},
            {"name": "weather", "comment": "Hourly weather.", "row_count": 26115},
        ]
    }
    call = ToolCall(call_id=f"{trajectory_id}-{index}", name="get_database_info", arguments="{}")
    answer = ToolResult(
        call_id=call.call_id, name=call.name, text=json.dumps(tables), duration_s=0.004
    )
    return Turn(
        index=index,
        tool_calls=(call,),
        tool_results=(answer,),
        started_at=START,
        duration_s=0.01,
    )
