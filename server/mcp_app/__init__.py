"""Speak MCP as a server: the exploring tools for our own agents, all seven for agents from outside."""

from server.mcp_app.exploring import ToolServer, instructions, make_app
from server.mcp_app.replies import PROGRESS_S, result

__all__ = ["PROGRESS_S", "ToolServer", "instructions", "make_app", "result"]
