"""Let an agent from outside in because a token asked for it."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.requests import Request

from core.access import Token
from core.outside import Outside
from core.run import Limits
from core.scenario import Goal
from databases.catalog import open_scenario
from server.build import Hands
from server.enrolment import Enrolled, enrol
from server.rest_app.door import Office
from server.rest_app.problems import Problem
from server.runner import utc_now


def let_in(
    here: Office,
    token: Token,
    scenario: str,
    agent: str,
    *,
    entities: str | Sequence[str],
    outside: Outside,
    trials: int = 1,
    tools: Hands | None = None,
    limits: Limits | None = None,
    goal: Goal = "none",
    seed: int = 0,
    endpoint_allowed: str | None = None,
) -> Enrolled:
    """A run of the token's own. Raises Problem, UsageError, ScenarioError; blocks."""
    installed = open_scenario(scenario, here.settings.home)
    if not installed.is_built():
        text = (
            f"scenario {scenario} is not built on this server: whoever runs it builds it by "
            f"the command `scenarios build {scenario}`"
        )
        raise Problem(409, "not-built", text)
    if installed.scenario.license.restricted and not endpoint_allowed:
        text = (
            f"the data of {scenario} are restricted ({installed.scenario.license.name}), and the agent "
            "shows them to a model of its own: say why it may in endpoint_allowed"
        )
        raise Problem(422, "restricted", text)
    return enrol(
        installed,
        here.store,
        agent=agent,
        now=utc_now(),
        entities=entities,
        trials=trials,
        tools=tools,
        limits=limits,
        outside=outside.model_copy(update={"enrolled_by": token.owner}),
        goal=goal,
        seed=seed,
        endpoint_allowed=endpoint_allowed,
    )


def address(request: Request) -> str:
    """The server's address by the name that the client used; what is in front allowed that name."""
    return f"{request.url.scheme}://{request.url.netloc}"
