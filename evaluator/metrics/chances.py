"""How likely each rating was where a model gave one: read from its tokens, kept with its words."""

from __future__ import annotations

import json
import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final

from core.protocols import Chance, ChatModel, Reply, Spoken, ToolSpec
from core.trajectory import Role

TOP: Final = 5
"""How many tokens at one place a provider is asked for (IB-06)."""
ASKED: Final = {"logprobs": True, "top_logprobs": TOP}
"""The sampling settings that ask for them."""
LOWEST: Final = 1
HIGHEST: Final = 10
RATING: Final = re.compile(r"<rating>\s*(\d+)(?:\.0+)?(?:\s*/\s*10)?\s*</rating>", re.IGNORECASE)
_MARK: Final = "\n\x1fchances "
_NUMBER: Final = re.compile(r"\s*(\d+)(.*)", re.DOTALL)


class ChanceTeller:
    """A ChatModel whose replies bear, in a last line, how likely each rating was.

    So that they are remembered and read like any other reply. Replies without a rating, or whose
    tokens were not told, are handed on as they are.
    """

    def __init__(self, model: ChatModel) -> None:
        self._model = model
        self.name = model.name

    async def complete(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[ToolSpec] = (),
        *,
        role: Role = "agent",
        form: Mapping[str, Any] | None = None,
    ) -> Reply:
        """See ChatModel."""
        more: dict[str, Any] = {} if form is None else {"form": form}
        reply = await self._model.complete(messages, tools, role=role, **more)
        text = reply.text.replace("\x1f", " ")  # nobody but us writes that line
        if found := spread(reply.chances):
            text += _MARK + json.dumps(found)
        return reply.model_copy(update={"text": text})


def parted(text: str) -> tuple[str, Mapping[int, float] | None]:
    """What a model said, and the chances that ChanceTeller wrote behind it; None where it wrote none."""
    said, mark, line = text.partition(_MARK)
    return said, {int(key): value for key, value in json.loads(line).items()} if mark else None


def spread(spoken: Sequence[Spoken]) -> dict[int, float] | None:
    """The chance of each rating 1 to 10 at the place of the rating, together 1 (IB-06).

    None where the tokens hold no rating or nothing is told of its place. Tokens that are no number on
    the scale are left out, and the rest is taken as the whole; ' 7' and '7' are one. A model may
    write 10 as two tokens: where a '1' was said, the next place tells which share of it went on with
    '0'. Where it was not said, it is a 1 if '10' is a token of its own among the likeliest; else
    nobody knows which of the two it would have become, and it is left out.
    """
    whole = "".join(each.token for each in spoken)
    found = list(RATING.finditer(whole))
    if not found:
        return None
    place, inside = _place(spoken, found[-1].start(1))
    said = spoken[place]
    before = said.token[:inside]
    following = spoken[place + 1] if place + 1 < len(spoken) else None
    read = [(_number(each.token, before), _chance(each), each) for each in said.top]
    has_ten = any(number == HIGHEST for (number, _), _, _ in read)
    summed: dict[int, float] = defaultdict(float)
    for (number, is_whole), chance, each in read:
        if number is None or not LOWEST <= number <= HIGHEST:
            continue
        if number > LOWEST or is_whole:
            summed[number] += chance
        elif each.token == said.token and following is not None and following.top:
            went_on = min(1.0, sum(map(_zero, following.top)))
            summed[LOWEST] += chance * (1 - went_on)
            summed[HIGHEST] += chance * went_on
        elif each.token == said.token:
            summed[int(found[-1][1])] += chance
        elif has_ten:
            summed[LOWEST] += chance
    total = sum(summed.values())
    return (
        {number: chance / total for number, chance in sorted(summed.items()) if chance}
        if total
        else None
    )


def _place(spoken: Sequence[Spoken], offset: int) -> tuple[int, int]:
    """The token in which a character stands, and where in it."""
    for place, each in enumerate(spoken):
        if offset < len(each.token):
            return place, offset
        offset -= len(each.token)
    raise ValueError("beyond the last token")


def _number(token: str, before: str) -> tuple[int | None, bool]:
    """The number in a token, and whether it surely ends there."""
    found = _NUMBER.fullmatch(token.removeprefix(before) if before.strip() else token)
    if found is None or not found[1].isascii():
        return None, False
    return int(found[1][:4]), bool(found[2])


def _zero(each: Chance) -> float:
    return _chance(each) if each.token.startswith("0") else 0.0


def _chance(each: Chance) -> float:
    """At most 1, whatever an endpoint calls a log-probability."""
    return math.exp(min(each.logprob, 0.0))
