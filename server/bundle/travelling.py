"""What of a record travels: no answers unless they are asked for, no path, address or leave of this home."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Final, TypeVar

from core.evaluation import CANNOT_TELL, Evaluation, Verdict, Vote
from core.labels import PersonLabel, PersonRating
from core.ranking import Ranking
from core.run import BUNDLE, Imported, ModelSpec, RunSpec
from evaluator.interviewing import FAILED

LEFT_OUT: Final = "left out of the bundle: it may quote the checklist"
_AT_HOME: Final = frozenset({"base_url", "endpoint_allowed"})
"""How a model was reached, and why it might be: an address of the sender's, and a leave that is nobody
else's to use. A stranger's address would be asked with the receiver's keys."""
_SCRIPTED: Final = "scripted"
WITHOUT_ANSWERS: Final = ("label", "rating", "hallucination")
"""Kinds of judgements that quote no checklist once their notes are left out. Why an item was missed, and
what people say of the ground truth, is told in its words."""

Model = TypeVar("Model", ModelSpec, ModelSpec | None)


def run_sent(spec: RunSpec) -> RunSpec:
    """A run as it travels: the same however many homes it went through."""
    outside = spec.outside and spec.outside.model_copy(update={"enrolled_by": None})
    imported = spec.origin if spec.is_bundled else spec.imported
    return spec.model_copy(
        update={
            "model": _reduced(spec.model),
            "insight_model": _reduced(spec.insight_model),
            "outside": outside,
            "imported": imported,
            "endpoint_allowed": None,
        }
    )


def run_kept(spec: RunSpec, source: str, sha256: str) -> RunSpec:
    """A run that came, as it is kept: with what it came in."""
    sent = run_sent(spec)
    came = Imported(form=BUNDLE, source=source, sha256=sha256, before=sent.imported)
    return sent.model_copy(update={"imported": came})


def evaluation_sent(evaluation: Evaluation) -> Evaluation:
    """Without how its judges were reached."""
    return evaluation.model_copy(update={"parameters": _away(evaluation.parameters)})


def ranking_sent(ranking: Ranking) -> Ranking:
    """Without how its judges were reached."""
    return ranking.model_copy(update={"parameters": _away(ranking.parameters)})


def verdict_sent(verdict: Verdict, *, with_answers: bool) -> Verdict:
    """Without answers: neither the option that was chosen, nor the quote, nor any reason.

    That a judge could not tell is kept, for scores are made of it, and so is that a request failed.
    """
    if with_answers:
        return verdict
    return verdict.model_copy(
        update={
            **_unsaid(verdict),
            "chosen": verdict.chosen if verdict.cannot_tell else None,
            "votes": tuple(_vote_sent(vote) for vote in verdict.votes),
        }
    )


def judgement_sent(kind: str, said: Any, *, with_answers: bool) -> Any:
    """What somebody says of a thing, without notes; None where the kind does not travel."""
    if with_answers:
        return said
    if kind not in WITHOUT_ANSWERS:
        return None
    if isinstance(said, (PersonLabel, PersonRating)):
        return said.model_copy(update={"note": ""})
    return said


class Paths:
    """Scripted models are named by their files: their folders are taken out of all that is told."""

    def __init__(self, names: Iterable[str | None]) -> None:
        long = {name for name in names if name and name.startswith(f"{_SCRIPTED}:/")}
        told = {name: f"{_SCRIPTED}:{name.rpartition('/')[2]}" for name in long}
        self._told = {json.dumps(long)[1:-1]: json.dumps(new)[1:-1] for long, new in told.items()}

    def out_of(self, body: str) -> str:
        """A record's JSON without them."""
        for long, new in self._told.items():
            body = body.replace(long, new)
        return body


def paths_of(
    spec: RunSpec, evaluations: Iterable[Evaluation], rankings: Iterable[Ranking]
) -> Paths:
    """Those that the records of a run can name."""
    models = [
        f"{model.provider}:{model.name}" for model in (spec.model, spec.insight_model) if model
    ]
    judged = [name for each in evaluations for name in (*each.judges_asked, *each.judges_served)]
    ranked = [name for each in rankings for name in (*each.judges_asked, *each.judges_served)]
    return Paths([*models, *judged, *ranked])


def _reduced(model: Model) -> Model:
    if model is None:
        return None
    name = model.name.rpartition("/")[2] if model.provider == _SCRIPTED else model.name
    return model.model_copy(update={"name": name, "base_url": None})


def _away(parameters: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in parameters.items() if name not in _AT_HOME}


def _vote_sent(vote: Vote) -> Vote:
    chosen = vote.chosen if vote.chosen == CANNOT_TELL else None
    return vote.model_copy(update={**_unsaid(vote), "chosen": chosen})


def _unsaid(said: Verdict | Vote) -> dict[str, Any]:
    why = said.unscored_reason
    if why is not None:
        why = f"{FAILED}{LEFT_OUT}" if why.startswith(FAILED) else LEFT_OUT
    return {"evidence": None, "reason": "", "unscored_reason": why}
