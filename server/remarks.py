"""What a report has to say beside its scores: overall, beyond knowledge and chance, not comparable."""

from __future__ import annotations

from core.evaluation import LEVELS
from evaluator.paired import Paired
from server.judged import Judged


def remarks(judged: Judged) -> list[tuple[str, str]]:
    """(title, sentences) of each."""
    found = [*_overall(judged), *_beyond(judged), *_chance(judged), *_trials(judged)]
    if judged.no_closed_book:
        found.append(("No closed-book baseline", f"{judged.no_closed_book}."))
    for name, different in judged.apart.items():
        told = "; ".join(map(str, different))
        found.append(
            ("Not comparable", f"Evaluation {name} of this run stands in no column here: {told}.")
        )
    return found


def _overall(judged: Judged) -> list[tuple[str, str]]:
    found = judged.overall
    if found is None or found.value is None:
        return []
    each = next(iter(found.weights.values()))
    text = (
        f"{_percent(found.value)}, the mean of {len(found.weights)} scores, each weighing {each:g}."
    )
    if found.remark:
        text += (
            f" It {found.remark}. Without these {_percent(found.without_chance)}; corrected for chance "
            f"{_percent(found.corrected)}."
        )
    return [("Overall", text)]


def _beyond(judged: Judged) -> list[tuple[str, str]]:
    """The agent minus what its own model says unseeing, for all four scores."""
    book = [each for each in judged.beyond if each.other == "closed_book"]
    told = [f"{each.level}, {each.averaging} {_difference(each)}" for each in book if each.items]
    if not told:
        return []
    return [("Beyond what the model knew before", f"Own minus closed book: {'; '.join(told)}.")]


def _difference(each: Paired) -> str:
    if each.difference is None:
        return "–"
    if each.low is None or each.high is None:
        return f"{100 * each.difference:+.1f} points"
    return f"{100 * each.difference:+.1f} points ({100 * each.low:+.1f} to {100 * each.high:+.1f})"


def _chance(judged: Judged) -> list[tuple[str, str]]:
    return [
        (
            f"Closed items, {each.level}",
            f"{_percent(each.accuracy)} of {each.items}. A constant answer scores "
            f"{_percent(each.constant)}; corrected for it {_percent(each.corrected)}. The most frequent "
            f"answer to the same question about others scores {_percent(each.by_construct)}; corrected "
            f"for it {_percent(each.corrected_by_construct)}. Cannot tell: {each.cannot_tell}.",
        )
        for each in judged.chance
    ]


def _trials(judged: Judged) -> list[tuple[str, str]]:
    found = []
    for each in judged.trials:
        if len(each.at) > 1:
            one, last = each.at[0], each.at[-1]
            text = (
                f"Found in one trial {_percent(one.any_of)}, in any of {last.k} "
                f"{_percent(last.any_of)}, in all of them {_percent(last.all_of)}."
            )
            found.append((f"Several trials, {each.level}", text))
    for level in LEVELS:
        if (parts := judged.varies.get(level)) is not None:
            told = {"entities": parts.entity, "trials": parts.trial, "judges": parts.judge}
            words = (
                f"{name} {'unknown' if part is None else f'{100 * part**0.5:.1f} points'}"
                for name, part in told.items()
            )
            text = f"Standard deviation of one share between {', '.join(words)}."
            found.append((f"What varies, {level}", text))
    return found


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f}%"
