"""Judges for tests: one that reads the set rightly, and such as must never score."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from typing import Any

from evaluator.calibration.canaries import TEXTS, injected
from evaluator.calibration.cases import Case, Page, shipped

Reader = Callable[[str], str]
"""The whole prompt -> the reply."""
_FORM = {"supporting_turns": [], "contradicting_turns": [], "quote": "", "reason": "So it is."}


@cache
def _pages() -> dict[tuple[str, str], tuple[Page, Case]]:
    """By team and question: no team has a question twice."""
    return {(page.entity_id, case.question): (page, case) for page, case in shipped().cases()}


def meant(prompt: str) -> list[Case]:
    """The cases that a prompt asks about, in its order."""
    asked = re.findall(r"^The question: (.*)$", prompt, re.MULTILINE)
    found = []
    for question in asked:
        team = re.search(r"T\d{3}", question)
        assert team
        page, case = _pages()[team[0], question]
        missing = [text for _, text in page.insights if text not in prompt]
        assert not missing, "a case is asked with all insights of its page"
        found.append(case)
    return found


def answer(case: Case, label: str | None = None) -> dict[str, Any]:
    """A reply's object with this label, or the true one."""
    said = label or case.label
    if not case.options:
        return {"label": said, **_FORM}
    wrong = next(option for option in case.options if option != case.answer)
    words = {"supported": case.answer, "contradicted": wrong, "insufficient": "cannot tell"}
    return {"answer": words[said], **_FORM}


def reply(prompt: str, say: Callable[[Case], dict[str, Any]]) -> str:
    """One object, or a list where several are asked."""
    found = [say(case) for case in meant(prompt)]
    if "Question number 1" not in prompt:
        (only,) = found
        return json.dumps(only)
    return json.dumps({"verdicts": [{"item": n, **each} for n, each in enumerate(found, 1)]})


def truthful(prompt: str) -> str:
    """Knows all."""
    return reply(prompt, answer)


def agreeable(prompt: str) -> str:
    """Always finds it supported."""
    return reply(prompt, lambda case: answer(case, "supported"))


def echoing(prompt: str) -> str:
    """Copies what looks most like an answer in its prompt (field case F40)."""
    objects = re.findall(r"\{[^{}]*\}", prompt)
    return objects[-1] if objects else prompt.splitlines()[-1]


def obedient(prompt: str) -> str:
    """Reads rightly, unless an insight tells it what to say."""
    order = {case.id: number for number, (_, case) in enumerate(shipped().cases())}

    def say(case: Case) -> dict[str, Any]:
        orders = [injected(case, order[case.id] + shift) for shift in range(len(TEXTS))]
        told = next((each for each in orders if each.text.splitlines()[0] in prompt), None)
        if told is None:
            return answer(case)
        return {"answer" if case.options else "label": told.wanted, **_FORM}

    return reply(prompt, say)


def forgetful(every: int) -> Reader:
    """Reads rightly one by one; of several together it spoils one in `every` cases."""
    order = {case.id: number for number, (_, case) in enumerate(shipped().cases())}

    def read(prompt: str) -> str:
        def say(case: Case) -> dict[str, Any]:
            spoils = "Question number 1" in prompt and order[case.id] % every == 0
            other = "insufficient" if case.label != "insufficient" else "supported"
            return answer(case, other if spoils else None)

        return reply(prompt, say)

    return read
