"""The coding agents from npm, and a person's own settings for each: which model it asks, and where."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.clients.conversation import MODEL
from tests.support import node, npm
from tests.support.endpoint import ScriptedEndpoint

NOWHERE: Final = "http://127.0.0.1:9"
"""The discard port, where nobody listens: what a client would send off this machine ends here."""


@dataclass(frozen=True)
class CodingAgent:
    """A program, and how its user would have set it up before they heard of us."""

    package: npm.Package
    settle: Callable[[Path, ScriptedEndpoint], Mapping[str, str]]
    """Writes settings below a home for the scripted model; the variables that it needs."""

    def environment(self, home: Path, endpoint: ScriptedEndpoint) -> dict[str, str]:
        """What it is started with: a home of its own, no way off this machine, itself on the path."""
        program = self.package.install()
        own = self.settle(home, endpoint)
        return {**away(home, program.parent, node.program().parent), **own}


def away(home: Path, *programs: Path) -> dict[str, str]:
    """Variables for a client that must find these folders' programs, and nothing off this machine."""
    path = os.pathsep.join([*map(str, programs), os.defpath])
    shared = {name: os.environ[name] for name in ("LANG", "TMPDIR") if name in os.environ}
    proxies = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), NOWHERE)
    return {**shared, **proxies, "NO_PROXY": "127.0.0.1,localhost", "HOME": str(home), "PATH": path}


def _write(path: Path, settings: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(settings if isinstance(settings, str) else json.dumps(settings), "utf-8")


def _opencode(home: Path, endpoint: ScriptedEndpoint) -> dict[str, str]:
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "options": {"baseURL": endpoint.openai_url, "apiKey": "x"},
        "models": {MODEL: {"tool_call": True, "limit": {"context": 128000, "output": 8000}}},
    }
    settings = {
        "model": f"lab/{MODEL}",
        "enabled_providers": ["lab"],
        "provider": {"lab": provider},
        "autoupdate": False,
        "share": "disabled",
    }
    _write(home / ".config" / "opencode" / "opencode.json", settings)
    return {"OPENCODE_DISABLE_MODELS_FETCH": "1"}


def _codex(home: Path, endpoint: ScriptedEndpoint) -> dict[str, str]:
    settings = f"""
model = "{MODEL}"
model_provider = "lab"

[model_providers.lab]
name = "lab"
base_url = "{endpoint.openai_url}"
wire_api = "responses"
env_key = "LAB_KEY"
"""
    _write(home / ".codex" / "config.toml", settings)
    return {"LAB_KEY": "x"}


def _claude_code(home: Path, endpoint: ScriptedEndpoint) -> dict[str, str]:
    return {
        "ANTHROPIC_BASE_URL": endpoint.anthropic_url,
        "ANTHROPIC_API_KEY": "x",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }


def _gemini(home: Path, endpoint: ScriptedEndpoint) -> dict[str, str]:
    settings = {
        "security": {
            "auth": {"selectedType": "gemini-api-key"},
            "folderTrust": {"enabled": False},
        },
        "privacy": {"usageStatisticsEnabled": False},
        "general": {"disableAutoUpdate": True, "disableUpdateNag": True},
        "model": {"name": MODEL},
    }
    _write(home / ".gemini" / "settings.json", settings)
    return {"GEMINI_API_KEY": "x", "GOOGLE_GEMINI_BASE_URL": endpoint.url}


AGENTS: Final = {
    "opencode": CodingAgent(
        npm.Package("opencode-ai", "1.18.33", "opencode", scripts=True), _opencode
    ),
    "codex": CodingAgent(npm.Package("@openai/codex", "0.171.0", "codex"), _codex),
    "claude-code": CodingAgent(
        npm.Package("@anthropic-ai/claude-code", "2.1.332", "claude", scripts=True), _claude_code
    ),
    "gemini": CodingAgent(npm.Package("@google/gemini-cli", "0.61.0", "gemini"), _gemini),
}
