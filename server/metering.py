"""Ask before each model call whether there is money left, and count what each call took."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from core.errors import DdrError
from core.protocols import ChatModel, Reply, ToolSpec
from core.trajectory import Role
from server.board import Board


class BudgetSpentError(DdrError):
    """No further call is made: the money is spent, or can no longer be counted."""


class Purse:
    """The money of one invocation, over all its runs and roles; None = as much as it takes.

    It is asked before each call. What is under way then is still paid, so that the sum may pass the
    budget by the calls that were open.
    """

    def __init__(self, budget_usd: float | None, *, spent_usd: float = 0.0) -> None:
        self.budget_usd, self.spent_usd = budget_usd, spent_usd
        self.closed: str | None = None
        """Why no further call is made; None while there may be one."""

    def ask(self) -> None:
        """Raise BudgetSpentError where nothing more may be spent."""
        if self.budget_usd is None:
            return
        if self.closed is None and self.spent_usd >= self.budget_usd:
            self.closed = f"the budget of ${self.budget_usd:g} is spent (${self.spent_usd:.4f})"
        if self.closed:
            raise BudgetSpentError(self.closed)

    def pay(self, cost_usd: float | None, reason: str | None) -> None:
        """Book one call. One whose cost is not known closes a purse that has a budget."""
        if cost_usd is not None:
            self.spent_usd += cost_usd
        elif self.budget_usd is not None and self.closed is None:
            self.closed = f"a call's cost is not known ({reason}), so the budget cannot be kept"


class MeteredModel:
    """A model whose every call, in whatever role, is asked for and booked first."""

    def __init__(self, model: ChatModel, purse: Purse, board: Board) -> None:
        self._model, self._purse, self._board = model, purse, board
        self.name = model.name

    async def complete(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[ToolSpec] = (),
        *,
        role: Role = "agent",
        form: Mapping[str, Any] | None = None,
    ) -> Reply:
        """One request. Raises BudgetSpentError before it is sent, ProviderError as the model does."""
        self._purse.ask()
        with self._board.busy("the model"):
            reply = await self._model.complete(messages, tools, role=role, form=form)
        self._board.count(reply.call)
        self._purse.pay(reply.call.usage.cost_usd, reply.call.usage.cost_reason)
        return reply
