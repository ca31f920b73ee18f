"""A small agent, as somebody would write one: it explores one entity, or a whole queue, and finishes.

    python agent.py [--queue] [--stop-after CALLS]

With --stop-after it falls silent after so many calls: it prints 'silent' and sleeps.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import time
from pathlib import Path

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client


async def explore(client: Client) -> dict[str, object]:
    """One entity, from get_task to finish."""
    task = (await client.call_tool("get_task", {"agent": "small 1"})).structured_content or {}
    seen = await client.call_tool("execute_query", {"query": "SELECT count(*) AS n FROM flights"})
    count = (seen.structured_content or {})["rows"][0][0]
    await client.call_tool("submit_insight", {"text": f"There are {count} flights."})
    done = await client.call_tool(
        "finish", {"report": f"{task['task']} There are {count} flights."}
    )
    return dict(done.structured_content or {})


async def main() -> None:
    """Connect and explore."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--queue", action="store_true")
    parser.add_argument("--stop-after", type=int)
    asked = parser.parse_args()
    headers = {"Authorization": f"Bearer {os.environ['DDR_TOKEN']}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as http,
        Client(streamable_http_client(os.environ["DDR_URL"], http_client=http)) as client,
    ):
        for _ in range(asked.stop_after or 0):
            await client.call_tool("execute_query", {"query": "SELECT 1 AS one"})
        if asked.stop_after is not None:
            print("silent", flush=True)
            time.sleep(600)
        done = await explore(client)
        while asked.queue and done["tasks_left"]:
            done = await explore(client)
    print(
        "explored",
        sorted(os.environ.keys() & {"DDR_HOME", "DDR_ENTITY"}),
        [*map(str, Path().iterdir())],
    )


asyncio.run(main())
