"""What must hold of every exploration, whatever was read: found by trying to break it."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import entropy as scipy_entropy

from analysis.exploration.breadth import looks
from analysis.exploration.complexity import complexity
from analysis.exploration.course import parts_of
from analysis.exploration.entropy import bits, normalised, use_of
from analysis.exploration.explored import Group, explore
from analysis.exploration.fields import readings
from analysis.exploration.regime import Observation, bins, fit
from analysis.exploration.thirds import QUERIES, changes, thirds
from analysis.exploration.tokens import new_tokens
from core.trajectory import Nudge, Trajectory, Turn
from tests.analysis.exploration.making import fields, model_call, python, reading, sql, turn
from tests.analysis.exploration.test_regime import hill, observed
from tests.analysis.exploration.test_thirds import of, step
from tests.analysis.factory import trajectory
from tests.evaluator.records import STEADY

HERE = fields(t="a b c", u="d e", v="f")
NAMES = tuple(HERE.by_name)

calls = st.builds(
    lambda read, is_python: python(*read) if is_python else sql(*read),
    st.lists(st.sampled_from([*NAMES, "gone.x", "?"]), unique=True, max_size=5),
    st.booleans(),
)
turns = st.lists(st.lists(calls, max_size=3), min_size=1, max_size=12)
counts = st.lists(st.integers(0, 40), max_size=20)


@STEADY
@given(counts)
def test_entropy_is_that_of_scipy(found: list[int]) -> None:
    read = [count for count in found if count]
    expected = float(scipy_entropy(read, base=2)) if read else 0.0
    assert bits(found) == pytest.approx(expected, abs=1e-9)
    share = normalised(found)
    assert share is None if not read else 0 <= (share or 0) <= 1


@STEADY
@given(counts.filter(any), st.integers(2, 9))
def test_entropy_knows_shares_and_no_amounts(found: list[int], times: int) -> None:
    """Everything read so many times as often, in another order, is as even as before."""
    again = [count * times for count in reversed(found)]
    assert normalised(again) == pytest.approx(normalised(found))


@STEADY
@given(turns)
def test_accesses_are_what_a_plain_count_says(
    made: list[list[tuple[str, str, tuple[str, ...]]]],
) -> None:
    mine = reading(*made)
    use = use_of(readings(mine, HERE), len(HERE))
    counted = Counter(n for own in made for _, _, read in own for n in read if n in NAMES)
    assert use.counts == counted
    assert use.coverage == len(counted) / 6
    assert sum(use.by_source.values()) == use.accesses == counted.total()
    unfollowed = sum("?" in read for own in made for _, _, read in own)
    assert use.unfollowed == unfollowed


@STEADY
@given(turns)
def test_looks_add_up_to_what_was_read(made: list[list[tuple[str, str, tuple[str, ...]]]]) -> None:
    mine = reading(*made)
    read = readings(mine, HERE)
    found = looks(read, HERE, [t.index for t in mine.turns])
    distinct = {name for each in read for name in each.fields}
    assert sum(look.new_fields for look in found) == len(distinct)
    assert sum(look.new_tables for look in found) == len({n.split(".")[0] for n in distinct})
    assert found[-1].fields_so_far == len(distinct)
    assert all(a.fields_so_far <= b.fields_so_far for a, b in pairwise(found))
    for look, own in zip(found, made, strict=True):
        tables = {n.split(".")[0] for _, _, names in own for n in names if n in NAMES}
        assert look.tables == len(tables)
    assert (found[0].stayed, found[0].returned) == (0, 0)


@STEADY
@given(st.lists(turns, min_size=1, max_size=4))
def test_the_map_is_what_a_plain_count_says(
    made: list[list[list[tuple[str, str, tuple[str, ...]]]]],
) -> None:
    mine = [reading(*own, name=f"t{k}", entity=str(k)) for k, own in enumerate(made)]
    found = explore([Group("m", mine)], HERE, dialect="duckdb", clusters={}, with_turns=False)
    read = [{n for own in each for _, _, names in own for n in names} for each in made]
    for table in found.heat.tables:
        assert table.read_by == sum(
            any(name.startswith(f"{table.name}.") for name in each) for each in read
        )
        for column in table.columns:
            assert column.read_by == sum(f"{table.name}.{column.name}" in each for each in read)
            assert column.of == len(made)
    unread = {f"{table}.{column}" for table, column in found.heat.unread_columns}
    touched = set[str]().union(*read)
    assert not unread & touched
    assert {n for n in NAMES if n.split(".")[0] in found.heat.unread_tables} <= set(NAMES) - touched


@STEADY
@given(st.integers(0, 2**32))
def test_the_parts_of_a_conversation_are_found_again(seed: int) -> None:
    """A conversation of random sizes: system prompt, replies with reasoning, results, nudges."""
    chance = random.Random(seed)
    prompt = chance.randrange(50, 5000)
    sent, clock = prompt, 0.0
    made: list[Turn] = []
    nudges: list[Nudge] = []
    expected = []
    for index in range(1, chance.randrange(2, 9)):
        own = prompts = 0
        if index == 1:
            prompts = prompt
        for _ in range(chance.choice((0, 0, 0, 1, 2))):
            clock += 1
            written, nudge = chance.randrange(1, 200), chance.randrange(1, 60)
            call = model_call(clock, sent, written)
            nudges.append(Nudge(after_turn=index - 1, text="hm", call=call))
            sent += written + nudge
            own += written
            prompts += nudge
        written = chance.randrange(1, 900)
        reasoning = chance.choice((None, 0, chance.randrange(written)))
        results = [chance.randrange(0, 3000) for _ in range(chance.randrange(3))]
        clock += 1
        asked = [sql() for _ in results]
        one = turn(index, *asked, usage=(sent, written), reasoning=reasoning)
        made.append(one)
        sent += written - (reasoning or 0) + sum(results)
        own += written
        expected.append((index, own, sum(results), prompts))
    found = new_tokens(trajectory(turns=made, nudges=tuple(nudges)))
    told = [(t.turn, t.own, t.tools, t.prompts) for t in found]
    assert told[:-1] == expected[:-1]
    last, wanted = told[-1], expected[-1]
    assert (last[1], last[3]) == (wanted[1], wanted[3])
    # What the last results came to, no later call shows.
    assert last[2] == (None if made[-1].tool_results else 0)


@STEADY
@given(st.lists(st.floats(0, 1000), min_size=1, max_size=40), st.integers(1, 25))
def test_parts_keep_the_mean_and_stay_in_the_range(values: list[float], parts: int) -> None:
    found = [part for part in parts_of(values, parts) if part is not None]
    assert len(found) == parts
    assert sum(found) / parts == pytest.approx(sum(values) / len(values), abs=1e-6)
    assert min(values) - 1e-6 <= min(found) and max(found) <= max(values) + 1e-6


@STEADY
@given(st.integers(3, 200))
def test_thirds_are_of_like_size_and_keep_the_order(n: int) -> None:
    parts = thirds([step(i) for i in range(1, n + 1)])
    assert parts is not None
    sizes = [len(part) for part in parts]
    assert sum(sizes) == n
    assert max(sizes) - min(sizes) <= 1
    assert [s.turn for part in parts for s in part] == list(range(1, n + 1))


@STEADY
@given(st.lists(st.lists(st.integers(1, 9), min_size=3, max_size=9), min_size=2, max_size=6))
def test_a_trajectory_told_backwards_changes_the_other_way(made: list[list[int]]) -> None:
    forth = {str(k): [step(i, queries=q) for i, q in enumerate(own)] for k, own in enumerate(made)}
    back = {
        str(k): [step(i, queries=q) for i, q in enumerate(reversed(own))]
        for k, own in enumerate(made)
        # Where turns do not fall into equal thirds the last third is not the first of the other way.
        if len(own) % 3 == 0
    }
    forth = {name: forth[name] for name in back}
    clusters = {name: name for name in forth}
    one, other = of(changes(forth, clusters), QUERIES), of(changes(back, clusters), QUERIES)
    if one.change is None:
        assert other.change is None
        return
    assert other.change == pytest.approx(-one.change)
    assert (other.fell, other.rose) == (one.rose, one.fell)
    assert (other.first, other.last) == (one.last, one.first)
    assert other.p == (None if one.p is None else pytest.approx(one.p))


@STEADY
@given(
    st.integers(0, 3), st.integers(0, 3), st.integers(0, 3), st.integers(0, 3), st.integers(0, 3)
)
def test_a_query_made_of_so_many_parts_has_so_many(
    joins: int, ctes: int, inner: int, aggregates: int, windows: int
) -> None:
    head = ", ".join(f"c{k} AS (SELECT x FROM s{k})" for k in range(ctes))
    columns = ["t.a"] + [f"sum(t.b{k})" for k in range(aggregates)]
    columns += [f"rank() OVER (PARTITION BY t.a ORDER BY t.w{k})" for k in range(windows)]
    query = f"{f'WITH {head} ' if head else ''}SELECT {', '.join(columns)} FROM t"
    query += "".join(f" LEFT JOIN u{k} ON u{k}.k = t.k" for k in range(joins))
    query += " WHERE true" + "".join(
        f" AND t.k > (SELECT y FROM v{k} LIMIT 1)" for k in range(inner)
    )
    found = complexity(query, "duckdb")
    assert found is not None
    told = (found.joins, found.ctes, found.subqueries, found.aggregates, found.windows)
    assert told == (joins, ctes, inner, aggregates, windows)


@pytest.mark.parametrize("seed", range(5))
def test_the_curve_does_not_hang_on_the_unit_of_x_or_on_the_order(seed: int) -> None:
    data = observed(hill, seed=seed, models=8)
    plain = fit(data, "coverage", "model")
    percent = fit(
        [
            Observation(o.model, o.entity, o.accuracy, 5 + 100 * o.coverage, o.entropy)
            for o in reversed(data)
        ],
        "coverage",
        "model",
    )
    assert plain.square is not None and percent.square is not None
    assert percent.square * 100**2 == pytest.approx(plain.square)
    assert plain.vertex is not None and percent.vertex is not None
    assert percent.vertex == pytest.approx(5 + 100 * plain.vertex)
    assert percent.p == pytest.approx(plain.p)
    assert percent.p_inverted == pytest.approx(plain.p_inverted)


@STEADY
@given(st.lists(st.integers(0, 12), max_size=60), st.integers(1, 8))
def test_bins_hold_each_trajectory_once_and_never_part_equal_ones(
    xs: list[int], count: int
) -> None:
    data = [Observation("m", str(k), 0.5, float(x), 0.0) for k, x in enumerate(xs)]
    found = [b for b in bins(data, count) if b.measure == "coverage"]
    assert sum(b.n for b in found) == len(xs)
    assert len(found) <= count
    assert all(a.high < b.low for a, b in pairwise(found))
    for each in found:
        assert each.n == sum(each.low <= x <= each.high for x in xs)


def test_whatever_stands_for_sql_breaks_nothing() -> None:
    """Two thousand random texts of SQL's own words are parsed, or said not to be."""
    chance = random.Random(11)
    words = [*"()*,;.[]{1ta", "SELECT", "FROM", "WHERE", "WITH", "AS", "UNION", "JOIN", "ON", "'x'"]
    words += ['"', "--", "/*", "PIVOT", "CASE", "END", "COLUMNS", "::", "->", "EXCLUDE", "USING"]
    for _ in range(2000):
        text = " ".join(chance.choices(words, k=chance.randrange(1, 25)))
        found = complexity(text, "duckdb")
        assert found is None or found.nodes >= 1


def test_the_same_trajectories_give_the_same_exploration() -> None:
    def made() -> list[Trajectory]:
        return [reading([sql("t.a"), python("u.d")], [sql("?")], name=f"t{k}") for k in range(1)]

    one, other = (
        explore([Group("m", made(), {"t0": 0.5})], HERE, dialect="duckdb", clusters={})
        for _ in range(2)
    )
    assert one == other
