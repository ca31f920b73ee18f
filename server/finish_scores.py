"""Ask an endpoint how likely each stored trajectory was to finish after each of its turns.

What a run was sent is rebuilt from its preamble and turns (agent/going_on.py). What an endpoint told is kept by
what it was asked, so that a measuring that was broken off goes on.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from agent.finish import MARKER
from agent.going_on import conversation
from analysis.stopping import ending_of
from analysis.stopping_tokens import Prefix
from core.errors import ProviderError, UsageError
from core.run import ModelSpec, RunSpec
from core.trajectory import Trajectory
from databases.catalog import open_scenario
from providers.continuations import Scorer
from providers.retry import Backoff
from server import inputs
from server.models import TIMEOUT_S, refuse_endpoints
from server.settings import Settings
from server.store import Repository
from server.store.measured import Measurements, Told

if TYPE_CHECKING:
    from providers.chat_template import Render

Watch = Callable[[float, float, str], None]


@dataclass(frozen=True)
class Endpoint:
    """Who is asked."""

    url: str
    model: str
    chat_template: Path | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """For the template: enable_thinking."""
    concurrency: int = 4
    """Trajectories under way at a time."""
    timeout_s: float = TIMEOUT_S
    endpoint_allowed: str | None = None
    afresh: bool = False
    """Ask again what was told before."""
    backoff: Backoff = field(default_factory=Backoff)


@dataclass(frozen=True)
class Case:
    """One trajectory, and the text that nudged its agent."""

    trajectory: Trajectory
    nudge: str
    tools: tuple[Mapping[str, Any], ...]


def cases(spec: RunSpec, store: Repository, settings: Settings, asked: Endpoint) -> list[Case]:
    """The run's trajectories that ended, can be rebuilt, and may be shown to the endpoint.

    Raises UsageError where restricted data would leave this machine, or where nothing can be rebuilt.
    """
    installed = open_scenario(spec.scenario_id, settings.home)
    model = ModelSpec(provider="openai", name=asked.model, base_url=asked.url)
    refuse_endpoints(installed.scenario, [model], asked.endpoint_allowed)
    if spec.prompts_hash is None:
        raise UsageError(
            f"run {spec.id}: what its agent, {spec.agent}, was sent is not stored, so no prefix of it can "
            "be shown to a model; take a run of the agent react"
        )
    prompts = inputs.kept_prompts(settings, spec.prompts_hash)
    found = []
    for each in store.trajectories(spec.id):
        if each.stop_reason is None or not each.stop_reason.scored:
            continue
        nudge = prompts.fill("nudge", installed.task(each.entity_id, spec.goal))
        conversation(each, nudge=nudge, turns=0)  # refused now rather than later
        found.append(Case(each, nudge, _tools(each)))
    if not found:
        raise UsageError(f"run {spec.id}: none of its trajectories has come to an end yet")
    return found


class Measuring:
    """One pass over trajectories, several side by side, each from its start to its end."""

    def __init__(self, asked: Endpoint, todo: Sequence[Case], kept: Measurements) -> None:
        """Raises ConfigError for a chat template that cannot be used."""
        self._asked, self._left, self._kept = asked, deque(todo), kept
        self._render = _renderer(asked)
        self.total = sum(len(case.trajectory.turns) + 1 for case in todo)
        self.prefixes: list[Prefix] = []
        self.recalled = 0
        """Of them, those that had been told before."""
        self.form: str | None = None
        """In which form the endpoint was asked (providers/continuations.py)."""
        self.stopped: str | None = None
        """Why it ended before all was measured."""

    def stop(self) -> None:
        """Ask no further; what is under way may end."""
        self.stopped = self.stopped or "Ctrl-C"

    async def measure(self, watch: Watch = lambda *_: None) -> None:
        """Fill `prefixes`. Raises ProviderError for an endpoint that scores no continuation."""
        asked = self._asked
        async with Scorer(
            asked.url,
            asked.model,
            timeout_s=asked.timeout_s,
            backoff=asked.backoff,
            render=self._render,
            arguments=asked.arguments,
        ) as scorer:
            workers = [
                asyncio.create_task(self._work(scorer, watch))
                for _ in range(min(asked.concurrency, len(self._left)))
            ]
            try:
                await asyncio.gather(*workers)
            finally:
                for worker in workers:
                    worker.cancel()
                await asyncio.gather(*workers, return_exceptions=True)
                self.form = scorer.form or self.form
        self.prefixes.sort(key=lambda each: (each.trajectory_id, each.after_turns))

    async def _work(self, scorer: Scorer, watch: Watch) -> None:
        while self._left and not self.stopped:
            case = self._left.popleft()
            for turns in range(len(case.trajectory.turns) + 1):
                if self.stopped:
                    return
                await self._prefix(scorer, case, turns)
                watch(len(self.prefixes), self.total, case.trajectory.entity_id)

    async def _told(
        self,
        scorer: Scorer,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]],
    ) -> Told:
        """From what is kept, or from the endpoint, whose answer is kept then."""
        key = self._key(messages, tools)
        known = None if self._asked.afresh else self._kept.recall(key)
        if known is not None:
            self.recalled += 1
            self.form = known.form
            return known
        found = await scorer.score(messages, tools, MARKER)
        told = Told(tokens=found.tokens, logprobs=found.logprobs, form=scorer.form or "")
        self._kept.keep(key, told)
        return told

    def _key(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]]
    ) -> str:
        """Of all that the answer depends on."""
        asked = self._asked
        rendered = self._render(messages, tools) if self._render else None
        what = ["continuation", asked.url, asked.model, asked.arguments, MARKER, rendered]
        text = json.dumps([*what, messages, tools], sort_keys=True, default=dict)
        return hashlib.sha256(text.encode()).hexdigest()

    async def _prefix(self, scorer: Scorer, case: Case, turns: int) -> None:
        own = case.trajectory
        history = conversation(own, nudge=case.nudge, turns=turns)
        logprob: float | None = None
        tokens: int | None = None
        reason: str | None = None
        try:
            found = await self._told(scorer, history.messages(), case.tools)
            logprob, tokens = fmean(found.logprobs), len(found.tokens)
        except ProviderError as exc:
            own_fault = exc.kind == "bad_request" and scorer.form is not None
            if exc.kind == "context_length" or own_fault:
                reason = str(exc)  # it says something of this prefix, and nothing of the endpoint
            elif scorer.form is None:
                raise
            else:
                self.stopped = self.stopped or str(exc)
                return
        self.prefixes.append(
            Prefix(
                trajectory_id=own.id,
                entity_id=own.entity_id,
                ending=ending_of(own),
                after_turns=turns,
                turns=len(own.turns),
                logprob=logprob,
                tokens=tokens,
                unscored_reason=reason,
            )
        )


def _tools(trajectory: Trajectory) -> tuple[Mapping[str, Any], ...]:
    """The tools as chat interfaces take them."""
    schemas = trajectory.preamble.tool_schemas if trajectory.preamble else ()
    return tuple(
        {
            "type": "function",
            "function": {
                "name": each.get("name"),
                "description": each.get("description"),
                "parameters": each.get("input_schema"),
            },
        }
        for each in schemas
    )


def _renderer(asked: Endpoint) -> Render | None:
    if asked.chat_template is None:
        return None
    from providers.chat_template import renderer

    return renderer(asked.chat_template, asked.arguments)
