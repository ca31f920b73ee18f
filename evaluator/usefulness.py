"""Ask a judge which of two sets of insights is more useful; who found them it is not told (DDR-14)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Literal, get_args

from evaluator.asking import fence
from evaluator.filling import fill, hash_of, text_of
from evaluator.interviewing import Question
from evaluator.replying import Fault, read

Word = Literal["first", "second", "tie"]

_NAMES: Final = ("useful", "pair", "pairagain")
_INDENT: Final = "\n    "
_HIDDEN: Final = "[name]"
_LEAST: Final = 5
"""Characters of a name that is looked for; shorter ones are words too."""


@dataclass(frozen=True)
class Preference:
    """What a judge said."""

    word: Word
    reason: str = ""


def prompt_hash() -> str:
    """sha-256 of all that is asked with."""
    return hash_of(*_NAMES)


def question(subject: str, first: Sequence[str], second: Sequence[str]) -> Question[Preference]:
    """Which is more useful, in this order. What is shown is data, whatever it says."""
    shown = listed(first), listed(second)
    data = "\n".join((subject, *shown))
    asked = fill("pair", subject=subject, first=shown[0], second=shown[1], fence=fence(data))
    return Question(
        messages=(
            {"role": "system", "content": text_of("useful")},
            {"role": "user", "content": asked},
        ),
        read=partial(_preference, data=data),
        again=lambda fault: {"role": "user", "content": fill("pairagain", fault=fault)},
        form=FORM,
    )


FORM: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "reason": {"type": "string"},
        "winner": {"type": "string", "enum": list(get_args(Word))},
    },
    "required": ["reason", "winner"],
    "additionalProperties": False,
}
"""Of the reply, for a model that can be held to a form."""


def listed(texts: Iterable[str]) -> str:
    """A set as it is shown: without turns, which would tell how long somebody explored."""
    return "\n".join(f"- {_INDENT.join(text.splitlines())}" for text in texts)


def hidden(texts: Iterable[str], names: Iterable[str]) -> list[str]:
    """The texts without names that would tell whose they are, in whatever case.

    Of 'provider/name' the last part is looked for. Names of under five letters, and those that are an
    ordinary word (letters alone), stay: in a text they mean something else.
    """
    told = {name.rstrip("/").rpartition("/")[2] for name in names}
    wanted = sorted(
        (n for n in told if len(n) >= _LEAST and not n.isalpha()), key=len, reverse=True
    )
    if not wanted:
        return list(texts)
    found = re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, wanted))})(?![\w-])", re.IGNORECASE)
    return [found.sub(_HIDDEN, text) for text in texts]


def _preference(text: str, *, data: str) -> Preference | Fault:
    """Strictly one of the three words; a reply that cannot be read is missing, never a tie."""
    answer = read(text, key="winner", allowed=get_args(Word), data=data)
    if isinstance(answer, Fault):
        return answer
    words: dict[str, Word] = {word: word for word in get_args(Word)}
    return Preference(words[answer.word], answer.reason)
