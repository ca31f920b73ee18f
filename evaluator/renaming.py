"""Put one entity's names in the place of another's in a text, as a reader would notice them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.scenario import Entity
from evaluator.reading.clauses import clauses
from evaluator.reading.folding import Folded, fold
from evaluator.reading.mentions import Names


def swap_names(
    text: str,
    one: Entity,
    other: Entity,
    everybody: Sequence[Entity],
    nouns: Iterable[str] = (),
) -> str:
    """The text with the ids and names of `one` and `other` exchanged.

    Both ways at once, so that a donor's comparison with the recipient stays a comparison of two.
    A bare number is an id only where a reader takes it for one ('carrier 03', "id = '03'");
    case and possessives are kept. `nouns` are what such entities are called.
    """
    folded = fold(text)
    names = Names(
        (one.id, one.label), tuple((e.id, e.label) for e in everybody if e.id != one.id), nouns
    )
    places: dict[tuple[int, int], tuple[Entity, Entity]] = {}
    for clause in clauses(folded):
        for mention in names.mentions(clause):
            if mention.who not in ("own", "other") or clause.starts[mention.first] < 0:
                continue
            place = (clause.starts[mention.first], clause.ends[mention.last])
            if mention.word == one.id:
                places[place] = (one, other)
            elif mention.word == other.id:
                places[place] = (other, one)
    return _rewritten(folded, places)


def _rewritten(folded: Folded, places: dict[tuple[int, int], tuple[Entity, Entity]]) -> str:
    pieces = []
    done = 0
    for (start, end), (old, new) in sorted(places.items()):
        first, last = folded.place(start), folded.place(end - 1) + 1
        pieces += [folded.raw[done:first], _renamed(folded.raw[first:last], old, new)]
        done = last
    return "".join(pieces) + folded.raw[done:]


def _renamed(written: str, old: Entity, new: Entity) -> str:
    """The new name in the manner of the old one: id for id, label for label, case and 's kept."""
    name, possessive = written, ""
    for ending in ("'s", "’s", "'S", "’S"):
        if written.endswith(ending):
            name, possessive = written[: -len(ending)], ending
    is_id = name.casefold() == old.id.casefold()
    replaced = new.id if is_id else new.label
    if not is_id and name != old.label:
        replaced = replaced.upper() if name.isupper() else replaced
        replaced = replaced.lower() if name.islower() else replaced
    return replaced + possessive
