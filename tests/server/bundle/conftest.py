"""A store with two runs, judged and ranked, with all that a bundle can hold; and an empty home beside it."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from core.evaluation import CANNOT_TELL, Vote
from core.labels import FormAnswer, PersonLabel, PersonRating
from core.run import ModelSpec
from core.trajectory import ModelCall, Nudge, StopReason, Usage
from server.bundle.manifest import MANIFEST
from server.bundle.writing import Written, write_bundle
from server.settings import Settings
from server.store import Repository, open_store
from server.store.judgements import Judgements
from server.store.rankings import Rankings
from tests.evaluator.rating.games import compared
from tests.server.store.test_rankings import ranking
from tests.server.support import START, draft, evaluation, insight, spec, turn, verdict

ONE, OTHER = "20260131-small-aa11", "20260131-small-bb22"
SECRET = "The answer is forty-two."
SCRIPT = "/home/somebody/scripts/replies.jsonl"
CALL = ModelCall(
    role="checker", model_asked=f"scripted:{SCRIPT}", usage=Usage(), started_at=START, duration_s=1
)


def fill(store: Repository) -> None:
    """Two runs on 'small', of which nothing is known here but what is stored."""
    for run_id in (ONE, OTHER):
        run = spec(
            run_id,
            model=ModelSpec(provider="openai", name="x", base_url="http://10.0.0.7:8000/v1"),
            endpoint_allowed="it is ours",
        )
        store.add_run(run)
        for entity in run.entity_ids:
            mine = store.start_trajectory(draft(run, entity))
            for number in (1, 2, 3):
                store.add_turn(mine.id, turn(number, f"turn {number} ä\x00\U0001f6eb", tokens=7))
                text = f"{entity}: finding {number}." if number != 2 else None
                store.add_insight(insight(mine.id, number, text))
            nudge = Nudge(
                after_turn=3, text="Done?", call=CALL.model_copy(update={"role": "agent"})
            )
            store.add_nudge(mine.id, nudge)
            store.end_trajectory(mine.id, StopReason.FINISHED, ended_at=START)
        judged(store, run_id)
    order = Rankings(store)
    order.add(ranking("k1", ONE, OTHER).model_copy(update={"parameters": {"base_url": "http://h"}}))
    order.add_comparison(
        compared(ONE, OTHER, "left", "left", entity="01").model_copy(update={"ranking_id": "k1"})
    )
    order.add(ranking("k2", ONE, "20260131-small-away"))


def judged(store: Repository, run_id: str) -> None:
    """One evaluation with a verdict of each kind, a baseline beside it, and people's words."""
    own = evaluation(spec(run_id), f"{run_id}.e1").model_copy(
        update={
            "judges_asked": (f"scripted:{SCRIPT}",),
            "parameters": {"base_url": "http://10.0.0.7:8000/v1", "sampling": None},
        }
    )
    store.add_evaluation(own)
    name = f"{run_id}.01.1.1"
    said = {"evaluation_id": own.id, "reason": SECRET, "evidence": SECRET, "call": CALL}
    vote = Vote(judge="a", label="contradicted", chosen=SECRET, reason=SECRET, evidence=SECRET)
    store.add_verdicts(
        [
            verdict(name, "q1", **said, chosen=SECRET),
            verdict(name, "q2", **said, label="contradicted", votes=(vote,), chosen=SECRET),
            verdict(name, "q3", **said, label="insufficient", chosen=CANNOT_TELL),
            verdict(name, "q4", **said, label=None, unscored_reason=f"judge failed: {SECRET}"),
            verdict(name, "q5", **said, label=None, unscored_reason=SECRET),
        ]
    )
    beside = evaluation(spec(run_id), f"{run_id}.e1.shuffled1").model_copy(
        update={"parameters": {"baseline": "shuffled_entity", "of": own.id}}
    )
    store.add_evaluation(beside)
    # Of another's insights: their turns are more than this trajectory has.
    store.add_verdicts([verdict(name, "q1", evaluation_id=beside.id, supporting_turns=(9,))])
    label = PersonLabel(
        trajectory_id=name,
        item_id="q1",
        level="message",
        label="supported",
        note=SECRET,
        created_at=START,
    )
    rating = PersonRating(trajectory_id=name, given=7, best=10, note=SECRET, created_at=START)
    form = FormAnswer(
        entity_id="01", section="overview", question=SECRET, score=4, created_at=START
    )
    Judgements(store, "label").say(run_id, f"{name}/q1", "ann", label)
    Judgements(store, "rating").say(run_id, name, "ann", rating)
    Judgements(store, "form").say(run_id, "01", "ann", form)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Repository]:
    """The home that sends."""
    with open_store(tmp_path / "home" / "store.sqlite3") as opened:
        fill(opened)
        yield opened


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Of the home that sends."""
    return Settings(tmp_path / "home")


@pytest.fixture
def there(tmp_path: Path) -> Iterator[Repository]:
    """The home that receives."""
    with open_store(tmp_path / "there" / "store.sqlite3") as opened:
        yield opened


@pytest.fixture
def their_settings(tmp_path: Path) -> Settings:
    """Of the home that receives."""
    return Settings(tmp_path / "there")


Bundle = Callable[..., Written]


@pytest.fixture
def bundle(store: Repository, settings: Settings, tmp_path: Path) -> Bundle:
    """Write one of some runs. 'small' is known nowhere, so that its data count as restricted."""

    def written(*runs: str, name: str = "run.zip", **asked: Any) -> Written:
        specs = [store.run(each) for each in runs or (ONE, OTHER)]
        asked = {"with_restricted": True, **asked}
        return write_bundle(specs, store, settings, tmp_path / name, now=START, **asked)

    return written


Parts = dict[str, bytes]


def parts_of(path: Path) -> Parts:
    """Every part of a bundle."""
    with zipfile.ZipFile(path) as packed:
        return {info.filename: packed.read(info) for info in packed.infolist()}


def sealed(path: Path, parts: Parts) -> Path:
    """A bundle of these parts, whose list says what they are: made by somebody who knows how."""
    listed = json.loads(parts[MANIFEST])
    listed["files"] = [
        {"name": name, "bytes": len(content), "sha256": sha256(content).hexdigest()}
        for name, content in parts.items()
        if name != MANIFEST
    ]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in parts.items():
            packed.writestr(name, json.dumps(listed) if name == MANIFEST else content)
    return path
