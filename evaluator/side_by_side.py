"""Take from several streams at once, in the order in which things come."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import TypeVar

T = TypeVar("T")


async def side_by_side(streams: Sequence[AsyncGenerator[T, None]]) -> AsyncGenerator[T, None]:
    """All that the streams give. Raises what ended one of them, once the others have ended."""
    if len(streams) == 1:
        async with aclosing(streams[0]) as only:
            async for each in only:
                yield each
        return
    came: asyncio.Queue[T | None] = asyncio.Queue()

    async def drain(stream: AsyncGenerator[T, None]) -> None:
        try:
            async with aclosing(stream) as opened:
                async for each in opened:
                    came.put_nowait(each)
        finally:
            came.put_nowait(None)

    tasks = [asyncio.create_task(drain(stream)) for stream in streams]
    try:
        left = len(tasks)
        while left:
            got = await came.get()
            if got is None:
                left -= 1
            else:
                yield got
        for ended in await asyncio.gather(*tasks, return_exceptions=True):
            if ended is not None:
                raise ended
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
