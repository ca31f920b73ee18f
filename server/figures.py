"""Keep what Python cells drew for people, while the agent is told of it in words."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final

from core.errors import StoreError
from core.protocols import Observation, Tools, ToolSpec
from server.store import Repository
from server.store.figures import Figures

_LOG: Final = logging.getLogger(__name__)

Keep = Callable[[Callable[[Repository], Any]], Awaitable[Any]]
"""Has something written to the store."""


async def keep_figures(keep: Keep, trajectory_id: str, seen: Observation) -> None:
    """Those of one call. What cannot be kept is missing, and nothing else."""
    if not seen.images:
        return
    try:
        await keep(lambda store: Figures(store).add(trajectory_id, seen.text, seen.images))
    except StoreError:
        _LOG.warning("figures cannot be kept", exc_info=True)


class DrawingTools:
    """Passes everything on, and shows it to whoever keeps the figures."""

    def __init__(self, tools: Tools, keep: Callable[[Observation], Awaitable[None]]) -> None:
        self._tools, self._keep = tools, keep

    async def list(self) -> Sequence[ToolSpec]:
        """The tools on offer."""
        return await self._tools.list()

    async def call(self, name: str, arguments: Mapping[str, Any]) -> Observation:
        """Call one."""
        seen = await self._tools.call(name, arguments)
        await self._keep(seen)
        return seen
