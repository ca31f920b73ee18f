"""The checker of an evaluation once more, so that prefixes are judged as the whole was."""

from __future__ import annotations

from dataclasses import dataclass
from shlex import quote

from core.errors import UsageError
from core.evaluation import Evaluation
from core.protocols import Checker
from databases.catalog import InstalledScenario
from evaluator.asking import Criteria, criteria_named
from server.asking import JudgeOptions, Judges, judges_for
from server.build import make_checker
from server.judges import make_judge, traits_of
from server.store import Repository


@dataclass(frozen=True)
class Again:
    """Who judged, ready to judge again."""

    checker: Checker
    judges: Judges
    """None of them where no model is asked."""


def same_checker(
    evaluation: Evaluation, options: JudgeOptions, store: Repository, installed: InstalledScenario
) -> Again:
    """The checker, with the judges, prompts, criteria and protocol of an evaluation.

    A model is paid, so its name is asked for again. Raises UsageError where it is missing or another
    one, where its prompts have changed since, and what `judges_for` raises.
    """
    judges = judges_for(options, installed.scenario, store)
    if not evaluation.judges_asked:
        if judges.specs:
            raise UsageError(
                f"{evaluation.id} was judged by rules ({evaluation.checker}), and so are its "
                "prefixes: leave --judge out"
            )
        return Again(make_checker(evaluation.checker, installed.entities()), judges)
    named = " ".join(f"--judge {quote(name)}" for name in evaluation.judges_asked)
    if not judges.specs:
        raise UsageError(
            f"{evaluation.id} was judged by a model, and so are its prefixes, two calls or more for "
            f"each supported item: give {named}; --estimate says what that takes"
        )
    checker = make_judge(
        judges,
        criteria=_criteria(evaluation),
        protocol=evaluation.protocol,
        batch=int(evaluation.parameters.get("batch", 1)),
    )
    traits = traits_of(checker)
    told = {
        "judges": (traits.judges_asked, evaluation.judges_asked),
        "prompts": (traits.prompt_hash, evaluation.prompt_hash),
    }
    told |= {
        name: (judges.parameters.get(name), evaluation.parameters.get(name))
        for name in ("sampling", "structured")
    }
    if apart := [name for name, (mine, theirs) in told.items() if mine != theirs]:
        raise UsageError(
            f"prefixes are judged as {evaluation.id} was, and these differ: {', '.join(apart)}. It was "
            f"judged with {named}; or judge the run again first"
        )
    return Again(checker, judges)


def _criteria(evaluation: Evaluation) -> Criteria:
    text = evaluation.parameters.get("criteria_text")
    return Criteria(evaluation.criteria, text) if text else criteria_named(evaluation.criteria)
