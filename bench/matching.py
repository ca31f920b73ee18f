"""The checker without a model: what it finds in claims about known facts, and what it falls for.

Three sources of claims: the shipped checklists' answers, reworded and made wrong in one slot by rules
(bench/claims.py); each of these facts as one claim among twelve others; and paraphrases by authors who
saw the facts and not the code (bench/paraphrased.py).
"""

from __future__ import annotations

import random
import statistics
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache

from bench.claims import Claim, Rendering, codes_of
from bench.figures import Bench, Goal, Measured, Probe, Say
from bench.paraphrased import FILES, Ground, judged
from core.checklist import ChecklistItem
from core.evaluation import Label
from core.trajectory import Insight, Preamble, StopReason, Trajectory

EVERY = {"flights": 1, "destinations": 3}
"""Of so many facts one is rendered: flights has 186, destinations 1,061."""
OTHERS = 12
WORDS, ITEMS = 1000, 10
REPEATS = 30

Counts = Counter[tuple[str, bool, bool]]
"""(where from and how made, whether true, whether supported) -> claims."""


def rendered(ground: Ground, every: int) -> Iterator[tuple[Claim, Label | None]]:
    """Claims about every so-many-th fact, with what the rules say of each."""
    items = list(ground.items.values())
    codes, ids = codes_of(items), [each.id for each in ground.entities]
    for place, item in enumerate(items):
        if place % every:
            continue
        others = [each for each in items if each.entity_id == item.entity_id and each is not item]
        rivals = ids[(ids.index(item.entity_id) + 1) % len(ids) :] + ids
        rivals = [each for each in rivals if each != item.entity_id]
        rendering = Rendering(item, ground.noun, rivals, codes[item.source])
        for claim in rendering.claims():
            yield claim, ground.label(item, claim.text)
        for claim in _unrelated(item, others):
            yield claim, ground.label(item, claim.text)
        among = [each.answer for each in others[:OTHERS]]
        middle = len(among) // 2
        for manner, text, is_true in (
            ("among others", item.answer, True),
            ("left out among others", "", False),
        ):
            report = " ".join([*among[:middle], text, *among[middle:]])
            yield Claim(report, manner, is_true), ground.label(item, report)


def _unrelated(item: ChecklistItem, others: Sequence[ChecklistItem]) -> Iterator[Claim]:
    """Two other facts of the same entity, of other kinds."""
    for other in [each for each in others if each.category != item.category][:2]:
        yield Claim(other.answer, "unrelated", is_true=False)


@lru_cache(maxsize=1)
def _counted(say: Say) -> Counts:
    counts: Counts = Counter()
    for name in FILES:
        say(f"claims rendered from {name}")
        ground = Ground(name)
        for claim, label in rendered(ground, EVERY[name]):
            counts[f"rendered: {claim.manner}", claim.is_true, label == "supported"] += 1
        say(f"paraphrases of {name}")
        for each in judged(ground):
            counts[f"paraphrased: {name}", each.is_true, each.label == "supported"] += 1
    return counts


def _of(counts: Counts, kind: str, *, true: bool | None, supported: bool | None) -> int:
    return sum(
        number
        for (made, is_true, is_supported), number in counts.items()
        if made.startswith(kind) and true in (None, is_true) and supported in (None, is_supported)
    )


def _precision(counts: Counts, kind: str) -> Measured:
    """The share of true claims among those that were called supported."""
    right = _of(counts, kind, true=True, supported=True)
    called = _of(counts, kind, true=None, supported=True)
    return Measured(right / called, f"{called - right} of {called} called supported are false")


def _recall(counts: Counts, kind: str) -> Measured:
    """The share of true claims that were called supported."""
    right = _of(counts, kind, true=True, supported=True)
    true = _of(counts, kind, true=True, supported=None)
    return Measured(right / true, f"{right} of {true} true ones are found")


def _each(counts: Counts, kind: str) -> str:
    """The same of each source, in words."""
    made = sorted({name for name, *_ in counts if name.startswith(kind)})
    told = []
    for name in made:
        right = _of(counts, name, true=True, supported=True)
        false = _of(counts, name, true=False, supported=True)
        true = _of(counts, name, true=True, supported=None)
        told.append(f"{name.partition(': ')[2]} {right}/{true} found, {false} false")
    return "; ".join(told)


def claims(bench: Bench) -> Mapping[str, Measured]:
    """Five figures over the same claims."""
    counts = _counted(bench.say)
    false = _of(counts, "", true=False, supported=None)
    fooled = _of(counts, "", true=False, supported=True)
    recall = _recall(counts, "paraphrased")
    return {
        "precision": _precision(counts, "rendered"),
        "recall": _recall(counts, "rendered"),
        "paraphrase_precision": _precision(counts, "paraphrased"),
        "paraphrase_recall": Measured(
            recall.value, f"{recall.detail} ({_each(counts, 'paraphrased')})"
        ),
        "contradicted_called_supported": Measured(
            fooled / false,
            f"{fooled} of {false} false claims, of which "
            f"{_of(counts, 'paraphrased', true=False, supported=None)} are paraphrases",
        ),
    }


def reward_time(bench: Bench) -> Mapping[str, Measured]:
    """A report of a thousand words that was never read before, and ten facts: the median of many.

    Time of the processor, for nothing is waited for: what else runs on the machine does not count.
    With every guard but one: to trace numbers to observations takes as long as there were observations.
    """
    from evaluator.reward import score

    bench.say("rewards")
    ground = Ground("flights")
    entity_id = "12"
    items = [each for each in ground.items.values() if each.entity_id == entity_id][:ITEMS]
    taken, found = [], 0
    for seed in range(REPEATS):
        given = handed_in(entity_id, report(ground, items, random.Random(seed)))
        begun = time.thread_time()
        reward = score(given, items, entities=ground.entities, untraced=None)
        taken.append(1000 * (time.thread_time() - begun))
        found += len(reward.supported)
    said = f"{WORDS} words, {len(items)} facts, {found / REPEATS:.1f} of them found"
    return {"reward_ms": Measured(statistics.median(taken), f"{said}; best {min(taken):.1f} ms")}


def report(ground: Ground, items: Sequence[ChecklistItem], draw: random.Random) -> str:
    """A report that states these facts among what else authors wrote of the same database."""
    others = [each.text for each in judged(ground) if each.is_true]
    draw.shuffle(others)
    said = [each.answer for each in items]
    while sum(len(text.split()) for text in said) < WORDS:
        said.append(others.pop())
    draw.shuffle(said)
    return "\n\n".join(" ".join(said[i : i + 5]) for i in range(0, len(said), 5))


def handed_in(entity_id: str, text: str) -> Trajectory:
    """A trajectory of nothing but a report."""
    insight = Insight(id="report", trajectory_id="t", level="trajectory", text=text, author="bench")
    return Trajectory(
        id="t",
        run_id="r",
        scenario_id="flights",
        scenario_fingerprint="",
        entity_id=entity_id,
        agent="bench",
        preamble=Preamble(start_prompt=f"Explore carrier {entity_id}"),
        insights=(insight,),
        stop_reason=StopReason.FINISHED,
        started_at=datetime.now(UTC),
    )


PROBES = (
    Probe(
        (
            Goal("precision", 0.98, "share", "higher"),
            Goal("recall", 0.95, "share", "higher"),
            Goal("paraphrase_precision", 0.95, "share", "higher"),
            Goal("paraphrase_recall", 0.60, "share", "higher"),
            Goal("contradicted_called_supported", 0.01, "share", "lower"),
        ),
        claims,
    ),
    Probe((Goal("reward_ms", 5, "ms", "lower"),), reward_time),
)
