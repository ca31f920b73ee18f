"""People's votes: blind, once per person and pair, kept as comparisons that a ranking counts."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from starlette.testclient import TestClient

from core.ranking import Comparison, Ranking
from evaluator.usefulness import prompt_hash
from server.ballots import beside
from server.dashboard.viewer import COOKIE
from server.runner import utc_now
from server.settings import Settings
from server.standings_kept import Tally
from server.store import Repository
from server.store.closeups import peoples_rankings, votes
from server.store.rankings import Rankings
from server.tokens import exchanged, issue, once
from tests.analysis.page import Element, parse
from tests.server.dashboard.conftest import Visit
from tests.server.dashboard.stories import CHECKLIST, begun, explore, modelled
from tests.server.support import START

pytestmark = pytest.mark.usefixtures("installed")

PATH = "/compare/vote/flights"
A_TEXTS = ("The mean delay is 12.5 min, much.", "Novel of gpt-aaaa-1: summer.", "Alpha.")
B_TEXTS = ("The mean delay is 12.5 min, little.", "Novel of the other: winter.", "Beta.")


def two(store: Repository) -> tuple[str, str]:
    """Two judged runs; each first insight is used by an item, the others are novel."""
    one = modelled(store, 1, "gpt-aaaa-1", texts=A_TEXTS)
    other = modelled(store, 2, "gpt-bbbb-1", texts=B_TEXTS)
    return one.id, other.id


def ballot(client: TestClient, path: str = PATH) -> Element:
    """The page of the next pair."""
    answer = client.get(path)
    assert answer.status_code == 200, answer.text
    return parse(answer.text)


def seal(page: Element) -> str:
    """What its form says of the pair."""
    (field,) = [each for each in page.all("input") if each.get("name") == "pair"]
    return str(field.get("value"))


def cast(client: TestClient, choice: str, **more: str) -> str:
    """Vote on the next pair; what the server says then."""
    pair = seal(ballot(client))
    answer = client.post(PATH, data={"pair": pair, "choice": choice, **more})
    assert answer.status_code == 303
    return str(answer.headers["location"])


@pytest.mark.parametrize("role", ["reader", "harness", "admin"])
def test_everybody_with_a_token_may_vote_and_nobody_without(
    visit: Visit, store: Repository, role: str
) -> None:
    two(store)
    assert visit(None).get(PATH).status_code == 303
    nobody = visit(None).post(PATH, data={"pair": "x", "choice": "tie"})
    assert nobody.status_code == 401
    assert votes(store, "flights") == []
    cast(visit(role), "tie")  # type: ignore[arg-type]
    assert [each.judge for each in votes(store, "flights")] == [f"a {role}"]


def test_a_ballot_shows_novel_insights_alone_and_nothing_of_whose_they_are(
    visit: Visit, store: Repository
) -> None:
    runs = two(store)
    answer = visit("admin").get(PATH)
    page = parse(answer.text)
    sets = [[li.text for li in box.all("li")] for box in page.one("div", "ballot").all("section")]
    assert sorted(sets) == [
        ["Novel of [name]: summer.", "Alpha."],
        ["Novel of the other: winter.", "Beta."],
    ]
    for name in (*runs, "gpt-aaaa-1", "gpt-bbbb-1", *(f"{run}.e1" for run in runs)):
        assert name not in answer.text
    for item in CHECKLIST.items:
        assert item.id not in answer.text
        assert item.question not in page.text


def test_a_vote_is_kept_as_a_comparison_of_the_side_that_was_meant(
    visit: Visit, store: Repository
) -> None:
    runs = two(store)
    client = visit("reader")
    page = ballot(client)
    first = page.by_id("first").above("section").all("li")[1].text
    told = cast(client, "first", reason=" It  says\nmore. ")
    assert "told=kept" in told
    (kept,) = votes(store, "flights")
    assert (kept.left, kept.right) == runs
    liked = {"Alpha.": "left", "Beta.": "right"}[first]
    assert (kept.winner, kept.shown_first) == (liked, liked)
    assert (kept.judge, kept.reason) == ("a reader", "It says more.")
    assert (kept.left_insights, kept.right_insights, kept.call) == (2, 2, None)
    (ranking,) = peoples_rankings(store, "flights")
    assert ranking.id == kept.ranking_id
    assert ranking.run_ids == runs
    assert ranking.evaluations == {run: f"{run}.e1" for run in runs}


def test_the_second_set_and_a_tie_are_told_apart(visit: Visit, store: Repository) -> None:
    two(store)
    client = visit("reader")
    cast(client, "second")
    cast(client, "tie")
    one, other = sorted(votes(store, "flights"), key=lambda each: each.winner == "tie")
    assert one.winner != one.shown_first
    assert other.winner == "tie"


def test_each_person_is_offered_every_pair_once_and_then_none(
    visit: Visit, store: Repository
) -> None:
    two(store)
    client = visit("reader")
    cast(client, "tie")
    cast(client, "tie")
    page = ballot(client)
    assert "no further pair" in page.text
    assert {each.entity_id for each in votes(store, "flights")} == {"01", "02"}
    assert "no further pair" not in ballot(visit("admin")).text


def test_a_form_that_is_sent_twice_counts_once_and_the_first_stands(
    visit: Visit, store: Repository
) -> None:
    two(store)
    client = visit("reader")
    pair = seal(ballot(client))
    said = [
        client.post(PATH, data={"pair": pair, "choice": choice}).headers["location"]
        for choice in ("first", "second")
    ]
    assert "told=kept" in said[0]
    assert "told=again" in said[1]
    (kept,) = votes(store, "flights")
    assert kept.winner == kept.shown_first


def test_of_many_that_come_at_the_same_moment_one_counts(visit: Visit, store: Repository) -> None:
    two(store)
    client = visit("reader")
    pair = seal(ballot(client))
    with ThreadPoolExecutor(6) as pool:
        answers = list(
            pool.map(
                lambda _: client.post(PATH, data={"pair": pair, "choice": "first"}).status_code,
                range(6),
            )
        )
    assert answers == [303] * 6
    assert len(votes(store, "flights")) == 1


def test_two_tokens_of_one_name_are_one_person(
    visit: Visit, store: Repository, settings: Settings
) -> None:
    two(store)
    first, second = visit("reader"), visit("reader")
    pair = seal(ballot(first))
    first.post(PATH, data={"pair": pair, "choice": "tie"})
    cast(second, "tie")
    assert len({each.entity_id for each in votes(store, "flights")}) == 2
    assert "no further pair" in ballot(second).text


def test_whoever_came_by_a_link_gives_a_name(visit: Visit, store: Repository) -> None:
    two(store)
    secret = exchanged(store, once(store, "admin", utc_now()), utc_now())
    client = visit(None)
    client.cookies.set(COOKIE, str(secret))
    assert "what are you called" in client.get(PATH).text
    page = ballot(client, f"{PATH}?by=Ann")
    answer = client.post(PATH, data={"pair": seal(page), "choice": "tie", "by": "Ann"})
    assert answer.status_code == 303
    assert [each.judge for each in votes(store, "flights")] == ["Ann"]
    nameless = client.post(PATH, data={"pair": seal(page), "choice": "tie", "by": " "})
    assert nameless.status_code == 422


def test_a_seal_is_the_voters_own_and_made_up_ones_are_nothing(
    visit: Visit, store: Repository
) -> None:
    two(store)
    theirs = seal(ballot(visit("admin")))
    answer = visit("reader").post(PATH, data={"pair": theirs, "choice": "first"})
    assert "told=changed" in answer.headers["location"]
    assert votes(store, "flights") == []
    wrong = visit("reader").post(PATH, data={"pair": theirs, "choice": "both"})
    assert 400 <= wrong.status_code < 500


def test_runs_that_go_on_or_are_not_judged_are_not_voted_on(
    visit: Visit, store: Repository
) -> None:
    modelled(store, 1, "gpt-aaaa-1", texts=A_TEXTS)
    explore(store, begun(store, 2), ends=False)
    assert "nothing to vote on" in visit("reader").get("/compare/vote").text
    assert visit("reader").get(PATH).status_code == 404


def test_votes_are_held_against_a_judges_games_and_stand_in_no_leaderboard(
    visit: Visit, store: Repository, settings: Settings
) -> None:
    left, right = two(store)
    made = Ranking(
        id="k1",
        scenario_id="flights",
        run_ids=(left, right),
        evaluations={run: f"{run}.e1" for run in (left, right)},
        judges_asked=("openai/judge",),
        prompt_hash=prompt_hash(),
        orders="one",
        created_at=START,
    )
    Rankings(store).add(made)
    client = visit("reader")
    cast(client, "first")
    cast(client, "tie")
    said = beside(made, store)
    assert {each.judge for each in said} == {"a reader (person)"}
    assert len(said) == 2
    other = made.model_copy(update={"id": "k2", "evaluations": {left: "another", right: "e"}})
    assert beside(other, store) == []
    rated = Tally(store, settings).ratings()
    assert [ranking.id for ranking, _ in rated] == ["k1"]


def test_a_run_that_is_deleted_takes_its_votes_along_and_no_others(
    visit: Visit, store: Repository
) -> None:
    left, right = two(store)
    third = modelled(store, 3, "gpt-cccc-1", texts=("The mean delay is 12.5 min.", "C.", "Gamma."))
    client = visit("reader")
    for _ in range(6):
        cast(client, "tie")
    assert len(votes(store, "flights")) == 6
    store.delete_run(third.id)
    assert {(each.left, each.right) for each in votes(store, "flights")} == {(left, right)}


def test_a_person_is_never_taken_for_a_model(store: Repository) -> None:
    left, right = two(store)
    token, _ = issue(store, "reader", utc_now(), name="openai/judge")
    assert token.owner == "openai/judge"
    person = Ranking(
        id="people-x",
        by="people",
        scenario_id="flights",
        run_ids=(left, right),
        evaluations={left: "a", right: "b"},
        judges_asked=(),
        prompt_hash="p",
        orders="one",
        created_at=START,
    )
    Rankings(store).add(person)
    Rankings(store).add_comparison(
        Comparison(
            ranking_id=person.id,
            entity_id="01",
            left=left,
            right=right,
            shown_first="left",
            winner="tie",
            left_insights=1,
            right_insights=1,
            left_characters=1,
            right_characters=1,
            judge=token.owner,
        )
    )
    model = person.model_copy(update={"id": "k1", "by": "models"})
    assert [each.judge for each in beside(model, store)] == ["openai/judge (person)"]
