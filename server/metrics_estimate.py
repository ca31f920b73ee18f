"""What the figures of a run would take of each model: the questions that are not remembered."""

from __future__ import annotations

from typing import Final

from server.calls_estimate import CHARACTERS, CallsEstimate, estimate_calls
from server.metrics import Measuring
from server.metrics_asked import Asked, name_of
from server.store.answers import Answers

REPLY: Final = 20.0
"""Tokens of a rating; of matches and of what is novel REASONED."""
REASONED: Final = 150.0


def estimates(measuring: Measuring, asked: Asked) -> dict[str, CallsEstimate]:
    """By model, at most: second asks left out, prompts by their length."""
    memory = Answers(asked.judges.store)
    sizes: dict[str, list[float]] = {}
    replies: dict[str, float] = {}
    specs = {name_of(spec): spec for spec in asked.judges.specs}
    for spec, interviewer, questions in measuring.open_questions():
        mine = sizes.setdefault(name_of(spec), [])
        is_rating = all("<rating>" in question.messages[0]["content"] for question in questions)
        for key, question in {interviewer.key(each): each for each in questions}.items():
            if asked.judges.options.afresh or memory.recall(key) is None:
                told = sum(len(message["content"]) for message in question.messages)
                mine.append(told / CHARACTERS)
                replies[name_of(spec)] = replies.get(name_of(spec), 0.0) + (
                    REPLY if is_rating else REASONED
                )
    return {
        name: estimate_calls(
            mine,
            replies.get(name, 0.0) / len(mine) if mine else 0.0,
            model=name,
            prices=asked.judges.prices(specs[name]),
            took_s=[],
            side_by_side=asked.judges.concurrency,
        )
        for name, mine in sizes.items()
    }
