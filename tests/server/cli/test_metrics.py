"""`ddr metrics`: figures that can be worked out by hand, by words, by scripts and by a judge over HTTP."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from core.trajectory import Insight, StopReason
from databases.catalog import open_scenario
from server.store import open_store
from tests.databases.insightbench.sets import write_set
from tests.server.cli.conftest import Ddr
from tests.server.support import START, draft, insight, spec, turn
from tests.support.endpoint import Malformed, Request, Say, ScriptedEndpoint, Status, Step
from tests.support.needs import needs

RUN = "20260131-sets-ab12"
PRINTERS, DAILY = "Printers break most", "Tickets come daily"
"""The ground truth of every set that write_set writes."""
SUMMARY = "Mend the printers"
Said = Mapping[str, tuple[Sequence[str], str | None]]


def build(ddr: Ddr, folder: Path, *options: str) -> None:
    done = ddr("scenarios", "build", "insightbench", "--from", str(folder), *options)
    assert done.code == 0, done.err


def explore(home: Path, said: Said, *, broken: Sequence[str] = ()) -> None:
    """A run in which each set's insights and report are these; nobody answered for the broken."""
    installed = open_scenario("insightbench", home)
    with open_store(home / "store.sqlite3") as store:
        run = spec(
            RUN,
            scenario_id="insightbench",
            scenario_fingerprint=installed.scenario.fingerprint,
            entity_ids=(*said, *broken),
        )
        store.add_run(run)
        for entity_id in run.entity_ids:
            mine = store.start_trajectory(draft(run, entity_id))
            texts, report = said.get(entity_id, ((), None))
            for number, text in enumerate(texts, start=1):
                store.add_turn(mine.id, turn(number))
                store.add_insight(insight(mine.id, number, text))
            if report:
                told = Insight(
                    id=f"{mine.id}.r",
                    trajectory_id=mine.id,
                    level="trajectory",
                    text=report,
                    author="m",
                )
                store.add_insight(told)
            stop = StopReason.PROVIDER_ERROR if entity_id in broken else StopReason.FINISHED
            store.end_trajectory(mine.id, stop, ended_at=START)


@pytest.fixture
def one(ddr: Ddr, home: Path, tmp_path: Path) -> Path:
    """One set: one insight that comes near to a ground truth, one that comes near to none."""
    write_set(tmp_path / "sets", "flag-1", summary=SUMMARY)
    build(ddr, tmp_path / "sets")
    explore(home, {"flag-1": (("Printers break", "Who knows"), "the printers")})
    return home


def script(folder: Path, name: str, *replies: str, repeat: bool = False) -> str:
    path = folder / f"{name}.jsonl"
    lines: list[dict[str, Any]] = [
        {"text": text, "usage": {"input_tokens": 100, "output_tokens": 5}} for text in replies
    ]
    lines[-1] |= {"repeat": repeat}
    path.write_text("\n".join(json.dumps(line) for line in lines), "utf-8")
    return f"scripted:{path}"


def rating(number: int) -> str:
    return f"<rating>{number}</rating>"


def strict(told: Mapping[str, Any], figure: str, measure: int = 0) -> float:
    value: float = told["measures"][measure]["overall"][figure]["strict"]
    return value


def test_words_alone_are_compared_without_a_judge(ddr: Ddr, one: Path) -> None:
    """'Printers break' and 'Printers break most': P = 1, R = 2/3, F1 = .8; all other pairs 0."""
    done = ddr("metrics", "last", "--suite", "insighteval", "--json")
    assert done.code == 0, done.err
    told = done.json
    assert (told["sets"], told["clusters"], told["predictions"], told["ground_truths"]) == (
        1,
        1,
        2,
        2,
    )
    assert strict(told, "recall") == pytest.approx(0.4)
    assert strict(told, "precision") == pytest.approx(0.4)
    assert strict(told, "f1") == pytest.approx(0.4)
    assert told["measures"][0]["overall"]["f1_of_means"] == pytest.approx(0.4)
    # 'the printers' of 'Mend the printers': P = 1, R = 2/3.
    assert strict(told, "summary") == pytest.approx(0.8)
    assert told["calls"] == 0
    by_type = told["measures"][0]["by_type"]
    assert {kind: each["strict"] for kind, each in by_type.items()} == pytest.approx(
        {"descriptive": 0.8, "other": 0.0}
    )


def test_what_is_shown_names_sets_figures_and_the_way_to_a_judge(ddr: Ddr, one: Path) -> None:
    shown = ddr("metrics", "last").out
    for word in (
        "1 set in 1 cluster",
        "2 insights against 2",
        "insights",
        "summary",
        "0.400",
        "--judge",
    ):
        assert word in shown
    assert "precision  " not in shown.split("rouge1 by")[0]
    assert "redundancy" in ddr("metrics", "last", "--suite", "insighteval").out


def test_a_scripted_judge_rates_each_pair_once(ddr: Ddr, one: Path, tmp_path: Path) -> None:
    """The summaries first, then each ground truth with each insight, in their order."""
    judge = script(tmp_path, "judge", *map(rating, (6, 9, 2, 1, 4)))
    asked = ("metrics", "last", "--suite", "insighteval", "--judge", judge, "--json")
    told = ddr(*asked).json
    assert [measure["name"] for measure in told["measures"]] == ["rouge1", "g-eval"]
    assert strict(told, "summary", 1) == pytest.approx(0.6)
    assert strict(told, "recall", 1) == pytest.approx((0.9 + 0.4) / 2)
    assert strict(told, "precision", 1) == pytest.approx((0.9 + 0.4) / 2)
    assert told["measures"][1]["judges"] == told["judges_asked"] == [judge]
    assert (told["calls"], told["usage"]["input_tokens"]) == (5, 500)
    # A second time nobody is asked: the script has no further reply.
    again = ddr(*asked).json
    assert again["measures"] == told["measures"]
    assert again["calls"] == 0


def test_several_judges_are_one_mean(ddr: Ddr, one: Path, tmp_path: Path) -> None:
    first = script(tmp_path, "a", rating(9), repeat=True)
    second = script(tmp_path, "b", rating(4), repeat=True)
    told = ddr(
        "metrics", "last", "--metric", "g-eval", "--judge", first, "--judge", second, "--json"
    ).json
    (measure,) = told["measures"]
    assert measure["judges"] == [first, second]
    assert strict(told, "recall") == pytest.approx(0.65)


def test_the_llama_is_a_measure_of_its_own(ddr: Ddr, one: Path, tmp_path: Path) -> None:
    llama = script(tmp_path, "llama-3-70b", rating(9), repeat=True)
    other = script(tmp_path, "other", rating(4), repeat=True)
    both = ("--metric", "l3-eval", "--metric", "g-eval", "--judge", llama, "--judge", other)
    told = ddr("metrics", "last", *both, "--json").json
    assert {m["name"]: m["judges"] for m in told["measures"]} == {
        "l3-eval": [llama],
        "g-eval": [other],
    }
    assert (strict(told, "recall", 0), strict(told, "recall", 1)) == pytest.approx((0.9, 0.4))


def test_matches_are_asked_for_once_and_no_match_is_nothing(
    ddr: Ddr, one: Path, tmp_path: Path
) -> None:
    """The first ground truth is matched with the second insight, the second with none."""
    judge = script(tmp_path, "judge", '{"matches": [2, null]}', rating(6), rating(7))
    asked = ("metrics", "last", "--judge", judge, "--matching", "many-to-many", "--json")
    told = ddr(*asked).json
    assert told["calls"] == 3
    assert strict(told, "recall", 1) == pytest.approx(0.35)
    assert strict(told, "summary", 1) == pytest.approx(0.6)
    assert strict(told, "recall", 0) == 0  # by its words 'Who knows' is none of it
    assert told["measures"][1]["overall"]["precision"] is None


def test_matches_that_cannot_be_read_are_unscored_the_same_every_time(
    ddr: Ddr, one: Path, tmp_path: Path
) -> None:
    judge = script(tmp_path, "judge", "I match them all.", repeat=True)
    asked = (
        "metrics",
        "last",
        "--metric",
        "rouge1",
        "--judge",
        judge,
        "--matching",
        "many-to-many",
    )
    found = [ddr(*asked, "--json").json for _ in range(3)]
    assert found[0]["measures"] == found[1]["measures"] == found[2]["measures"]
    recall = found[0]["measures"][0]["overall"]["recall"]
    assert (recall["strict"], recall["headline"], recall["coverage"]) == (0, None, 0)
    assert found[0]["matching_failed"] == 1
    assert "1 set without readable matches" in ddr(*asked).out


def test_a_judge_that_cannot_be_read_leaves_a_pair_unscored(
    ddr: Ddr, one: Path, tmp_path: Path
) -> None:
    """The pair of the first ground truth with the second insight is asked for twice, and given up."""
    replies = (rating(6), rating(9), "well", "very well", rating(1), rating(4))
    judge = script(tmp_path, "judge", *replies)
    asked = ("metrics", "last", "--metric", "g-eval", "--judge", judge, "--concurrency", "1")
    told = ddr(*asked, "--json").json
    recall = told["measures"][0]["overall"]["recall"]
    assert recall["strict"] == pytest.approx((0.9 + 0.4) / 2)
    assert (recall["scored_only"], recall["coverage"]) == (pytest.approx(0.4), 0.5)
    assert recall["headline"] is None
    (rater,) = told["raters"]
    assert (rater["rated"], list(rater["failed"].values())) == (4, [1])


def test_novelty_is_what_two_of_three_models_agree_on(ddr: Ddr, one: Path, tmp_path: Path) -> None:
    """M = 1 (9 of 10), N = 1 (4 of 10 at best), C = 1: original 1/2, new 2/2."""
    rates = script(tmp_path, "judge", *map(rating, (6, 9, 2, 1, 4)))
    votes = [script(tmp_path, f"n{n}", json.dumps({"reason": "r", "novel": v})) for n, v in
             enumerate(("yes", "no", "yes"))]  # fmt: skip
    asked = ["metrics", "last", "--suite", "insighteval", "--judge", rates]
    asked += [word for vote in votes for word in ("--novelty-judge", vote)]
    told = ddr(*asked, "--json").json["novelty"]
    assert (told["correct"], told["others"], told["novel"]) == (1, 1, 1)
    assert (told["original"]["strict"], told["new"]["strict"]) == (0.5, 1.0)
    assert "1 of 1 others are novel" in ddr(*asked).out


def test_sets_are_counted_whatever_became_of_them(ddr: Ddr, home: Path, tmp_path: Path) -> None:
    """One perfect, one silent, one that nobody answered for; the first two share a table."""
    for name in ("flag-1", "flag-2"):
        write_set(tmp_path / "sets", name, summary=SUMMARY)
    write_set(tmp_path / "sets", "flag-3", table="a,b\n1,2\n", summary=SUMMARY)
    build(ddr, tmp_path / "sets")
    explore(home, {"flag-1": ((PRINTERS, DAILY), SUMMARY), "flag-2": ((), None)}, broken=["flag-3"])
    told = ddr("metrics", "last", "--json").json
    assert (told["sets"], told["clusters"], told["sets_scored"]) == (3, 2, 2)
    recall = told["measures"][0]["overall"]["recall"]
    assert (recall["sets"], recall["clusters"]) == (3, 2)
    assert recall["strict"] == pytest.approx(1 / 3)
    assert recall["scored_only"] == pytest.approx(1 / 2)
    assert recall["coverage"] == pytest.approx(2 / 3)
    assert recall["headline"] is None
    assert "unscored: flag-3, trial 1: provider_error" in ddr("metrics", "last").out


def test_ground_truth_that_is_error_text_is_left_out_unless_asked_for(
    ddr: Ddr, home: Path, tmp_path: Path
) -> None:
    write_set(tmp_path / "sets", "flag-1", summary=SUMMARY)
    wrong = [
        {"insight": "There was no column end_date to conduct any analysis", "question": "When?"}
    ]
    write_set(tmp_path / "sets", "flag-80", insights=wrong, summary=SUMMARY)
    build(ddr, tmp_path / "sets", "--set", "view=raw")
    explore(home, {"flag-1": ((PRINTERS, DAILY), None), "flag-80": ((), None)})
    told = ddr("metrics", "last", "--json").json
    assert (told["sets"], told["left_out"], strict(told, "recall")) == (1, ["flag-80"], 1.0)
    assert "left out, since their ground truth" in ddr("metrics", "last").out
    kept = ddr("metrics", "last", "--error-sets", "--json").json
    assert (kept["sets"], kept["left_out"], strict(kept, "recall")) == (2, [], 0.5)


def test_an_estimate_counts_what_is_not_remembered(ddr: Ddr, one: Path, tmp_path: Path) -> None:
    judge = script(tmp_path, "judge", rating(5), repeat=True)
    asked = ("metrics", "last", "--judge", judge)
    before = ddr(*asked, "--estimate", "--json").json["estimate"][judge]
    assert before["calls"] == 5
    assert ddr(*asked, "--json").json["calls"] == 5
    assert ddr(*asked, "--estimate", "--json").json["estimate"][judge]["calls"] == 0
    assert ddr(*asked, "--afresh", "--estimate", "--json").json["estimate"][judge]["calls"] == 5
    more = (*asked, "--matching", "many-to-many", "--estimate")
    assert "at most" in ddr(*more).out


def test_a_budget_ends_it_and_new_money_goes_on(ddr: Ddr, one: Path, tmp_path: Path) -> None:
    """Each rating takes 100 tokens, a dollar. The third is not asked for."""
    prices = tmp_path / "prices.toml"
    prices.write_text('[models."scripted/*"]\ninput = 10000.0\noutput = 0.0\n', "utf-8")
    judge = script(tmp_path, "judge", rating(7), repeat=True)
    asked = ("metrics", "last", "--metric", "g-eval", "--judge", judge, "--prices", str(prices))
    ended = ddr(*asked, "--budget-usd", "2", "--concurrency", "1", "--json")
    assert ended.code == 1
    assert "is spent" in ended.json["stopped"]
    done = ddr(*asked, "--budget-usd", "3", "--concurrency", "1", "--json")
    assert done.code == 0, done.err
    assert (done.json["calls"], done.json["known_cost_usd"]) == (3, pytest.approx(3.0))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--metric", "g-eval"), "g-eval asks a model: name one by --judge"),
        (("--matching", "many-to-many"), "many-to-many asks a model"),
        (("--metric", "g-evil"), "did you mean 'g-eval'?"),
        (("--suite", "insightbank"), "did you mean 'insightbench'?"),
        (("--matching", "one-to-one"), "did you mean 'one-to-many'?"),
        (("--metric", "l3-eval", "--judge", "{judge}"), "llama-3 in their names"),
        (("--estimate",), "asks no model"),
        (("--judge", "{judge}", "--novelty-judge", "{judge}"), "give --novelty-judge 3 times"),
        (
            ("--judge", "{judge}", *(w for n in "abc" for w in ("--novelty-judge", f"openai/{n}"))),
            "--suite insighteval",
        ),
    ],
)
def test_what_cannot_be_measured_is_said_before_anything_is_asked(
    ddr: Ddr, one: Path, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    judge = script(tmp_path, "judge", rating(5))
    done = ddr("metrics", "last", *(word.format(judge=judge) for word in arguments))
    assert done.code == 2
    assert said in done.err


def expected(request: Request) -> Step:
    """9 or 8, alike likely, where both statements are the same; else 2, or 3 a quarter as likely."""
    known, own = statements(request)
    if known == own:
        return rated(("9", {"9": 0.4, "8": 0.4, "great": 0.2}))
    return rated(("2", {"2": 0.8, "3": 0.2}))


def statements(request: Request) -> tuple[str, str]:
    """What stands between the fences of a question."""
    user = request.messages[1].text
    fence = next(line for line in user.splitlines() if line.startswith("===== "))
    _, known, _, own, _ = (part.strip() for part in user.split(fence))
    return known, own


def rated(digit: tuple[str, Mapping[str, float]]) -> Say:
    tokens = (("<rating>", {"<rating>": 1.0}), digit, ("</rating>", {"</rating>": 1.0}))
    return Say("".join(token for token, _ in tokens), chances=tokens)


@pytest.fixture
def judged(ddr: Ddr) -> Callable[..., Any]:
    """`ddr metrics last` by a judge at an address."""

    def run(url: str, *options: str) -> Any:
        named = ("--judge", "openai/judge", "--base-url", url)
        return ddr("metrics", "last", "--metric", "g-eval", *named, *options)

    return run


def test_a_judge_over_http_is_asked_for_chances_and_its_ratings_are_weighed(
    judged: Callable[..., Any], home: Path, ddr: Ddr, tmp_path: Path
) -> None:
    write_set(tmp_path / "sets", "flag-1", summary=SUMMARY)
    build(ddr, tmp_path / "sets")
    explore(home, {"flag-1": ((PRINTERS, "Who knows"), SUMMARY)})
    with ScriptedEndpoint(expected) as endpoint:
        told = judged(endpoint.openai_url, "--json").json
        assert len(endpoint.requests) == 5
        for request in endpoint.requests:
            sent = request.body
            assert (sent["logprobs"], sent["top_logprobs"], sent["temperature"]) == (True, 5, 0)
        again = judged(endpoint.openai_url, "--json").json
        assert len(endpoint.requests) == 5
    assert again["measures"] == told["measures"]
    assert strict(told, "summary") == pytest.approx(0.85)
    assert strict(told, "recall") == pytest.approx((0.85 + 0.22) / 2)
    assert told["raters"][0]["with_chances"] == 5
    assert told["judges_served"] == ["judge"]


def test_what_was_said_before_a_failure_is_not_asked_again(
    judged: Callable[..., Any], one: Path
) -> None:
    """The key is taken back after two answers; a new one goes on at the third question."""
    asked: list[str] = []

    def script(request: Request) -> Step:
        asked.append(request.messages[1].text)
        return Status(401) if len(asked) == 3 else expected(request)

    with ScriptedEndpoint(script) as endpoint:
        broken = judged(endpoint.openai_url, "--concurrency", "1")
        assert (broken.code, len(asked)) == (1, 3)
        assert judged(endpoint.openai_url, "--concurrency", "1").code == 0
    assert len(asked) == 3 + 3
    assert asked[3] == asked[2]
    assert len(set(asked)) == 5


def test_an_answer_that_is_no_answer_is_unscored_until_it_is_asked_for_again(
    judged: Callable[..., Any], one: Path
) -> None:
    """The second of five: the first ground truth with the first insight."""
    count = [0]

    def script(request: Request) -> Step:
        count[0] += 1
        return Malformed() if count[0] == 2 else expected(request)

    with ScriptedEndpoint(script) as endpoint:
        first = judged(endpoint.openai_url, "--concurrency", "1", "--json").json
        assert count[0] == 5
        second = judged(endpoint.openai_url, "--concurrency", "1", "--json").json
        assert count[0] == 6
    assert first["measures"][0]["overall"]["recall"]["coverage"] == 0.5
    assert len(first["raters"][0]["failed"]) == 1
    assert second["measures"][0]["overall"]["recall"]["coverage"] == 1.0


@pytest.mark.real
@needs("test data", "user namespaces")
def test_three_released_sets_explored_by_the_profiler_come_to_figures_that_can_be_counted_again(
    judged: Callable[..., Any], ddr: Ddr, home: Path
) -> None:
    sets = Path(os.environ["DDR_TEST_DATA"]) / "insightbench"
    build(ddr, sets, "--entities", "flag-1,flag-2,flag-7")
    assert ddr("run", "--scenario", "insightbench", "--agent", "profiler", "--quiet").code == 0

    def by_length(request: Request) -> Step:
        """A rating that follows from the texts, so that it can be worked out again."""
        number = 1 + sum(map(len, statements(request))) % 9
        return rated((str(number), {str(number): 0.75, str(number + 1): 0.25}))

    with ScriptedEndpoint(by_length) as endpoint:
        asked = ("--suite", "insighteval", "--json", "--concurrency", "8")
        told = judged(endpoint.openai_url, *asked).json
        requests = len(endpoint.requests)
    from checklists.loader import load

    checklist = load("insightbench", home / "checklists")
    recalls, precisions, f1s, summaries, pairs = [], [], [], [], set()
    with open_store(home / "store.sqlite3") as store:
        for found in store.trajectories(store.run("last").id):
            truths = [item.answer for item in checklist.of(found.entity_id)]
            mine = [i.text for i in found.message_insights if i.text]
            grid = [[score(t, p) for p in mine] for t in truths]
            pairs |= {(t, p) for t in truths for p in mine}
            recall = sum(map(max, grid)) / len(truths)
            precision = sum(max(row[k] for row in grid) for k in range(len(mine))) / len(mine)
            recalls.append(recall)
            precisions.append(precision)
            f1s.append(2 * recall * precision / (recall + precision))
            summaries.append(score(checklist.summary[found.entity_id], found.report or ""))
    assert (told["sets"], told["sets_scored"], told["ground_truths"]) == (3, 3, 15)
    assert requests == len(pairs) + 3
    assert strict(told, "recall") == pytest.approx(sum(recalls) / 3)
    assert strict(told, "precision") == pytest.approx(sum(precisions) / 3)
    assert strict(told, "f1") == pytest.approx(sum(f1s) / 3)
    mean_recall, mean_precision = sum(recalls) / 3, sum(precisions) / 3
    assert told["measures"][0]["overall"]["f1_of_means"] == pytest.approx(
        2 * mean_recall * mean_precision / (mean_recall + mean_precision)
    )
    assert strict(told, "summary") == pytest.approx(sum(summaries) / 3)


def score(truth: str, prediction: str) -> float:
    """What `by_length` comes to: three quarters n, one quarter n + 1, of 10."""
    number = 1 + (len(truth.strip()) + len(prediction.strip())) % 9
    return (number + 0.25) / 10
