"""Give each figure to one fact of its metric: a number may not support many (EVALUATION 5.4)."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence


def assign(wanted: Mapping[str, Sequence[Hashable]], order: Sequence[str]) -> dict[str, Hashable]:
    """Which item gets which token: as many items as can be served, earlier ones first.

    `wanted` lists the tokens that would support each item. Items are served in `order`, and a
    later one may move an earlier one to another of its tokens, but never push it out; so the
    set of items that are served does not depend on the order of the tokens.
    """
    holder: dict[Hashable, str] = {}

    def serve(item: str, tried: set[Hashable]) -> bool:
        for token in wanted[item]:
            if token in tried:
                continue
            tried.add(token)
            if token not in holder or serve(holder[token], tried):
                holder[token] = item
                return True
        return False

    for item in order:
        serve(item, set())
    return {item: token for token, item in holder.items()}


def families(aliases: Mapping[str, Sequence[Hashable]]) -> dict[str, str]:
    """Items by the metric that they share: those with a common alias are of one family."""
    leader: dict[str, str] = {item: item for item in aliases}

    def lead(item: str) -> str:
        while leader[item] != item:
            leader[item] = leader[leader[item]]
            item = leader[item]
        return item

    first: dict[Hashable, str] = {}
    for item, keys in aliases.items():
        for key in keys:
            leader[lead(item)] = lead(first.setdefault(key, item))
    return {item: lead(item) for item in aliases}
