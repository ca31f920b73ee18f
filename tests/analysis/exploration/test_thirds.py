"""First against last third: where turns fall, and paired changes computed by hand."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence

import pytest
from scipy import stats

from analysis.exploration.breadth import Look
from analysis.exploration.complexity import Complexity
from analysis.exploration.fields import readings
from analysis.exploration.steps import Step, steps_of
from analysis.exploration.thirds import ANSWER, NODES, QUERIES, Change, changes, ending, thirds
from analysis.exploration.tokens import NewTokens
from tests.analysis.exploration.making import fields, python, reading, sql, turn
from tests.analysis.factory import trajectory


def step(
    turn: int,
    queries: int = 1,
    nodes: Sequence[int] = (10,),
    characters: Sequence[int] = (100,),
    calls: int | None = None,
) -> Step:
    """A turn of which only these differ from any other."""
    return Step(
        turn=turn,
        calls=queries if calls is None else calls,
        queries=queries,
        python=0,
        errors=0,
        complexities=tuple(Complexity(1, 0, 0, 2, 0, n) for n in nodes),
        unparsed=0,
        rows=(),
        characters=tuple(characters),
        look=Look(turn, 0, 0, 0, 0, 0),
        tokens=NewTokens(turn, None, None, None),
    )


def of(found: Sequence[Change], name: str) -> Change:
    return next(each for each in found if each.quantity == name)


@pytest.mark.parametrize(
    ("turns", "sizes"),
    [(3, [1, 1, 1]), (4, [1, 1, 2]), (5, [1, 2, 2]), (9, [3, 3, 3]), (10, [3, 3, 4])],
)
def test_turn_i_of_n_is_in_the_third_that_3i_over_n_rounds_up_to(
    turns: int, sizes: list[int]
) -> None:
    parts = thirds([step(i) for i in range(1, turns + 1)])
    assert parts is not None
    assert [len(part) for part in parts] == sizes
    assert [s.turn for part in parts for s in part] == list(range(1, turns + 1))


def test_the_word_that_it_is_done_is_in_no_third_and_two_turns_have_none() -> None:
    ended = [step(1), step(2), step(3), step(4, queries=0, calls=0)]
    parts = thirds(ended)
    assert parts is not None
    assert [s.turn for part in parts for s in part] == [1, 2, 3]
    assert thirds(ended[1:]) is None
    assert thirds([]) is None
    silent_before_the_end = [step(1), step(2, queries=0, calls=0), step(3)]
    assert thirds(silent_before_the_end) is not None


def _three(first: int, last: int) -> list[Step]:
    """A trajectory with so many queries in its first turn and its last, 2 between."""
    return [
        step(1, queries=first, nodes=[10] * first, characters=[400] * first),
        step(2, queries=2, nodes=[20, 40], characters=[100, 300]),
        step(3, queries=last, nodes=[40] * last, characters=[100] * last),
    ]


def test_paired_changes_by_hand() -> None:
    """Queries per turn: a 4 -> 1 and b 3 -> 2, both of cluster X; c 5 -> 1 of cluster Y. Differences -3, -1,
    -4; cluster means -2 and -4, their mean -3, standard error sqrt(2 / 2) = 1, t(1) = 3."""
    found = changes(
        {"a": _three(4, 1), "b": _three(3, 2), "c": _three(5, 1)}, {"a": "X", "b": "X", "c": "Y"}
    )
    queries = of(found, QUERIES)
    assert (queries.first, queries.middle, queries.last) == (4, 2, 1)
    assert (queries.trajectories, queries.clusters) == (3, 2)
    assert (queries.change, queries.kind) == (-3, "difference")
    reach = stats.t.ppf(0.975, 1)
    assert queries.low == pytest.approx(-3 - reach)
    assert queries.high == pytest.approx(-3 + reach)
    assert queries.p == pytest.approx(2 * stats.t.sf(3, 1))
    assert (queries.fell, queries.rose) == (3, 0)


def test_sizes_change_by_a_ratio_and_what_never_varies_has_no_p() -> None:
    found = changes({"a": _three(4, 1), "b": _three(1, 1)}, {"a": "X", "b": "Y"})
    nodes, answer = of(found, NODES), of(found, ANSWER)
    assert (nodes.kind, nodes.first, nodes.last) == ("ratio", 10, 40)
    assert nodes.middle == 30
    assert nodes.change == pytest.approx(4)
    assert answer.change == pytest.approx(1 / 4)
    assert nodes.p is None
    unknown = of(found, "own_tokens_per_turn")
    assert (unknown.trajectories, unknown.change, unknown.first) == (0, None, None)


def test_a_third_without_a_query_has_no_query_to_measure() -> None:
    mine = [step(1, queries=0, nodes=(), characters=(), calls=1), step(2), step(3)]
    found = changes({"a": mine}, {"a": "X"})
    assert of(found, NODES).trajectories == 0
    assert of(found, QUERIES).change == 1


def _group(*, queries: int, nodes: int, characters: int, seed: int = 0) -> Sequence[Change]:
    """Eight trajectories of like course, each a little different."""
    steps = {}
    for k in range(8):
        steps[f"t{k}"] = [
            step(1, queries=4 + (k + seed) % 2, nodes=[20 + k], characters=[300 + 9 * k]),
            step(2, queries=3),
            step(3, queries=queries, nodes=[nodes + k % 3], characters=[characters + k % 5]),
        ]
    return changes(steps, {name: name for name in steps})


def test_an_ending_in_few_complex_queries_with_small_answers_is_told() -> None:
    end = ending(_group(queries=1, nodes=90, characters=40))
    assert (end.few, end.complex, end.small, end.all) == (True, True, True, True)


@pytest.mark.parametrize(
    ("queries", "nodes", "characters", "expected"),
    [
        (9, 90, 40, (False, True, True)),
        (1, 5, 40, (True, False, True)),
        (1, 90, 4000, (True, True, False)),
    ],
)
def test_one_part_that_does_not_hold_is_enough(
    queries: int, nodes: int, characters: int, expected: tuple[bool, bool, bool]
) -> None:
    end = ending(_group(queries=queries, nodes=nodes, characters=characters))
    assert (end.few, end.complex, end.small) == expected
    assert end.all is False


def random_group(chance: random.Random, *, drift: float) -> dict[str, list[Step]]:
    """Twelve trajectories; by drift the last third asks less, and more at once, for shorter answers."""
    made = {}
    for k in range(12):
        n = chance.randrange(6, 20)
        own = []
        for i in range(1, n + 1):
            late = drift * (i / n > 2 / 3)
            queries = 1 + (chance.random() < 0.5 - 0.4 * late)
            own.append(
                step(
                    i,
                    queries=queries,
                    nodes=[round(chance.lognormvariate(3 + late, 0.4)) for _ in range(queries)],
                    characters=[
                        round(chance.lognormvariate(6 - late, 0.6)) for _ in range(queries)
                    ],
                )
            )
        made[f"t{k}"] = own
    return made


def test_each_test_keeps_its_level_and_all_three_together_hardly_ever_err() -> None:
    chance = random.Random(3)
    sure = together = 0
    for _ in range(200):
        steps = random_group(chance, drift=0)
        found = changes(steps, {name: name for name in steps})
        sure += sum((of(found, q).p or 1) < 0.05 for q in (QUERIES, NODES, ANSWER))
        together += ending(found).all is True
    # .05 of 600 is 30; more than 45 comes once in three hundred such sets.
    assert sure <= 45
    assert together == 0


def test_a_planted_ending_is_found() -> None:
    chance = random.Random(4)
    steps = [random_group(chance, drift=1) for _ in range(40)]
    found = [ending(changes(each, {name: name for name in each})) for each in steps]
    assert sum(end.all is True for end in found) >= 36


def test_one_cluster_tells_nothing_and_no_change_at_all_tells_no() -> None:
    alone = ending(changes({"a": _three(4, 1)}, {"a": "X"}))
    assert (alone.few, alone.all) == (None, None)
    same = {name: [step(1), step(2), step(3)] for name in "ab"}
    still = ending(changes(same, {"a": "X", "b": "Y"}))
    assert (still.few, still.complex, still.small, still.all) == (False, False, False, False)


def test_a_step_holds_what_a_turn_asked_and_saw() -> None:
    here = fields(t="a b")
    answers = ['{"rows":[[1],[2]]}', '{"stdout":"7"}', json.dumps({"error": "x" * 50})]
    made = turn(
        1,
        sql("t.a", text="SELECT a FROM t"),
        python("t.b", text="query('SELECT b FROM t'); query('SELEC b')"),
        sql(text="SELECT nothing FROM t"),
        answers=answers,
    )
    failed = made.tool_results[2].model_copy(update={"is_error": True})
    made = made.model_copy(update={"tool_results": (*made.tool_results[:2], failed)})
    mine = trajectory(turns=[made])
    (found,) = steps_of(mine, readings(mine, here), here, "duckdb")
    assert (found.calls, found.queries, found.python, found.errors) == (3, 3, 1, 1)
    assert [c.nodes for c in found.complexities] == [6, 6, 6]
    assert found.unparsed == 1
    assert found.rows == (2,)
    assert found.characters == (len(answers[0]), len(answers[1]))
    assert (found.look.new_fields, found.look.new_tables) == (2, 1)


def test_looking_at_the_schema_is_a_call_and_no_query() -> None:
    here = fields(t="a")
    mine = reading([("describe_table", "", ())])
    (found,) = steps_of(mine, readings(mine, here), here, "duckdb")
    assert (found.calls, found.queries, found.characters) == (1, 0, ())
