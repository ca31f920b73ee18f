"""All sentences of the profiler: one fact each, at most four numbers, the entity named in each."""

from __future__ import annotations

from dataclasses import dataclass

from agent.profiler.wording import count, ordinal, plural, share


@dataclass(frozen=True)
class Voice:
    """Who is spoken of, and where its rows are."""

    noun: str
    entity: str
    rows: str = "rows"
    """"rows", or "rows in lab events" where the entity has rows in several tables."""

    @property
    def who(self) -> str:
        """carrier 03"""
        return f"{self.noun} {self.entity}"

    @property
    def whose(self) -> str:
        """carrier 03's"""
        return f"{self.who}'s"

    @property
    def kin(self) -> str:
        """carriers"""
        return plural(self.noun)


def sentence(words: str) -> str:
    """With a capital and a full stop."""
    return words[:1].upper() + words[1:] + "."


def volume(voice: Voice, table: str, own: float, rows: float) -> str:
    """How many rows it has, and which part of all where others have some."""
    told = f"{voice.who} has {count(own)} rows in {table}"
    if own == rows:
        return sentence(told)
    part = share(own / rows) if rows else "0%"
    return sentence(f"{told}, {part} of all {count(rows)}")


def ranked(voice: Voice, subject: str, above: int, entities: int) -> str:
    """Its rank, from the nearer end."""
    below = entities - 1 - above
    end, rank = ("highest", above + 1) if above <= below else ("lowest", below + 1)
    place = end if rank == 1 else f"{ordinal(rank)} {end}"
    return sentence(f"{voice.whose} {subject} is the {place} of {count(entities)} {voice.kin}")


def most_of(voice: Voice, subject: str, above: int, entities: int) -> str:
    """Its rank by a count."""
    below = entities - 1 - above
    end, rank = ("most", above + 1) if above <= below else ("fewest", below + 1)
    place = end if rank == 1 else f"{ordinal(rank)} {end}"
    return sentence(f"{voice.who} has the {place} {subject} of {count(entities)} {voice.kin}")


def mean_against(voice: Voice, phrase: str, own: str, rest: str | None) -> str:
    """A mean of its own column against the rest."""
    return sentence(f"for {voice.who} the mean of {phrase} is {own}{_against(rest)}")


def joined_mean(voice: Voice, phrase: str, own: str, rest: str | None) -> str:
    """A mean of a joined column over its rows."""
    return sentence(f"the mean {phrase} over {voice.whose} {voice.rows} is {own}{_against(rest)}")


def mean_of_kind(voice: Voice, name: str, own: str, rest: str | None) -> str:
    """A mean of one kind of number; `name` is "Creatinine (value of lab events)"."""
    return sentence(f"for {voice.who} the mean {name} is {own}{_against(rest)}")


def last_of_kind(voice: Voice, name: str, value: str) -> str:
    """The latest value of one kind."""
    return sentence(f"{voice.whose} last {name} is {value}")


def change_of_kind(voice: Voice, name: str, change: float) -> str:
    """How far the latest value is above or below the first, in parts of the first."""
    way = "higher" if change > 0 else "lower"
    return sentence(f"since the first time {voice.whose} {name} is {share(abs(change))} {way}")


def share_of_kind(voice: Voice, name: str, base: str, part: float, *, average: bool) -> str:
    """One kind as a share of another one at the same time: the last time, or on average."""
    if average:
        return sentence(f"{voice.whose} {name} is on average {share(part)} of its {base}")
    return sentence(f"{voice.whose} {name} is {share(part)} of its {base}, the last time")


def figure_against(voice: Voice, figure: str, phrase: str, own: str, rest: str | None) -> str:
    """A median, a percentile, a spread."""
    return sentence(f"for {voice.who} the {figure} of {phrase} is {own}{_against(rest)}")


def missing_in(voice: Voice, phrase: str, own: float, rest: float | None) -> str:
    """How often a value is missing."""
    return sentence(
        f"{phrase} is missing in {share(own)} of {voice.whose} {voice.rows}"
        f"{_against(None if rest is None else share(rest))}"
    )


def beyond(voice: Voice, beyond: str, own: float, rest: float | None, *, of: str) -> str:
    """How often a value is "above 15"; `beyond` says of what; `of` is "rows" or "values"."""
    return sentence(
        f"{beyond} in {share(own)} of {voice.whose} {of}"
        f"{_against(None if rest is None else share(rest))}"
    )


def most_frequent(voice: Voice, phrase: str, value: str, part: float, rows: float) -> str:
    """The top value of a category."""
    return sentence(
        f"the most frequent {phrase} of {voice.who} is {value}, "
        f"with {share(part)} of its {voice.rows} ({count(rows)})"
    )


def made_up_of(voice: Voice, phrase: str, value: str, own: float, rest: float | None) -> str:
    """The share of one value against the rest."""
    return sentence(
        f"{phrase} {value} makes up {share(own)} of {voice.whose} {voice.rows}"
        f"{_against(None if rest is None else share(rest))}"
    )


def have_in(voice: Voice, part: float, rest: float | None, what: str) -> str:
    """The share of a joined category; `what` is "manufacturer EMBRAER in aircraft"."""
    return sentence(
        f"of {voice.whose} {voice.rows} {share(part)} have {what}"
        f"{_against(None if rest is None else share(rest))}"
    )


def different(voice: Voice, phrase: str, values: float) -> str:
    """How many different values there are."""
    noun = "value" if round(values) == 1 else "values"
    return sentence(f"{voice.who} has {count(values)} different {noun} of {phrase}")


@dataclass(frozen=True)
class Group:
    """A group and its figure, as words: ("in July 2019", "28.4")."""

    where: str
    value: str


def highest_lowest(
    voice: Voice, subject: str, high: Group, low: Group, *, small_out: bool = False
) -> str:
    """The extremes of a figure among groups."""
    words = (
        f"{voice.whose} {subject} is highest {high.where} ({high.value}) "
        f"and lowest {low.where} ({low.value})"
    )
    return sentence(f"leaving small groups out, {words}" if small_out else words)


def one_end(voice: Voice, subject: str, group: Group, end: str, *, small_out: bool = False) -> str:
    """One extreme of a figure among groups, where the other is reached by several."""
    words = f"{voice.whose} {subject} is {end} {group.where} ({group.value})"
    return sentence(f"leaving small groups out, {words}" if small_out else words)


def holds_in(voice: Voice, phrase: str, own: float, rest: float | None) -> str:
    """How often a yes or no is a yes."""
    return sentence(
        f"{phrase} holds in {share(own)} of {voice.whose} {voice.rows}"
        f"{_against(None if rest is None else share(rest))}"
    )


def most_fewest(voice: Voice, high: Group, low: Group) -> str:
    """The extremes of the row count among groups."""
    return sentence(
        f"{voice.who} has the most {voice.rows} {high.where} ({high.value}) "
        f"and the fewest {low.where} ({low.value})"
    )


def day_of(voice: Voice, subject: str, day: Group, end: str, *, small_out: bool = False) -> str:
    """The day of the highest or lowest mean."""
    words = f"{day.where} {voice.whose} {subject} was {day.value}, its {end} day"
    return sentence(f"leaving small groups out, {words}" if small_out else words)


def where_otherwise(voice: Voice, condition: str, subject: str, inside: str, outside: str) -> str:
    """A figure under a condition against the figure otherwise."""
    return sentence(
        f"for {voice.who}, where {condition}, the {subject} is {inside}, against {outside} otherwise"
    )


def in_group_against(voice: Voice, where: str, subject: str, own: str, rest: str) -> str:
    """A figure in one group against the rest in the same group."""
    return sentence(f"{where} {voice.whose} {subject} is {own}, against {rest} for the rest there")


def go_together(voice: Voice, one: str, other: str, r: float, rest: float | None) -> str:
    """A correlation."""
    way = "rises" if r > 0 else "falls"
    return sentence(
        f"over {voice.whose} {voice.rows} {one} {way} with {other} (r = {r:.2f})"
        f"{_against(None if rest is None else f'{rest:.2f}')}"
    )


def _against(rest: str | None) -> str:
    return "" if rest is None else f", against {rest} for the rest"
