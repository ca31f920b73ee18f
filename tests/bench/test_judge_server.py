"""The benchmark's judge: it reads what it is shown, fails as it is told to, caches as providers do, counts rightly."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from bench.judge_server import Habits, JudgeServer, PromptCache, judge
from bench.stations import RUN, Size, furnish
from checklists.loader import load
from core.trajectory import Trajectory
from evaluator.asking import Prompts
from evaluator.interviewing import Interviewer
from evaluator.llm import LLMChecker
from server.store import open_store
from tests.evaluator.llm.judges import Judge, Messages

ENDLESS = Habits(service_s=(0, 0), refused=0, hung=0, malformed=0)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six stations with four items each."""
    home = tmp_path_factory.mktemp("stations") / "home"
    furnish(home, Size(entities=6, items=4), seed=2)
    return home


def _trajectories(home: Path) -> list[Trajectory]:
    with open_store(home / "store.sqlite3") as store:
        return store.trajectories(RUN)


def _words(messages: Messages) -> str:
    return "\n".join(f"<{m['role']}> {m['content']}" for m in messages)


@pytest.mark.parametrize("batch", [1, 3, 4])
def test_it_judges_by_what_the_insights_say_whether_one_item_is_asked_or_several(
    home: Path, batch: int
) -> None:
    asked = Judge(lambda messages: judge(_words(messages)))
    checker = LLMChecker([Interviewer(asked, role="checker")], batch=batch)
    checklist = load("stations", home / "checklists")
    labels = set()

    async def check() -> None:
        for trajectory in _trajectories(home):
            items = {item.id: item for item in checklist.of(trajectory.entity_id)}
            async for verdict in checker.check([*items.values()], trajectory, evaluation_id="e"):
                fact = items[verdict.item_id].answer
                turns = [i.turn for i in trajectory.message_insights if fact in (i.text or "")]
                said = fact in (trajectory.report or "")
                if verdict.level == "message":
                    said = bool(turns)
                    assert not said or list(verdict.supporting_turns) == turns
                assert (verdict.label == "supported") == said
                assert verdict.label is not None
                labels.add(verdict.label)

    asyncio.run(check())
    assert labels == {"supported", "contradicted", "insufficient"}
    assert len(asked.asked) == 6 * 2 * -(-4 // batch)


def test_what_is_judged_is_the_same_for_a_seed_and_other_for_another(tmp_path: Path) -> None:
    for name, seed in (("one", 1), ("same", 1), ("other", 2)):
        furnish(tmp_path / name, Size(entities=2, items=2), seed=seed)
    texts = {
        name: [[i.text for i in t.insights] for t in _trajectories(tmp_path / name)]
        for name in ("one", "same", "other")
    }
    assert texts["one"] == texts["same"] != texts["other"]


# The prompt cache


def test_a_prompt_is_served_from_the_beginning_that_a_finished_one_had() -> None:
    cache, shared = PromptCache(), "a" * 4 * 1300
    assert cache.cached(shared) == 0
    cache.finish(f"{shared} and one question")
    # 1024 and as many steps of 128 as fit into 1300.
    assert cache.cached(f"{shared} and another question") == 1280
    assert cache.cached(f"b{shared}") == 0


def test_what_is_shorter_than_the_least_is_never_served() -> None:
    cache, shared = PromptCache(), "a" * 4 * 1023
    cache.finish(f"{shared}bbbb")
    assert cache.cached(f"{shared}bbbc") == 0
    assert cache.cached(f"{shared}bbbb and more") == 1024


# Over the wire


async def _talk(server: JudgeServer, messages: Sequence[Messages]) -> list[tuple[int, Any]]:
    """What each request is answered with, one after the other; (0, None) where it hangs up."""
    served = await asyncio.start_server(server.serve, "127.0.0.1", 0)
    port = served.sockets[0].getsockname()[1]
    answers: list[tuple[int, Any]] = []
    async with served:
        for each in messages:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            body = json.dumps({"model": "judge", "messages": each}).encode()
            writer.write(b"POST / HTTP/1.1\r\ncontent-length: %d\r\n\r\n" % len(body) + body)
            try:
                async with asyncio.timeout(0.2):
                    head = (await reader.readuntil(b"\r\n\r\n")).decode()
                    size = int(head.partition("content-length: ")[2].split("\r\n")[0])
                    answers.append((int(head.split()[1]), json.loads(await reader.read(size))))
            except TimeoutError:
                answers.append((0, None))
            writer.close()
            await writer.wait_closed()
        await asyncio.sleep(0)
    return answers


def _prompts(home: Path, number: int) -> list[Messages]:
    checklist, prompts = load("stations", home / "checklists"), Prompts()
    found: list[Messages] = []
    for trajectory in _trajectories(home):
        passages = [(i.turn, i.text or "") for i in trajectory.message_insights]
        for item in checklist.of(trajectory.entity_id):
            enquiry = prompts.enquire(item, "message", passages)
            found.append([dict(message) for message in enquiry.messages])
    return found[:number]


def _talked(home: Path, habits: Habits, number: int = 4, times: int = 1) -> tuple[Any, Any]:
    server = JudgeServer(habits)
    asked = [each for each in _prompts(home, number) for _ in range(times)]
    return asyncio.run(_talk(server, asked)), server.totals()


def test_it_counts_what_it_was_sent_and_what_its_cache_served(home: Path) -> None:
    answers, totals = _talked(home, ENDLESS)
    assert [status for status, _ in answers] == [200] * 4
    usages: list[Mapping[str, Any]] = [told["usage"] for _, told in answers]
    sent = [usage["prompt_tokens"] for usage in usages]
    cached = [usage["prompt_tokens_details"]["cached_tokens"] for usage in usages]
    assert cached[0] == 0
    assert all(sent[0] * 0.8 < each < sent[0] for each in cached[1:])
    assert totals["input_tokens"] == totals["single_tokens"] == sum(sent)
    assert totals["cached_tokens"] == sum(cached)
    assert (totals["requests"], totals["questions"], totals["asked_again"]) == (4, 4, 0)


def test_what_was_answered_and_is_asked_once_more_is_counted(home: Path) -> None:
    _, totals = _talked(home, ENDLESS, times=3)
    assert (totals["requests"], totals["questions"], totals["asked_again"]) == (12, 4, 8)
    assert totals["input_tokens"] == 3 * totals["single_tokens"]


def test_what_it_refuses_may_come_again_and_its_wait_is_the_judges_time(home: Path) -> None:
    habits = Habits(service_s=(0, 0), refused=1, hung=0, malformed=0, retry_after_s=7)
    answers, totals = _talked(home, habits, times=2)
    assert {status for status, _ in answers} == {429}
    assert totals["asked_again"] == 0
    assert totals["service_s"] == 8 * 7
    assert totals["fates"] == {"refused": 8}
    assert totals["input_tokens"] == 0


@pytest.mark.parametrize(("timeout_s", "asked_again"), [(0.1, 0), (30.0, 4)])
def test_one_that_hangs_ends_when_the_client_goes(
    home: Path, timeout_s: float, asked_again: int
) -> None:
    """A client that waited for its timeout asks again by right; one that was gone before does not."""
    habits = Habits(service_s=(0, 0), refused=0, hung=1, malformed=0, timeout_s=timeout_s)
    answers, totals = _talked(home, habits, times=2)
    assert answers == [(0, None)] * 8
    assert totals["asked_again"] == asked_again
    assert totals["fates"] == {"hung": 8}
    if timeout_s < 1:
        assert totals["service_s"] == pytest.approx(8 * timeout_s)


def test_what_is_malformed_is_not_so_the_second_time(home: Path) -> None:
    habits = Habits(service_s=(0, 0), refused=0, hung=0, malformed=1)
    answers, totals = _talked(home, habits, number=8, times=2)
    texts = [told["choices"][0]["message"]["content"] for _, told in answers]
    for first, second in zip(texts[::2], texts[1::2], strict=True):
        with pytest.raises(ValueError, match=r"Expecting|Unterminated|delimiter"):
            json.loads(first)
        assert json.loads(second)["label"]
    assert totals["fates"] == {"malformed": 8, "answered": 8}


def test_what_fails_follows_from_words_and_seed_and_not_from_the_order(home: Path) -> None:
    def fates(seed: int, order: int) -> dict[str, int]:
        server = JudgeServer(Habits(seed=seed, service_s=(0, 0), refused=0.4, hung=0))
        asyncio.run(_talk(server, _prompts(home, 24)[::order]))
        counted: dict[str, int] = server.totals()["fates"]
        return counted

    assert fates(1, 1) == fates(1, -1)
    assert len({json.dumps(fates(seed, 1), sort_keys=True) for seed in range(5)}) > 1
