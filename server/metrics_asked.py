"""What `ddr metrics` is asked for: measures, matching, and which models rate, match and call novel."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from core.errors import UsageError, one_of
from core.run import ModelSpec
from core.scenario import Scenario
from evaluator.interviewing import Interviewer
from evaluator.metrics.chances import ASKED, ChanceTeller
from evaluator.metrics.measures import G_EVAL, LLAMA, MATCHINGS, METRICS, ROUGE, Matching
from evaluator.metrics.novelty import JUDGES
from evaluator.metrics.rating import TEMPERATURE
from providers.catalog import model_name, tells_chances
from server.asking import JudgeOptions, Judges, judges_for
from server.models import metered_model
from server.store import Repository
from server.store.answers import Answers

Suite = Literal["insightbench", "insighteval"]
SUITES: Final[tuple[Suite, ...]] = ("insightbench", "insighteval")
_LLAMA: Final = re.compile(r"llama-?_?3", re.IGNORECASE)


@dataclass(frozen=True)
class Asked:
    """The options, checked."""

    suite: Suite
    metrics: tuple[str, ...]
    matching: Matching
    judges: Judges
    """All models, those for novelty included: one purse, one set of prices."""
    raters: tuple[ModelSpec, ...]
    """They rate; the first of them matches."""
    novelty: tuple[ModelSpec, ...]
    """Three, or none where novelty was not asked for."""

    def rater(self, spec: ModelSpec) -> Interviewer:
        """Asks for ratings, with their chances where the provider tells them."""
        return self._interviewer(spec, ASKED if tells_chances(spec) else {})

    def other(self, spec: ModelSpec) -> Interviewer:
        """Asks for matches, or for what is novel."""
        return self._interviewer(spec, {})

    def raters_of(self, metric: str) -> tuple[ModelSpec, ...]:
        """Whose ratings a metric is the mean of. Raises UsageError where there is nobody."""
        llamas = tuple(spec for spec in self.raters if _LLAMA.search(spec.name))
        if metric == LLAMA:
            if len(llamas) != 1:
                raise UsageError(
                    f"{LLAMA} is the rating of one LLaMA-3 model: of the judges, {len(llamas)} have "
                    f"llama-3 in their names; any other judge's rating is {G_EVAL}"
                )
            return llamas
        if LLAMA in self.metrics:
            return tuple(spec for spec in self.raters if spec not in llamas)
        return self.raters

    def _interviewer(self, spec: ModelSpec, more: Mapping[str, object]) -> Interviewer:
        settings = {"temperature": TEMPERATURE, **more, **spec.sampling}
        sampling = {key: value for key, value in settings.items() if value is not None}
        asked = spec.model_copy(update={"sampling": sampling})
        # A script tells chances unasked; of a model that tells none a ChanceTeller changes nothing.
        return Interviewer(
            ChanceTeller(metered_model(asked, self.judges.means)),
            role="judge",
            parameters={"sampling": sampling, "base_url": spec.base_url},
            memory=None if self.judges.options.afresh else Answers(self.judges.store),
        )


def asked_for(
    *,
    suite: str,
    metrics: Sequence[str],
    matching: str,
    options: JudgeOptions,
    novelty_judges: Sequence[str],
    scenario: Scenario,
    store: Repository,
) -> Asked:
    """The options in order. Raises UsageError, UnknownNameError, ConfigError before anything is spent.

    Without a metric: rouge1, and g-eval where somebody rates.
    """
    raters = tuple(dict.fromkeys(options.judges))
    others = tuple(dict.fromkeys(novelty_judges))
    wanted = tuple(dict.fromkeys(metrics)) or ((ROUGE, G_EVAL) if raters else (ROUGE,))
    chosen = one_of("suite", suite, SUITES)
    for name in wanted:
        one_of("metric", name, METRICS)
    way = one_of("matching", matching, MATCHINGS)
    needs = [name for name in wanted if name != ROUGE]
    needs += ["many-to-many"] if matching == "many-to-many" else []
    if needs and not raters:
        raise UsageError(f"{needs[0]} asks a model: name one by --judge")
    if others and len(others) != JUDGES:
        raise UsageError(
            f"novelty is what two of {JUDGES} models agree on: give --novelty-judge {JUDGES} times, "
            f"not {len(others)}"
        )
    if others and (suite != "insighteval" or G_EVAL not in wanted or matching != "one-to-many"):
        raise UsageError(
            "novelty is InsightEval's, and begins with the ratings of every prediction: "
            "--suite insighteval, --metric g-eval with --judge, --matching one-to-many"
        )
    names = tuple(dict.fromkeys((*raters, *others)))
    told = JudgeOptions(**{**vars(options), "judges": names})
    judges = judges_for(told, scenario, store)
    by_name = dict(zip(names, judges.specs, strict=True))
    asked = Asked(
        suite=chosen,
        metrics=wanted,
        matching=way,
        judges=judges,
        raters=tuple(by_name[name] for name in raters),
        novelty=tuple(by_name[name] for name in others),
    )
    for name in (n for n in wanted if n != ROUGE):
        if not asked.raters_of(name):
            raise UsageError(f"{name} asks a model beside the LLaMA-3 one: name one by --judge")
    return asked


def name_of(spec: ModelSpec) -> str:
    """Of a judge, as it is shown."""
    return model_name(spec)
