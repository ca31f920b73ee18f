"""What people and judges say of a run's things is kept, by kind, and the last word counts."""

from __future__ import annotations

import pytest

from core.errors import StoreError
from core.record import Record
from server.store import Repository
from server.store.judgements import KINDS, Judgements
from tests.server.support import spec


class Word(Record):
    """Something said."""

    text: str


def test_each_says_a_thing_once_and_may_think_better_of_it(store: Repository) -> None:
    run = spec()
    store.add_run(run)
    labels = Judgements(store, "label")
    labels.say(run.id, "b", "ann", Word(text="first"))
    labels.say(run.id, "a", "ann", Word(text="other"))
    labels.say(run.id, "b", "bob", Word(text="his"))
    labels.say(run.id, "b", "ann", Word(text="second"))
    assert labels.of_run(run.id, Word) == [
        ("a", "ann", Word(text="other")),
        ("b", "ann", Word(text="second")),
        ("b", "bob", Word(text="his")),
    ]


def test_kinds_and_runs_are_kept_apart(store: Repository) -> None:
    one, other = spec(), spec("20260131-small-cd34")
    store.add_run(one)
    store.add_run(other)
    for kind in KINDS:
        Judgements(store, kind).say(one.id, "x", "ann", Word(text=kind))
    for kind in KINDS:
        assert Judgements(store, kind).of_run(one.id, Word) == [("x", "ann", Word(text=kind))]
        assert Judgements(store, kind).of_run(other.id, Word) == []
    with pytest.raises(ValueError, match="no kind"):
        Judgements(store, "opinion")


def test_nothing_is_said_of_a_run_that_is_not_there(store: Repository) -> None:
    with pytest.raises(StoreError):
        Judgements(store, "label").say("no-run", "x", "ann", Word(text="y"))
