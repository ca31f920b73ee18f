"""Does tool calls one after the other, by the connection that `ddr_server.py` beside it makes.

The client's own interpreter runs it. stdin: a JSON list of [tool, arguments]. The last line of
stdout: a JSON list of what came of each, {"is_error", "text", "data"}.
"""

from __future__ import annotations

import asyncio
import importlib
import inspect
import json
import sys
from typing import Any


async def main() -> None:
    """Connect, do them all, hang up."""
    server: Any = importlib.import_module("ddr_server").server
    # fastmcp raises what failed unless told otherwise; the protocol's own client has no such switch.
    quiet = "raise_on_error" in inspect.signature(server.call_tool).parameters
    options = {"raise_on_error": False} if quiet else {}
    seen = []
    async with server:
        for tool, arguments in json.load(sys.stdin):
            done = await server.call_tool(tool, arguments, **options)
            text = "".join(part.text for part in done.content if part.type == "text")
            data = done.structured_content
            seen.append({"is_error": done.is_error, "text": text, "data": data})
    sys.stdout.write(json.dumps(seen) + "\n")


if __name__ == "__main__":
    asyncio.run(main())
