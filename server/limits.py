"""Whether a trajectory has reached a limit; asked before anything is spent."""

from __future__ import annotations

from core.run import Limits
from core.trajectory import StopReason, Usage


def reached(limits: Limits, *, turns: int, usage: Usage, seconds: float) -> StopReason | None:
    """The first limit that is used up, or None.

    `usage` sums the agent's own calls, `seconds` run from the start. Tokens or a cost that were not
    reported are unknown, and stop nothing.
    """
    tokens = None
    if usage.input_tokens is not None and usage.output_tokens is not None:
        tokens = usage.input_tokens + usage.output_tokens
    spent = (
        (StopReason.MAX_TURNS, limits.max_turns, turns),
        (StopReason.MAX_TOKENS, limits.max_tokens, tokens),
        (StopReason.MAX_COST, limits.max_cost_usd, usage.cost_usd),
        (StopReason.MAX_SECONDS, limits.max_seconds, seconds),
    )
    for reason, limit, used in spent:
        if limit is not None and used is not None and used >= limit:
            return reason
    return None
