"""Say of whom a clause speaks: the entity, another one, or everybody else."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

from evaluator.reading.clauses import Clause
from evaluator.reading.folding import fold
from evaluator.reading.forms import Form, form
from evaluator.reading.lexicon import ALL_OF, FUNCTION, POPULATION
from evaluator.reading.stems import stem
from evaluator.reading.tokens import tokenize

Who = Literal["own", "other", "population", "pronoun"]

PRONOUNS = frozenset({"it", "its", "they", "their", "itself"})
_ARTICLES = frozenset({"the", "this"})
_BEFORE_ID = frozenset({"=", "id", "entity", "code", "no", "number"})
_BEFORE_OVERALL = frozenset({"the", "an", "than", "to", "against", "vs", "versus", "(", "with"})
_LINKS = frozenset({",", "and", "or", "&", "/"})
_NOT_REST = frozenset({"day", "days", "year", "month", "week", "time", "network", "fleet", "its"})

_UNMISTAKABLE = 5
"""Letters from which a label is taken for a name in small letters too."""

IdAndLabel = tuple[str, str]

Having = Callable[[str], Iterable[int]]
"""The clauses that hold a stem."""


class Mention(NamedTuple):
    """A name or pronoun in a clause."""

    who: Who
    first: int
    last: int
    word: str = ""


@dataclass(frozen=True, slots=True)
class _Name:
    """One spelling of an entity's id or label."""

    entity_id: str
    words: tuple[str, ...]
    capital: bool
    """A short or common word must be written with its capital: Major is a name, major is not."""
    capitals: bool
    """An id in capitals likewise: AS is a name, As is not."""
    bare: bool
    """Digits only: it needs a noun before it (carrier 12), for 12 alone is a figure."""


@lru_cache(maxsize=512)
def _spellings(own: IdAndLabel, others: tuple[IdAndLabel, ...]) -> dict[str, list[_Name]]:
    """Per first word, the names that begin with it, the longest first."""
    found: dict[str, list[_Name]] = defaultdict(list)
    for entity_id, label in (own, *(other for other in others if other[0] != own[0])):
        for spelling in dict.fromkeys((entity_id, label)):
            name = _name(entity_id, spelling)
            if name is not None:
                found[name.words[0]].append(name)
    for names in found.values():
        names.sort(key=lambda name: -len(name.words))
    return found


class Names:
    """The names of one entity and of the others, and the noun that people put before an id."""

    def __init__(
        self, own: IdAndLabel, others: tuple[IdAndLabel, ...], nouns: Iterable[str] = ()
    ) -> None:
        self.entity_id = own[0]
        self.nouns = {stem(noun) for noun in nouns}
        self._by_first = _spellings(own, others)
        self.triggers = set(map(_key, self._by_first)) | self.nouns | _POPULATION_STEMS | PRONOUNS
        """Stems at which a mention may begin."""

    def learn(self, clauses: Sequence[Clause], having: Having) -> None:
        """Take the word that stands most often before the entity's id for its noun."""
        seen: Counter[str] = Counter()
        own = [n for names in self._by_first.values() for n in names if self._is_own(n)]
        for word in {name.words[0] for name in own}:
            for number in having(_key(word)):
                forms = clauses[number].forms
                for i, each in enumerate(forms):
                    if each.text == word:
                        noun = _noun_before(forms, i)
                        if noun is not None:
                            seen[noun] += 1
        if seen:
            self.nouns.add(min(seen, key=lambda noun: (-seen[noun], noun)))
            self.triggers |= self.nouns

    def mentions(self, clause: Clause) -> list[Mention]:
        """Every mention of a clause in order, none overlapping."""
        found: list[Mention] = []
        forms, triggers, done = clause.forms, self.triggers, -1
        names, nouns = self._by_first, self.nouns
        for i, word in enumerate(forms):
            if i <= done or word.stem not in triggers or word.kind == "mark":
                continue
            text = word.text
            mention = self.names_at(forms, i, found) if text in names else None
            if mention is None:
                if text in PRONOUNS:
                    mention = Mention("pronoun", i, i, text)
                elif text in POPULATION:
                    mention = self._population(forms, i, found)
                elif i and word.stem in nouns:
                    mention = self._noun(forms, i)
            if mention is not None:
                found.append(mention)
                done = mention.last
        return found

    def _is_own(self, name: _Name) -> bool:
        return name.entity_id == self.entity_id

    def names_at(self, forms: Sequence[Form], i: int, before: Sequence[Mention]) -> Mention | None:
        """The entity's or another's name that starts at `i`; `word` is the entity's id."""
        for name in self._by_first.get(forms[i].text, ()):
            last = i + len(name.words) - 1
            if last > i and tuple([form.text for form in forms[i : last + 1]]) != name.words:
                continue
            if (name.capital and not forms[i].capital) or (name.capitals and not forms[i].code):
                continue
            if name.bare and not self._is_led(forms, i, before):
                continue
            return Mention("own" if self._is_own(name) else "other", i, last, name.entity_id)
        return None

    def _is_led(self, forms: Sequence[Form], i: int, before: Sequence[Mention]) -> bool:
        """Whether a bare number stands where an id stands: after the noun, in a list of ids."""
        if forms[i].suffix or forms[i].decimals:
            return False
        lead = forms[i - 1] if i else None
        zero = forms[i].text.startswith("0") and len(forms[i].text) > 1
        if lead is None:
            return zero
        if zero and lead.text in FUNCTION and i + 1 < len(forms) and forms[i + 1].text == "s":
            # "in 01's fleet"
            return True
        if lead.stem in self.nouns or lead.text in _BEFORE_ID:
            return True
        named = before[-1] if before and before[-1].who in ("own", "other") else None
        if named is not None:
            gap = forms[named.last + 1 : i]
            if 0 < len(gap) <= 2 and all(word.text in _LINKS for word in gap):
                return self._is_listed(forms, before)
            if [word.text for word in gap] == ["("] and self._closes(forms, i):
                return True
        if not zero:
            return False
        return not lead.plain or lead.text in ("(", ",", "of", "for", "by", "to", "than", "and")

    def _is_listed(self, forms: Sequence[Form], before: Sequence[Mention]) -> bool:
        """'carriers 03, 07 and 12' lists ids; in 'carrier 03, 12 for the rest' 12 is a figure."""
        first = before[-1].first
        for mention in reversed(before):
            if first - mention.last > 3:
                break
            first = mention.first
        noun = forms[first - 1] if first else None
        return noun is not None and noun.stem in self.nouns and noun.text.endswith("s")

    @staticmethod
    def _closes(forms: Sequence[Form], i: int) -> bool:
        return i + 1 < len(forms) and forms[i + 1].text == ")"

    def _population(
        self, forms: Sequence[Form], i: int, before: Sequence[Mention]
    ) -> Mention | None:
        """'the rest', 'others', 'the overall mean'; not 'its overall mean', 'the rest of the day'."""
        word = forms[i].text
        after = forms[i + 1].text if i + 1 < len(forms) else ""
        if word in ("rest", "remainder") and after == "of":
            thing = next((f.text for f in forms[i + 2 : i + 4] if f.text != "the"), "")
            if thing in _NOT_REST:
                return None
        if word == "overall":
            owned = bool(before) and before[-1].last >= i - 2 and before[-1].who != "population"
            led = i > 0 and forms[i - 1].text in _BEFORE_OVERALL
            # '(11.6 years overall)'
            led = led or (
                after == ")" and any(form.text == "(" for form in forms[max(0, i - 4) : i])
            )
            if owned or not (led or i == 0 or after == ":"):
                return None
        return Mention("population", i, i, word)

    def _noun(self, forms: Sequence[Form], i: int) -> Mention | None:
        """'all carriers' are the population, 'the carrier' is whoever was spoken of."""
        text = forms[i].text
        for place in range(max(0, i - 3), i):
            if forms[place].text in ALL_OF:
                return Mention("population", i, i, text)
        singular = not text.endswith("s") or text.endswith("ss")
        if singular and forms[i - 1].text in _ARTICLES:
            return Mention("pronoun", i - 1, i, text)
        return None


def _noun_before(forms: Sequence[Form], i: int) -> str | None:
    """The noun to which an id belongs: 'carrier 03', "carrier_id = '03'"."""
    back = i - 1
    while back >= 0 and (forms[back].text in _BEFORE_ID or forms[back].text in ("#", ":")):
        back -= 1
    if back < 0 or forms[back].kind != "word" or forms[back].plain:
        return None
    return forms[back].stem


def _key(word: str) -> str:
    return form("number" if word[:1].isdigit() else "word", word).stem


def _name(entity_id: str, spelling: str) -> _Name | None:
    folded = fold(spelling)
    tokens = tokenize(folded, 0, len(folded.text))
    if not tokens.forms:
        return None
    first = tokens.forms[0]
    return _Name(
        entity_id,
        tuple(token.text for token in tokens.forms),
        capital=spelling[:1].isupper() and (first.plain or len(first.text) < _UNMISTAKABLE),
        capitals=len(tokens.forms) == 1 and len(spelling) > 1 and spelling.isupper(),
        bare=len(tokens.forms) == 1 and first.kind == "number",
    )


_POPULATION_STEMS = frozenset(stem(word) for word in POPULATION)
