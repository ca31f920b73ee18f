"""What the protocol's conformance suite asks a server for by name: mounted for it, and for nobody else."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Iterable, Mapping
from typing import Any, Final, cast

from mcp.server import MCPServer
from mcp.server.lowlevel.helper_types import ReadResourceContents
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.shared.exceptions import MCPError
from mcp.types import (
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    CallToolResult,
    EmbeddedResource,
    GetPromptResult,
    ImageContent,
    InputRequiredResult,
    TextContent,
    TextResourceContents,
)
from mcp.types import Prompt as ListedPrompt
from mcp.types import Resource as ListedResource
from mcp.types import ResourceTemplate as ListedTemplate
from mcp.types import Tool as ListedTool
from pydantic import AnyUrl

PIXEL: Final = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg=="
)
"""A picture of one pixel, as PNG."""

SCHEME: Final = "test://"
"""What the addresses of the suite's resources begin with."""

STEP_S: Final = 0.05
"""What the suite asks to lie between two words of progress."""


class Fixtures(MCPServer[Any]):
    """A mixin, left of a server's own class, that adds the suite's tools, resources and prompts.

    They are a server of their own, asked for what it lists; all else goes to the server's own class,
    whose transport, gate and middleware the suite thereby meets as any client does.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._suite = suite()

    async def list_tools(self) -> list[ListedTool]:
        """The server's own, then the suite's."""
        return [*await super().list_tools(), *await self._suite.list_tools()]

    async def call_tool(
        self, name: str, arguments: Mapping[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult:
        """One of the suite's by its name, or else one of the server's own."""
        ours = {tool.name for tool in await self._suite.list_tools()}
        called = self._suite.call_tool if name in ours else super().call_tool
        # Neither these nor the server's own tools ask their client for anything before they answer.
        return cast(CallToolResult, await called(name, dict(arguments), context))

    async def list_resources(self) -> list[ListedResource]:
        """The server's own, then the suite's."""
        return [*await super().list_resources(), *await self._suite.list_resources()]

    async def list_resource_templates(self) -> list[ListedTemplate]:
        """The server's own, then the suite's."""
        suite = await self._suite.list_resource_templates()
        return [*await super().list_resource_templates(), *suite]

    async def read_resource(
        self, uri: AnyUrl | str, context: Context[Any, Any] | None = None
    ) -> Iterable[ReadResourceContents] | InputRequiredResult:
        """One of the suite's by its scheme, or else one of the server's own."""
        read = self._suite.read_resource if str(uri).startswith(SCHEME) else super().read_resource
        return await read(uri, context)

    async def list_prompts(self) -> list[ListedPrompt]:
        """The server's own, then the suite's."""
        return [*await super().list_prompts(), *await self._suite.list_prompts()]

    async def get_prompt(
        self,
        name: str,
        arguments: dict[str, Any] | None = None,
        context: Context[Any, Any] | None = None,
    ) -> GetPromptResult | InputRequiredResult:
        """One of the suite's by its name, or else one of the server's own."""
        ours = {prompt.name for prompt in await self._suite.list_prompts()}
        got = self._suite.get_prompt if name in ours else super().get_prompt
        return await got(name, arguments, context)


def suite() -> MCPServer[Any]:
    """The suite's tools, resources and prompts, as far as they are about what we offer."""
    server = MCPServer[Any]("conformance-fixtures", subscriptions=False, log_level="WARNING")
    _add_tools(server)
    _add_resources(server)
    _add_prompts(server)
    return server


def _add_tools(server: MCPServer[Any]) -> None:
    picture = ImageContent(
        type="image", data=base64.b64encode(PIXEL).decode(), mime_type="image/png"
    )

    @server.tool(description="Answers with text.")
    async def test_simple_text() -> str:
        return "Plain text, and nothing else."

    @server.tool(description="Answers with a picture.", structured_output=False)
    async def test_image_content() -> ImageContent:
        return picture

    @server.tool(description="Answers with a resource inside.", structured_output=False)
    async def test_embedded_resource() -> EmbeddedResource:
        return _embedded("embedded-resource", "text/plain", "A resource inside a tool's answer.")

    @server.tool(
        description="Answers with text, a picture and a resource.", structured_output=False
    )
    async def test_multiple_content_types() -> list[TextContent | ImageContent | EmbeddedResource]:
        return [
            TextContent(type="text", text="Three kinds of content:"),
            picture,
            _embedded("mixed-content-resource", "application/json", '{"kinds":3}'),
        ]

    @server.tool(description="Fails, always.")
    async def test_error_handling() -> str:
        raise ToolError("This tool fails each time it is called.")

    @server.tool(description="Tells three times how far it has come.")
    async def test_tool_with_progress(context: Context[Any, Any]) -> str:
        for done in (0, 50, 100):
            await context.report_progress(done, 100, f"{done} of 100")
            await asyncio.sleep(STEP_S)
        return "Came to its end."

    @server.tool(description="Refuses a client that does not declare sampling.")
    async def test_missing_capability(context: Context[Any, Any]) -> str:
        declared = context.client_capabilities
        if declared is None or declared.sampling is None:
            raise MCPError(
                code=MISSING_REQUIRED_CLIENT_CAPABILITY,
                message="the client must declare sampling",
                data={"requiredCapabilities": {"sampling": {}}},
            )
        return "The client declares sampling."


def _embedded(name: str, mime_type: str, text: str) -> EmbeddedResource:
    inside = TextResourceContents(uri=f"{SCHEME}{name}", mime_type=mime_type, text=text)
    return EmbeddedResource(type="resource", resource=inside)


def _add_resources(server: MCPServer[Any]) -> None:
    @server.resource(f"{SCHEME}static-text", description="A text.", mime_type="text/plain")
    def static_text() -> str:
        return "A text that never changes."

    @server.resource(f"{SCHEME}static-binary", description="A picture.", mime_type="image/png")
    def static_binary() -> bytes:
        return PIXEL

    @server.resource(
        f"{SCHEME}template/{{id}}/data",
        description="What its address says.",
        mime_type="application/json",
    )
    def template_data(id: str) -> dict[str, str]:
        return {"id": id}


def _add_prompts(server: MCPServer[Any]) -> None:
    @server.prompt(description="A prompt without arguments.")
    def test_simple_prompt() -> str:
        return "A prompt, and nothing else."

    @server.prompt(description="A prompt with two arguments.")
    def test_prompt_with_arguments(arg1: str, arg2: str) -> str:
        return f"The first is {arg1}, the second is {arg2}."
