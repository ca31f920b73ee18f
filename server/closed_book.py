"""Find the run in which the same model was asked about the same entities and could look at nothing."""

from __future__ import annotations

from shlex import quote

from core.agent_class import CLOSED_BOOK
from core.hints import typed
from core.run import ModelSpec, RunSpec
from server.store import Repository


def closed_book_of(spec: RunSpec, store: Repository) -> RunSpec | None:
    """The newest closed-book run of the run's own model on the same data with the same goal, if any of
    the run's entities was asked about in it to an end."""
    if spec.model is None or spec.agent == CLOSED_BOOK:
        return None
    wanted = set(spec.entity_ids)
    alike = [run for run in store.runs() if _is_alike(run, spec) and wanted & set(run.entity_ids)]
    for run in sorted(alike, key=lambda run: run.created_at, reverse=True):
        ended = (t for t in store.heads(run.id) if t.stop_reason and t.stop_reason.scored)
        if any(each.entity_id in wanted for each in ended):
            return run
    return None


def no_closed_book(spec: RunSpec, store: Repository) -> str | None:
    """Why a run has no closed-book baseline, with the command that makes one; None where it has one."""
    if spec.agent == CLOSED_BOOK:
        return "this is a closed-book run itself"
    if spec.model is None:
        return f"{spec.agent} asks no model of ours, so nobody can be asked with the book closed"
    if closed_book_of(spec, store) is not None:
        return None
    if spec.model.provider in ("replay", "scripted"):
        return f"a {spec.model.provider} model has only the words of an exploration"
    asked = f"run --scenario {spec.scenario_id} --model {quote(_named(spec.model))} --agent {CLOSED_BOOK}"
    base = f" --base-url {quote(spec.model.base_url)}" if spec.model.base_url else ""
    return (
        f"the model was not asked with the book closed yet: {typed(asked + base)}, then evaluate with "
        f"--baselines {CLOSED_BOOK}"
    )


def _is_alike(run: RunSpec, spec: RunSpec) -> bool:
    return (
        run.agent == CLOSED_BOOK
        and run.outside is None
        and (run.scenario_id, run.scenario_fingerprint, run.goal)
        == (spec.scenario_id, spec.scenario_fingerprint, spec.goal)
        and run.model is not None
        and spec.model is not None
        and _same(run.model, spec.model)
    )


def _same(one: ModelSpec, other: ModelSpec) -> bool:
    """The same model, asked in the same way; a script for the closed book is another file."""
    if one.provider == other.provider == "scripted":
        return one.attributes == other.attributes
    return (one.provider, one.name, one.base_url, one.sampling) == (
        other.provider,
        other.name,
        other.base_url,
        other.sampling,
    )


def _named(model: ModelSpec) -> str:
    return f"{model.provider}/{model.name}"
