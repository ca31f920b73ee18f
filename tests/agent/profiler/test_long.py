"""Tables in long form: found for what they are, spoken of kind by kind, and nothing said that is false."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

import pytest

from agent.profiler.discovery import discover
from agent.profiler.long import Long, find_long
from agent.profiler.probes import kinds, market
from agent.profiler.relation import Relation
from agent.profiler.reply import Conversation
from agent.profiler.roles import Role
from tests.agent.profiler.exploring import converse, explore, task
from tests.agent.profiler.putting import about, said, table
from tests.agent.profiler.sums import mean, printed
from tests.agent.profiler.worlds import Row, build, write

WARD_TABLES = {
    "items": "item_id INTEGER, label VARCHAR, remark VARCHAR",
    "results": (
        "patient VARCHAR, item_id INTEGER, taken_on DATE, flag VARCHAR, amount DOUBLE, unit VARCHAR"
    ),
}
SIZES = {
    "Creatinine": 0.9, "Potassium": 4.1, "Sodium": 139.0, "Glucose": 105.0, "Platelets": 250.0,
    "Urea": 16.0, "Albumin": 3.9, "Hematocrit": 41.0,
}  # fmt: skip
FACTS = "firm VARCHAR, concept VARCHAR, period VARCHAR, part INTEGER, ends_on DATE, amount DOUBLE"
QUARTERS = ("Q1", "Q2", "Q3", "Q4")
WHOLE = "amount where period is FY and part does not hold"


def ward_rows() -> dict[str, list[Row]]:
    """Six patients, eight kinds of results; the creatinine of p3 is twice as high as elsewhere."""
    chance = random.Random(5)
    items = [(50 + n, label, f"what is said of {label} at length") for n, label in enumerate(SIZES)]
    results: list[Row] = []
    for patient in ("p1", "p2", "p3", "p4", "p5", "p6"):
        for n, (label, size) in enumerate(SIZES.items()):
            planted = 2.0 if (patient, label) == ("p3", "Creatinine") else 1.0
            for k in range(30 + 4 * n):
                value = planted * size * chance.uniform(0.8, 1.25)
                day = date(2030, 1, 1) + timedelta(days=9 * k + n)
                flag = chance.choice(("high", "plain", None))
                results.append((patient, 50 + n, day, flag, round(value, 2), f"u{n % 3}"))
    return {"items": items, "results": results}


def books_rows() -> dict[str, list[Row]]:
    """Six firms' yearly figures, each year in quarters and in two parts besides."""
    chance = random.Random(7)
    concepts = {"Assets": 90_000.0, "Sales": 20_000.0, "Profit": 900.0, "Cash": 3_000.0}
    concepts |= {"Debt": 7_000.0, "Rent": 40.0}
    rows: list[Row] = []
    for f in range(1, 7):
        for concept, size in concepts.items():
            for year in range(2020, 2026):
                total = size * f * chance.uniform(0.7, 1.4)
                shares = [chance.uniform(0.8, 1.2) for _ in QUARTERS]
                for period, n, end in _periods(year, shares):
                    amount = round(total * n, 1)
                    rows.append((f"f{f}", concept, period, 0, end, amount))
                    if concept in ("Sales", "Profit", "Cash"):
                        cut = round(amount * 0.4, 1)
                        rows.append((f"f{f}", concept, period, 1, end, cut))
                        rows.append((f"f{f}", concept, period, 1, end, round(amount - cut, 1)))
    return {"facts": rows}


def _periods(year: int, shares: Sequence[float]) -> Iterator[tuple[str, float, date]]:
    yield "FY", 1.0, date(year, 12, 31)
    ends = (date(year, 3, 31), date(year, 6, 30), date(year, 9, 30), date(year, 12, 31))
    for period, share, end in zip(QUARTERS, shares, ends, strict=True):
        yield period, share / sum(shares), end


@pytest.fixture(scope="module")
def ward(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("ward") / "ward.duckdb", WARD_TABLES, ward_rows())


@pytest.fixture(scope="module")
def books(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("books") / "books.duckdb", {"facts": FACTS}, books_rows())


def found_in(path: Path, entity: str, noun: str = "shop") -> tuple[Relation, tuple[Long, ...]]:
    def talk() -> Conversation[tuple[Relation, tuple[Long, ...]]]:
        world = yield from discover(task(entity, noun))
        return (yield from find_long(world.relations[0]))

    return converse(path, talk())


@dataclass(frozen=True)
class Truth:
    """The rows that stand for a whole, and what can be asked of them."""

    who: str
    rows: tuple[tuple[str, str, date, float], ...]
    """(entity, kind, day, value)"""

    def values(self, kind: str, own: Callable[[str], bool]) -> list[tuple[date, float]]:
        return sorted((day, v) for who, k, day, v in self.rows if k == kind and own(who))

    def mean(self, kind: str, own: Callable[[str], bool]) -> float:
        return mean([v for _, v in self.values(kind, own)])

    def own(self, kind: str) -> dict[date, float]:
        """The entity's values by day; each day must have one."""
        found = self.values(kind, lambda who: who == self.who)
        assert len({day for day, _ in found}) == len(found), "several values on one day"
        return dict(found)

    def check(self, sentence: str) -> None:
        """Raises AssertionError where it is false or cannot be read."""
        for pattern, check in READERS.items():
            if found := re.fullmatch(pattern, sentence):
                check(self, *found.groups())
                return
        raise AssertionError(f"nobody can check: {sentence}")


def _check_mean(truth: Truth, kind: str, own: str, rest: str) -> None:
    printed(own, truth.mean(kind, lambda who: who == truth.who))
    printed(rest, truth.mean(kind, lambda who: who != truth.who))


def _check_rank(truth: Truth, kind: str, place: str | None, end: str, n: str) -> None:
    everybody = {who for who, *_ in truth.rows}
    means = {each: truth.mean(kind, lambda who, each=each: who == each) for each in everybody}  # type: ignore[misc]
    mine = means[truth.who]
    better = sum(m > mine if end == "high" else m < mine for m in means.values())
    assert better == (int(re.sub(r"\D", "", place)) if place else 1) - 1
    assert int(n) == len(means)


def _check_last(truth: Truth, kind: str, value: str) -> None:
    days = truth.own(kind)
    printed(value, days[max(days)])


def _check_change(truth: Truth, kind: str, change: str, way: str) -> None:
    days = truth.own(kind)
    first, last = days[min(days)], days[max(days)]
    printed(change, abs(last / first - 1))
    assert (way == "higher") == (last > first)


def _check_share(truth: Truth, kind: str, share: str, base: str) -> None:
    part, whole = truth.own(kind), truth.own(base)
    assert max(part) == max(whole)
    printed(share, part[max(part)] / whole[max(whole)])


def _check_average(truth: Truth, kind: str, share: str, base: str) -> None:
    part, whole = truth.own(kind), truth.own(base)
    assert set(part) == set(whole)
    printed(share, mean([part[day] / whole[day] for day in part]))


NAME = r"(\w+) \(amount(?: of results)?(?: where [^)]+)?\)"
NUMBER = r"(-?[\d,.]+%?)"
READERS: Mapping[str, Callable[..., None]] = {
    rf"For \w+ \w+ the mean {NAME} is {NUMBER}, against {NUMBER} for the rest\.": _check_mean,
    rf"\w+ \w+'s mean {NAME} is the (\d+\w\w )?(high|low)est of (\d+) \w+\.": _check_rank,
    rf"\w+ \w+'s last {NAME} is {NUMBER}\.": _check_last,
    rf"Since the first time \w+ \w+'s {NAME} is {NUMBER} (higher|lower)\.": _check_change,
    rf"\w+ \w+'s {NAME} is {NUMBER} of its (\w+), the last time\.": _check_share,
    rf"\w+ \w+'s {NAME} is on average {NUMBER} of its (\w+)\.": _check_average,
}


def ward_truth(who: str) -> Truth:
    rows = ward_rows()
    labels = {item: label for item, label, _ in rows["items"]}
    return Truth(who, tuple((p, labels[i], day, v) for p, i, day, _, v, _ in rows["results"]))


def books_truth(who: str) -> Truth:
    facts = books_rows()["facts"]
    whole = [row for row in facts if row[2] == "FY" and row[3] == 0]
    return Truth(who, tuple((f, concept, day, v) for f, concept, _, _, day, v in whole))


def test_the_dictionary_names_the_kinds(ward: Path) -> None:
    relation, (long,) = found_in(ward, "p3", "patient")
    assert long.value.key == "results.amount"
    assert long.kind.key == "items.label"
    assert (long.kinds, long.wholes) == (8, ())
    assert [c.role for c in relation.columns if c.key == "results.amount"] == [Role.MIXED]


def test_wholes_are_told_from_parts(books: Path) -> None:
    _, (long,) = found_in(books, "f2", "firm")
    assert (long.kind.key, long.kinds) == ("facts.concept", 6)
    assert [(w.column.key, w.value) for w in long.wholes] == [
        ("facts.period", "FY"),
        ("facts.part", "0"),
    ]
    assert long.name("Sales") == f"Sales ({WHOLE})"


@pytest.mark.parametrize("entity", ["p1", "p3"])
def test_every_sentence_about_a_kind_of_result_is_true(ward: Path, entity: str) -> None:
    found, truth = said(ward, entity, kinds.probes), ward_truth(entity)
    for sentence in found:
        truth.check(sentence)
    named = {kind for kind in SIZES if list(about(found, f"the mean {kind} "))}
    assert named == set(SIZES)


@pytest.mark.parametrize("entity", ["f1", "f6"])
def test_every_sentence_about_a_whole_is_true(books: Path, entity: str) -> None:
    found, truth = said(books, entity, kinds.probes), books_truth(entity)
    for sentence in found:
        truth.check(sentence)
        assert WHOLE in sentence
    met = {p for p in READERS for sentence in found if re.fullmatch(p, sentence)}
    assert met == set(READERS)


@pytest.mark.parametrize("number", [r"is (\d)", r"against (\d)"])
def test_the_check_refuses_a_changed_number(ward: Path, number: str) -> None:
    (line,) = about(said(ward, "p3", kinds.probes), "the mean Creatinine ")
    ward_truth("p3").check(line)
    with pytest.raises(AssertionError, match="is printed, but"):
        ward_truth("p3").check(re.sub(number, lambda found: f"{found[0]}7", line))


def test_what_is_far_from_the_rest_tells_more_than_the_level_alone(ward: Path) -> None:
    found = explore(ward, "p3", "patient")
    text = found.report
    assert "For patient p3 the mean Creatinine (amount of results) is" in text or (
        "For patient p3 the mean Creatinine (amount) is" in text
    )
    assert "p3's mean Creatinine" in text
    assert not [t for t in found.turns if t.tool_results[0].is_error]


def test_a_mean_over_all_kinds_is_never_told(ward: Path) -> None:
    assert not list(about(said(ward, "p3", market.probes), "mean of amount"))
    report = explore(ward, "p3", "patient").report
    assert "mean amount" not in report
    assert "mean of amount" not in report


def test_sales_come_before_what_has_fewer_rows(books: Path) -> None:
    means = list(about(said(books, "f1", kinds.probes), "the mean "))
    order = [line.split("the mean ")[1].split()[0] for line in means]
    assert order == ["Sales", "Cash", "Profit", "Assets", "Debt", "Rent"]


def test_of_two_values_at_the_last_time_none_is_the_last(tmp_path: Path) -> None:
    rows = ward_rows()
    last = max(row for row in rows["results"] if row[:2] == ("p1", 50))
    rows["results"].append((*last[:4], last[4] * 2, last[5]))
    path = write(tmp_path / "twice.duckdb", WARD_TABLES, rows)
    found = said(path, "p1", kinds.probes)
    assert not list(about(found, "last Creatinine "))
    assert not list(about(found, "Since the first time", "Creatinine "))
    assert list(about(found, "last Urea "))


def test_a_change_across_zero_is_not_told_in_percent(tmp_path: Path) -> None:
    rows = books_rows()
    rows["facts"] = [
        (*row[:5], -row[5]) if row[1] == "Profit" and row[4].year == 2020 else row
        for row in rows["facts"]
    ]
    path = write(tmp_path / "loss.duckdb", {"facts": FACTS}, rows)
    found = said(path, "f1", kinds.probes)
    assert list(about(found, "last Profit "))
    assert not list(about(found, "Since the first time", "Profit "))


SHOP = "'s' || (i % 6) AS shop"


@pytest.mark.parametrize(
    "columns",
    [
        # One scale: kinds differ, but not as centimetres and litres do.
        f"{SHOP}, 'k' || (i // 6 % 8) AS kind, 10 * (1 + i // 6 % 8) + hash(i) % 100 / 50.0 AS cost",
        # The kind fixes the value, as a route fixes its length.
        f"{SHOP}, 'k' || (i // 6 % 8) AS kind, power(7, i // 6 % 8) + 0.5 AS cost",
        # Values of all sizes, whatever the kind.
        f"{SHOP}, 'k' || (i // 6 % 8) AS kind, exp(hash(i) % 1000 / 80.0) AS cost",
        # Too few kinds.
        f"{SHOP}, 'k' || (i // 6 % 3) AS kind, power(100, i // 6 % 3) * (1 + hash(i) % 100 / 99.0) AS cost",
    ],
)
def test_an_ordinary_measure_is_not_taken_for_many(tmp_path: Path, columns: str) -> None:
    relation, longs = found_in(table(tmp_path, columns, 2400), "s1")
    assert longs == ()
    assert [c.role for c in relation.columns if c.key == "t.cost"] == [Role.MEASURE]


def test_a_code_names_the_kinds_where_no_text_does(tmp_path: Path) -> None:
    path = build(
        tmp_path / "codes.duckdb",
        "CREATE TABLE r AS SELECT 's' || (i % 6) AS shop, 'K' || (50 + i // 6 % 8) AS item, "
        "power(5, i // 6 % 8) * (1 + hash(i) % 100 / 200.0) AS amount FROM range(2400) t(i)",
    )
    _, (long,) = found_in(path, "s1")
    assert long.kind.key == "r.item"


def test_an_entity_alone_is_compared_with_nobody(books: Path, tmp_path: Path) -> None:
    rows = {"facts": [row for row in books_rows()["facts"] if row[0] == "f1"]}
    path = write(tmp_path / "one.duckdb", {"facts": FACTS}, rows)

    def talk() -> Conversation[tuple[Relation, tuple[Long, ...]]]:
        alone = task("f1", "firm").model_copy(update={"is_apart": True})
        world = yield from discover(alone)
        return (yield from find_long(world.relations[0]))

    _, (long,) = converse(path, talk())
    assert long.kinds == 6


COMMON = "Increase (decrease) of accounts payable and other liabilities, "
APART = [f"{COMMON}{place} of the group" for place in "ABCDEFGH"]


def long_named(folder: Path, names: Sequence[str]) -> Path:
    """Eight kinds of such names, 7 to the n large."""
    listed = ", ".join(f"'{name}'" for name in names)
    return build(
        folder / "names.duckdb",
        f"CREATE TABLE r AS SELECT 's' || (i % 6) AS shop, [{listed}][1 + i // 6 % 8] AS item, "
        "DATE '2030-01-01' + (i // 48)::INTEGER AS day, "
        "power(7, i // 6 % 8) * (1 + hash(i) % 100 / 200.0) AS amount FROM range(2400) t(i)",
    )


def test_kinds_that_begin_alike_are_told_apart_by_their_ends(tmp_path: Path) -> None:
    found = said(long_named(tmp_path, APART), "s1", kinds.probes)
    for family in ("the mean ", "last "):
        told = [line.split(family)[1].split(" (amount)")[0] for line in found if family in line]
        means = [name for name in told if "of the group" in name]
        assert len(set(means)) == 8
        assert all(len(name) <= 60 for name in means)
        assert max(map(means.count, means)) <= 2  # a mean, and its rank


def test_of_kinds_that_would_be_called_the_same_none_is_told(tmp_path: Path) -> None:
    same = [f"{COMMON}{place} {'and all that belongs to it' * 2}" for place in "ABCDEF"]
    found = said(long_named(tmp_path, [*same, "Assets", "Cash"]), "s1", kinds.probes)
    assert list(about(found, "the mean Assets "))
    assert list(about(found, "the mean Cash "))
    assert not list(about(found, "Increase"))


@pytest.mark.parametrize("column", ["name", "g", "alike", "every"])
def test_a_table_may_have_columns_called_as_the_querys_own(tmp_path: Path, column: str) -> None:
    path = build(
        tmp_path / "names.duckdb",
        f"CREATE TABLE r AS SELECT 's' || (i % 6) AS shop, 'K' || (50 + i // 6 % 8) AS item, 3.5 AS {column}, "
        "power(5, i // 6 % 8) * (1 + hash(i) % 100 / 200.0) AS amount FROM range(2400) t(i)",
    )
    assert len(list(about(said(path, "s1", kinds.probes), "For shop s1 the mean K"))) == 8
