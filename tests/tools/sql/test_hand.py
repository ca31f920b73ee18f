"""What a session may ask: no query is longer than the limit, whichever way it comes."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.tools.sql.pools import fails, rows, started
from tools.limits import ToolLimits
from tools.sql.hand import SqlHand

pytestmark = pytest.mark.real

SHORT = "SELECT 1".ljust(1000)
LONG = SHORT + " "


async def _ask(hand: SqlHand, way: str, sql: str) -> object:
    return await (hand.rows(sql, limit=1) if way == "rows" else hand.frame(sql))


@pytest.mark.parametrize("way", ["rows", "frame"])
def test_a_query_that_is_too_long_is_refused_in_words_and_reaches_no_worker(
    visits: Path, way: str
) -> None:
    async def talk() -> None:
        async with started(visits) as pool:
            hand = pool.hand("a", ToolLimits(sql_chars=len(SHORT)))
            error = await fails(_ask(hand, way, LONG))
            assert error.kind == "arguments"
            assert "1,001 characters; at most 1,000 are taken" in str(error)
            assert next(pool._ids) == 1

    asyncio.run(talk())


def test_a_query_of_just_the_length_is_run(visits: Path) -> None:
    async def talk() -> None:
        async with started(visits) as pool:
            hand = pool.hand("a", ToolLimits(sql_chars=len(SHORT)))
            assert await rows(hand, SHORT) == [[1]]
            assert (await hand.frame(SHORT)).row_count == 1

    asyncio.run(talk())
