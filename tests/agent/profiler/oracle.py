"""Recompute every number of a sentence about the shop chain, in plain Python and from its rows alone.

It shares no code with the profiler: rows are joined by dictionaries, sentences are read by patterns.
A sentence that no pattern reads is as bad as a false one.
"""

from __future__ import annotations

import re
import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from typing import Any

from tests.agent.profiler.sums import Number, correlation, mean, printed, quantile

Line = dict[str, Any]
Check = Callable[["Oracle", re.Match[str]], None]
CHECKS: list[tuple[re.Pattern[str], Check]] = []
SMALL = 30
MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]


def reads(pattern: str) -> Callable[[Check], Check]:
    """Make a check the reader of sentences of this pattern; {who} and {n} are filled in."""
    filled = pattern.replace("{who}", r"(?:[Ss]hop S\d+)").replace("{n}", r"(-?[\d,.]+%?)")
    filled = filled.replace("{rest}", r"(?:, against (-?[\d,.]+%?) for the rest)?")

    def keep(check: Check) -> Check:
        CHECKS.append((re.compile(filled), check))
        return check

    return keep


class Oracle:
    """The truth about one shop."""

    def __init__(self, tables: Mapping[str, Sequence[tuple[Any, ...]]], shop: str) -> None:
        self.shop = shop
        self.lines = list(_joined(tables))
        self.own = [line for line in self.lines if line["shop"] == shop]
        self.rest = [line for line in self.lines if line["shop"] != shop]
        self.shops = sorted({line["shop"] for line in self.lines})
        self.anchors = {row[0]: row for row in tables["shops"]}

    def check(self, sentence: str) -> None:
        """Raises AssertionError where the sentence is false or cannot be read."""
        assert self.shop in sentence, f"no entity in: {sentence}"
        text = sentence.removesuffix(".")
        text = text.removeprefix("Leaving small groups out, ")
        text = text[:1].upper() + text[1:]
        for pattern, check in CHECKS:
            found = pattern.fullmatch(text)
            if found:
                try:
                    check(self, found)
                except AssertionError as exc:
                    raise AssertionError(f"{sentence}\n{exc}") from exc
                return
        raise AssertionError(f"nobody can check: {sentence}")

    def by_shop(self, figure: Callable[[Sequence[Line]], float | None]) -> dict[str, float]:
        """A figure of each shop that has one."""
        found = {s: figure([x for x in self.lines if x["shop"] == s]) for s in self.shops}
        return {shop: value for shop, value in found.items() if value is not None}


def _joined(tables: Mapping[str, Sequence[tuple[Any, ...]]]) -> Iterable[Line]:
    products = {row[0]: row for row in tables["products"]}
    climate = {row[:3]: row for row in tables["climate"]}
    for day, hour, shop, product, place, channel, quantity, wait, amount, gift in tables["sales"]:
        known = products.get(product, (None,) * 4)
        sky = climate.get((place, day, hour), (None,) * 5)
        yield {
            "day": day,
            "shop": shop,
            "sold hour": hour,
            "product": product,
            "place": place,
            "channel": channel,
            "quantity": quantity,
            "wait (min)": wait,
            "amount (USD)": amount,
            "gift": gift,
            "family of products": known[1],
            "price (USD) of products": known[2],
            "weight (g) of products": known[3],
            "rain (mm) of climate": sky[3],
            "heat (C) of climate": sky[4],
            "products": known[0],
            "climate": sky[0],
        }


def subject(words: str) -> Callable[[Line], float | None]:
    """A row's part of "mean wait (min)", "share of missing wait (min)", "share of x above 15"."""
    if found := re.fullmatch(r"mean (.+)", words):
        return _value(found[1])
    if found := re.fullmatch(r"share of missing (.+)", words):
        name = found[1]
        return lambda line: float(line[name] is None)
    if found := re.fullmatch(r"share of (.+) (above|below) (\S+)", words):
        return beyond(found[1], found[2], Number(found[3]).value)
    if found := re.fullmatch(r"share of (.+)", words):
        return _value(found[1])
    raise AssertionError(f"no such subject: {words}")


def beyond(name: str, side: str, bound: float) -> Callable[[Line], float | None]:
    """Whether a row's value is above or below a bound."""

    def part(line: Line) -> float | None:
        value = _value(_key(name))(line)
        if value is None:
            return None
        return float(value > bound if side == "above" else value < bound)

    return part


def figure(part: Callable[[Line], float | None]) -> Callable[[Sequence[Line]], float | None]:
    """The mean of a part over rows; None where no row counts."""

    def over(lines: Sequence[Line]) -> float | None:
        values = [v for v in map(part, lines) if v is not None]
        return mean(values) if values else None

    return over


def _key(name: str) -> str:
    return name[:1].lower() + name[1:]


def _value(name: str) -> Callable[[Line], float | None]:
    key = _key(name)

    def part(line: Line) -> float | None:
        assert key in line, f"no such column: {key}"
        return None if line[key] is None else float(line[key])

    return part


def group(where: str) -> tuple[Callable[[Line], Any], Any]:
    """The grouping and the group that a phrase names: "in July 2021", "at channel phone"."""
    words = where[:1].lower() + where[1:]
    if found := re.fullmatch(r"in (\w+) (\d{4})", words):
        return (lambda line: (line["day"].year, line["day"].month)), (
            int(found[2]),
            MONTHS.index(found[1]) + 1,
        )
    if found := re.fullmatch(r"on (\d{4}-\d\d-\d\d)", words):
        return (lambda line: line["day"]), date.fromisoformat(found[1])
    if found := re.fullmatch(r"on (\w+day)", words):
        return (lambda line: line["day"].isoweekday()), WEEKDAYS.index(found[1]) + 1
    if found := re.fullmatch(r"where (\w+) (holds|does not hold)", words):
        return (lambda line: line[found[1]]), found[2] == "holds"
    if found := re.fullmatch(r"with (\w+) (.+) in (\w+)", words):
        key = f"{found[1]} of {found[3]}"
        return (lambda line: line[key]), found[2]
    if found := re.fullmatch(r"at (.+) (\S+)", words):
        name, value = found[1], found[2]
        return (lambda line: None if line[name] is None else str(line[name])), value
    raise AssertionError(f"no such group: {where}")


def groups_of(lines: Sequence[Line], key: Callable[[Line], Any]) -> dict[Any, list[Line]]:
    """Rows by group, those without one left out."""
    found: dict[Any, list[Line]] = defaultdict(list)
    for line in lines:
        value = key(line)
        if value is not None:
            found[value].append(line)
    return found


def check_end(oracle: Oracle, words: str, where: str, shown: str, end: str, *, small: bool) -> None:
    """Whether a group has the highest or lowest figure, alone, and whether it is that figure."""
    part, (key, wanted) = subject(words), group(where)
    figures: dict[Any, tuple[float, int]] = {}
    for value, lines in groups_of(oracle.own, key).items():
        counted = [v for v in map(part, lines) if v is not None]
        if counted:
            figures[value] = (mean(counted), len(counted))
    average = mean([n for _, n in figures.values()])
    if small:
        least = min(SMALL, average / 2)
        figures = {g: f for g, f in figures.items() if f[1] >= least}
    assert wanted in figures, f"{where}: a group that is too small"
    best = (max if end == "highest" else min)(v for v, _ in figures.values())
    printed(shown, figures[wanted][0])
    assert figures[wanted][0] == best, f"{end} is {best}, not {figures[wanted][0]}"
    assert sum(v == best for v, _ in figures.values()) == 1, "another group has the same figure"


def check_rank(ranks: Mapping[str, float], shop: str, ordinal: str | None, end: str) -> None:
    """Whether a shop has this place, alone."""
    place = int(re.sub(r"\D", "", ordinal)) if ordinal else 1
    better = sum(v > ranks[shop] if end == "high" else v < ranks[shop] for v in ranks.values())
    assert better == place - 1, f"{better} are better, so it is not number {place}"
    assert list(ranks.values()).count(ranks[shop]) == 1, "tied"


__all__ = [
    "CHECKS", "Counter", "Line", "Oracle", "beyond", "check_end", "check_rank", "correlation",
    "figure", "group", "groups_of", "mean", "printed", "quantile", "reads", "statistics", "subject",
]  # fmt: skip
