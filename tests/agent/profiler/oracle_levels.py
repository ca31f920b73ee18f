"""What the oracle reads of volume, levels against the rest, gaps in the data and extremes."""

from __future__ import annotations

import re

from tests.agent.profiler.oracle import (
    Line,
    Oracle,
    beyond,
    check_rank,
    figure,
    group,
    reads,
    statistics,
    subject,
)
from tests.agent.profiler.sums import Number, mean, printed, quantile

ANCHORS = {"shop name": 1, "floor (m)": 2, "style": 3}


def _name(words: str) -> str:
    return words[:1].lower() + words[1:]


def _values(lines: list[Line], name: str) -> list[float]:
    return [float(line[name]) for line in lines if line[name] is not None]


@reads(r"{who} has {n} rows in sales, {n} of all {n}")
def volume(oracle: Oracle, found: re.Match[str]) -> None:
    printed(found[1], len(oracle.own))
    printed(found[2], len(oracle.own) / len(oracle.lines))
    printed(found[3], len(oracle.lines))


@reads(r"{who} has the (\d+\w\w )?(most|fewest) rows in sales of {n} shops")
def volume_rank(oracle: Oracle, found: re.Match[str]) -> None:
    ranks = oracle.by_shop(lambda lines: float(len(lines)))
    check_rank(ranks, oracle.shop, found[1], "high" if found[2] == "most" else "low")
    printed(found[3], len(ranks))


@reads(r"{who}'s floor \(m\) is the (\d+\w\w )?(high|low)est of {n} shops")
def anchor_rank(oracle: Oracle, found: re.Match[str]) -> None:
    ranks = {shop: float(row[2]) for shop, row in oracle.anchors.items()}
    check_rank(ranks, oracle.shop, found[1], found[2])
    printed(found[3], len(ranks))


@reads(r"{who}'s (.+) is the (\d+\w\w )?(high|low)est of {n} shops")
def level_rank(oracle: Oracle, found: re.Match[str]) -> None:
    ranks = oracle.by_shop(figure(subject(found[1])))
    check_rank(ranks, oracle.shop, found[2], found[3])
    printed(found[4], len(ranks))


@reads(r"For {who} the mean of (.+) is {n}{rest}")
def mean_against(oracle: Oracle, found: re.Match[str]) -> None:
    over = figure(subject(f"mean {found[1]}"))
    printed(found[2], over(oracle.own))
    if found[3]:
        printed(found[3], over(oracle.rest))


@reads(r"The mean (.+ of \w+) over {who}'s rows is {n}{rest}")
def joined_mean(oracle: Oracle, found: re.Match[str]) -> None:
    over = figure(subject(f"mean {found[1]}"))
    printed(found[2], over(oracle.own))
    if found[3]:
        printed(found[3], over(oracle.rest))


@reads(r"For {who} the (median|90th percentile|standard deviation) of (.+) is {n}{rest}")
def quantiles(oracle: Oracle, found: re.Match[str]) -> None:
    def over(values: list[float]) -> float:
        if found[1] == "standard deviation":
            return statistics.stdev(values)
        return quantile(values, 0.5 if found[1] == "median" else 0.9)

    printed(found[3], over(_values(oracle.own, found[2])))
    if found[4]:
        printed(found[4], over(_values(oracle.rest, found[2])))


@reads(r"(.+) is missing in {n} of {who}'s rows{rest}")
def missing(oracle: Oracle, found: re.Match[str]) -> None:
    over = figure(subject(f"share of missing {_name(found[1])}"))
    printed(found[2], over(oracle.own))
    if found[3]:
        printed(found[3], over(oracle.rest))


@reads(r"(.+) is (above|below) {n} in {n} of {who}'s (rows|values){rest}")
def how_often_beyond(oracle: Oracle, found: re.Match[str]) -> None:
    name = _name(found[1])
    over = figure(beyond(name, found[2], Number(found[3]).value))
    printed(found[4], over(oracle.own))
    if found[6]:
        printed(found[6], over(oracle.rest))
    gaps = any(line[name] is None for line in oracle.lines)
    assert gaps == (found[5] == "values"), "of rows and of values are different things"


@reads(r"(.+) holds in {n} of {who}'s rows{rest}")
def holds(oracle: Oracle, found: re.Match[str]) -> None:
    over = figure(subject(f"mean {_name(found[1])}"))
    printed(found[2], over(oracle.own))
    if found[3]:
        printed(found[3], over(oracle.rest))


@reads(r"The (highest|lowest) (.+) of {who} is {n}")
def extreme(oracle: Oracle, found: re.Match[str]) -> None:
    ends = {"highest": max, "lowest": min}
    printed(found[3], ends[found[1]](_values(oracle.own, found[2])))


@reads(r"The (highest|lowest) (.+) of {who} occurs on (\S+) at (.+)")
def extreme_place(oracle: Oracle, found: re.Match[str]) -> None:
    ends = {"highest": max, "lowest": min}
    value = ends[found[1]](_values(oracle.own, found[2]))
    (line,) = [x for x in oracle.own if x[found[2]] == value]
    assert str(line["day"]) == found[3]
    key, wanted = group(f"at {found[4]}")
    assert key(line) == wanted


@reads(r"The (highest|lowest) (.+) of all shops is {who}'s")
def extreme_of_all(oracle: Oracle, found: re.Match[str]) -> None:
    ends = {"highest": max, "lowest": min}
    own, rest = (ends[found[1]](_values(x, found[2])) for x in (oracle.own, oracle.rest))
    assert own != rest
    assert ends[found[1]](own, rest) == own


@reads(r"The (shop name|floor \(m\)|style) of {who} is (.+)")
def anchor_value(oracle: Oracle, found: re.Match[str]) -> None:
    assert str(oracle.anchors[oracle.shop][ANCHORS[found[1]]]) == found[2]


@reads(r"{n} of all {n} shops have the (\w+) of {who}")
def anchor_share(oracle: Oracle, found: re.Match[str]) -> None:
    place = ANCHORS[found[3]]
    same = [row[place] == oracle.anchors[oracle.shop][place] for row in oracle.anchors.values()]
    printed(found[1], mean([float(s) for s in same]))
    printed(found[2], len(same))
