"""What the oracle reads of mixes, groups, time, conditions and correlations."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from datetime import timedelta

from tests.agent.profiler.oracle import (
    MONTHS,
    Line,
    Oracle,
    beyond,
    check_end,
    check_rank,
    figure,
    group,
    groups_of,
    reads,
    subject,
)
from tests.agent.profiler.sums import Number, correlation, mean, printed

GROUP = r"((?:[Ii]n|[Oo]n|[Aa]t|[Ww]ith|[Ww]here) [^()]+?)"


def _part(lines: Sequence[Line], name: str, value: str) -> float:
    return mean([float(str(line[name]) == value) for line in lines])


@reads(r"The most frequent ([\w ]+) of {who} is (\S+), with {n} of its rows \({n}\)")
def most_frequent(oracle: Oracle, found: re.Match[str]) -> None:
    ranked = Counter(str(line[found[1]]) for line in oracle.own).most_common(2)
    assert ranked[0][0] == found[2]
    assert len(ranked) == 1 or ranked[0][1] > ranked[1][1]
    printed(found[3], ranked[0][1] / len(oracle.own))
    printed(found[4], ranked[0][1])


@reads(r"([\w ]+) (\S+) makes up {n} of {who}'s rows{rest}")
def makes_up(oracle: Oracle, found: re.Match[str]) -> None:
    name = found[1][:1].lower() + found[1][1:]
    printed(found[3], _part(oracle.own, name, found[2]))
    if found[4]:
        printed(found[4], _part(oracle.rest, name, found[2]))


@reads(r"Of {who}'s rows {n} have (\w+) (.+?) in (\w+){rest}")
def have_in(oracle: Oracle, found: re.Match[str]) -> None:
    name = f"{found[2]} of {found[4]}"
    printed(found[1], _part(oracle.own, name, found[3]))
    if found[5]:
        printed(found[5], _part(oracle.rest, name, found[3]))


@reads(r"{who} has {n} different values? of (.+)")
def different(oracle: Oracle, found: re.Match[str]) -> None:
    printed(found[1], len({x[found[2]] for x in oracle.own} - {None}))


@reads(r"{who} has the (\d+\w\w )?(most|fewest) different values of (.+) of {n} shops")
def different_rank(oracle: Oracle, found: re.Match[str]) -> None:
    ranks = oracle.by_shop(lambda lines: float(len({x[found[3]] for x in lines} - {None})))
    check_rank(ranks, oracle.shop, found[1], "high" if found[2] == "most" else "low")
    printed(found[4], len(ranks))


@reads(r"On average each (.+) of {who} has {n} of its rows")
def rows_each(oracle: Oracle, found: re.Match[str]) -> None:
    printed(found[2], len(oracle.own) / len({x[found[1]] for x in oracle.own}))


@reads(r"Of {who}'s {n} different values? of (.+) {n} occurs? with no other shop")
def nobody_else(oracle: Oracle, found: re.Match[str]) -> None:
    own, rest = ({line[found[2]] for line in lines} for lines in (oracle.own, oracle.rest))
    printed(found[1], len(own))
    printed(found[3], len(own - rest))


@reads(r"At (.+) (\S+) {who} has {n} of all rows")
def part_of_all(oracle: Oracle, found: re.Match[str]) -> None:
    lines = [line for line in oracle.lines if str(line[found[1]]) == found[2]]
    printed(found[3], mean([float(line["shop"] == oracle.shop) for line in lines]))


@reads(r"{who} has {n} different pairs of (\w+) and (\w+)")
def pairs(oracle: Oracle, found: re.Match[str]) -> None:
    printed(found[1], len({(line[found[2]], line[found[3]]) for line in oracle.own}))


@reads(
    r"The most frequent pair of (\w+) and (\w+) of {who} is (\S+) and (\S+), with {n} of its rows \({n}\)"
)
def top_pair(oracle: Oracle, found: re.Match[str]) -> None:
    ranked = Counter((x[found[1]], x[found[2]]) for x in oracle.own).most_common(2)
    assert ranked[0][0] == (found[3], found[4])
    assert ranked[0][1] > ranked[1][1]
    printed(found[5], ranked[0][1] / len(oracle.own))
    printed(found[6], ranked[0][1])


@reads(r"{who}'s (.+) is highest " + GROUP + r" \({n}\) and lowest " + GROUP + r" \({n}\)")
def both_ends(oracle: Oracle, found: re.Match[str]) -> None:
    for where, shown, end in ((found[2], found[3], "highest"), (found[4], found[5], "lowest")):
        check_end(oracle, found[1], where, shown, end, small=True)


@reads(r"{who}'s share of rows is highest " + GROUP + r" \({n}\)")
def top_share(oracle: Oracle, found: re.Match[str]) -> None:
    key, wanted = group(found[1])
    sizes = {value: len(lines) for value, lines in groups_of(oracle.own, key).items()}
    assert sizes[wanted] == max(sizes.values())
    printed(found[2], sizes[wanted] / len(oracle.own))


@reads(r"{who}'s (.+) is (highest|lowest) " + GROUP + r" \({n}\)")
def one_end(oracle: Oracle, found: re.Match[str]) -> None:
    check_end(oracle, found[1], found[3], found[4], found[2], small=True)


@reads(r"(On \S+) {who}'s (.+) was {n}, its (highest|lowest) day")
def one_day(oracle: Oracle, found: re.Match[str]) -> None:
    check_end(oracle, found[2], found[1], found[3], found[4], small=True)


@reads(r"{who} has the most rows " + GROUP + r" \({n}\)(?: and the fewest " + GROUP + r" \({n}\))?")
def most_rows(oracle: Oracle, found: re.Match[str]) -> None:
    for where, shown, end in ((found[1], found[2], max), (found[3], found[4], min)):
        if where:
            key, wanted = group(where)
            sizes = {value: len(lines) for value, lines in groups_of(oracle.own, key).items()}
            printed(shown, sizes[wanted])
            assert sizes[wanted] == end(sizes.values())
            assert list(sizes.values()).count(sizes[wanted]) == 1


@reads(GROUP + r" {who}'s (.+) is {n}, against {n} for the rest there")
def against_there(oracle: Oracle, found: re.Match[str]) -> None:
    key, wanted = group(found[1])
    over = figure(subject(found[2]))
    for lines, shown in ((oracle.own, found[3]), (oracle.rest, found[4])):
        printed(shown, over(groups_of(lines, key)[wanted]))


@reads(r"For {who}, where (.+) is (above|below) {n}, the (.+) is {n}, against {n} otherwise")
def condition(oracle: Oracle, found: re.Match[str]) -> None:
    part = beyond(found[1], found[2], Number(found[3]).value)
    over = figure(subject(found[4]))
    for side, shown in ((1.0, found[5]), (0.0, found[6])):
        printed(shown, over([line for line in oracle.own if part(line) == side]))


@reads(r"For {who}, where (.+) holds, the (.+) is {n}, against {n} otherwise")
def yes_or_no(oracle: Oracle, found: re.Match[str]) -> None:
    over = figure(subject(found[2]))
    for side, shown in ((True, found[3]), (False, found[4])):
        printed(shown, over([line for line in oracle.own if line[found[1]] is side]))


@reads(r"Over {who}'s rows (.+) (rises|falls) with (.+) \(r = {n}\)(?:, against {n} for the rest)?")
def goes_with(oracle: Oracle, found: re.Match[str]) -> None:
    def over(lines: Sequence[Line]) -> float:
        both = [(line[found[1]], line[found[3]]) for line in lines]
        return correlation([(x, y) for x, y in both if x is not None and y is not None])

    printed(found[4], over(oracle.own))
    assert (over(oracle.own) > 0) == (found[2] == "rises")
    if found[5]:
        printed(found[5], over(oracle.rest))


@reads(r"For {who} (.+) is on average {n} (higher|lower) than (.+) \(mean difference {n}\)")
def difference(oracle: Oracle, found: re.Match[str]) -> None:
    both = [(line[found[1]], line[found[4]]) for line in oracle.own]
    gap = mean([x - y for x, y in both if x is not None and y is not None])
    printed(found[5], gap)
    printed(found[2], abs(gap))
    assert (gap > 0) == (found[3] == "higher")


@reads(r"For {who} the ratio of total (.+) to total (.+) is {n}, against {n} for the rest")
def ratio(oracle: Oracle, found: re.Match[str]) -> None:
    for lines, shown in ((oracle.own, found[3]), (oracle.rest, found[4])):
        both = [(line[found[1]], line[found[2]]) for line in lines]
        known = [(x, y) for x, y in both if x is not None and y is not None]
        printed(shown, sum(x for x, _ in known) / sum(y for _, y in known))


@reads(r"Of {who}'s rows {n} find a row in (\w+){rest}")
def reach(oracle: Oracle, found: re.Match[str]) -> None:
    over = figure(lambda line: float(line[found[2]] is not None))
    printed(found[1], over(oracle.own))
    if found[3]:
        printed(found[3], over(oracle.rest))


@reads(r"Over the {n} different rows of products behind {who}'s rows the mean (.+) is {n}")
def each_once(oracle: Oracle, found: re.Match[str]) -> None:
    name = f"{found[2]} of products"
    known = {line["products"]: line[name] for line in oracle.own if line["products"]}
    printed(found[1], len(known))
    printed(found[3], mean(list(known.values())))


@reads(r"{who} has rows on {n} different days, of {n} on which anybody has any")
def days(oracle: Oracle, found: re.Match[str]) -> None:
    printed(found[1], len({line["day"] for line in oracle.own}))
    printed(found[2], len({line["day"] for line in oracle.lines}))


@reads(r"{who}'s rows run from (\S+) to (\S+)")
def period(oracle: Oracle, found: re.Match[str]) -> None:
    ends = [end(line["day"] for line in oracle.own).isoformat() for end in (min, max)]
    assert ends == [found[1], found[2]]


@reads(r"On average {who} has {n} rows a day that has any")
def a_day(oracle: Oracle, found: re.Match[str]) -> None:
    printed(found[1], len(oracle.own) / len({line["day"] for line in oracle.own}))


@reads(r"On Saturdays and Sundays fall {n} of {who}'s rows{rest}")
def weekend_rows(oracle: Oracle, found: re.Match[str]) -> None:
    over = figure(lambda line: float(line["day"].isoweekday() >= 6))
    printed(found[1], over(oracle.own))
    if found[2]:
        printed(found[2], over(oracle.rest))


@reads(r"{who}'s rows go from {n} in (\w+) (\d+), the first month, to {n} in (\w+) (\d+), the last")
def first_to_last(oracle: Oracle, found: re.Match[str]) -> None:
    sizes = Counter((x["day"].year, x["day"].month) for x in oracle.own)
    first, last = min(sizes), max(sizes)
    assert first == (int(found[3]), MONTHS.index(found[2]) + 1)
    assert last == (int(found[6]), MONTHS.index(found[5]) + 1)
    printed(found[1], sizes[first])
    printed(found[4], sizes[last])


@reads(r"{who}'s (.+) is {n} in the first half of its period and {n} in the second half")
def halves(oracle: Oracle, found: re.Match[str]) -> None:
    start, end = (pick(line["day"] for line in oracle.own) for pick in (min, max))
    middle = start + timedelta(days=(end - start).days // 2)
    over = figure(subject(found[1]))
    printed(found[2], over([line for line in oracle.own if line["day"] <= middle]))
    printed(found[3], over([line for line in oracle.own if line["day"] > middle]))


@reads(r"{who}'s (.+) is {n} at weekends, against {n} on other days")
def weekends(oracle: Oracle, found: re.Match[str]) -> None:
    over = figure(subject(found[1]))
    for free, shown in ((True, found[2]), (False, found[3])):
        lines = [line for line in oracle.own if (line["day"].isoweekday() >= 6) is free]
        printed(shown, over(lines))
