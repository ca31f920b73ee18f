"""What lies beyond this process: the port that a server takes, and the keys of those who serve models."""

from __future__ import annotations

import http.client
import json
import shlex
import shutil
import socket
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from core.hints import typed
from server.checkup.finding import Finding
from server.dashboard import vendor
from server.http import HOST, PORT

_ANSWER_S = 2.0
_ANSWER_BYTES = 4096

KEYS = {
    "anthropic": ("ANTHROPIC_API_KEY",),
    "openai": ("OPENAI_API_KEY",),
    "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "azure": ("AZURE_API_KEY", "AZURE_OPENAI_API_KEY"),
    "bedrock": ("AWS_ACCESS_KEY_ID", "AWS_BEARER_TOKEN_BEDROCK"),
    "vertex_ai": ("GOOGLE_APPLICATION_CREDENTIALS",),
    "deepseek": ("DEEPSEEK_API_KEY",),
    "groq": ("GROQ_API_KEY",),
    "mistral": ("MISTRAL_API_KEY",),
    "openrouter": ("OPENROUTER_API_KEY",),
}
"""Of the providers that most people ask, the variables of which one has to be set."""


def port(host: str = HOST, number: int = PORT) -> Finding:
    """Whether a server could listen where it does unasked."""
    where, name = f"{host}:{number}", f"port {number}"
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind((host, number))
    except OSError as exc:
        if _is_ours(host, number):
            return Finding(name, True, f"ddr serves at {where} already", needed=False)
        another = typed(f"serve --http --port {number + 1}")
        return Finding(name, False, f"{where} is taken ({exc.strerror})", another, needed=False)
    return Finding(name, True, f"{where} is free", needed=False)


def _is_ours(host: str, number: int) -> bool:
    """Whether what listens there answers as `ddr serve --http` does when it is asked for its health."""
    connection = http.client.HTTPConnection(host, number, timeout=_ANSWER_S)
    try:
        connection.request("GET", "/healthz")
        answer = connection.getresponse()
        said = json.loads(answer.read(_ANSWER_BYTES))
    except (OSError, http.client.HTTPException, ValueError):
        return False
    finally:
        connection.close()
    return answer.status == 200 and isinstance(said, dict) and said.get("status") == "ok"


def keys(environ: Mapping[str, str]) -> Finding:
    """Which keys are set, by the variables' names; never a character of what is in them."""
    from providers.price_list import provider_names

    common = [name for names in KEYS.values() for name in names]
    others = sorted(f"{_in_capitals(name)}_API_KEY" for name in provider_names())
    known = dict.fromkeys([*common, *others])
    held = [name for name in known if environ.get(name, "").strip()]
    if spoilt := [name for name in held if _is_spoilt(environ[name])]:
        return Finding(
            "keys",
            False,
            f"{_listed(spoilt)}: blanks or quotation marks around it, which the provider will refuse",
            "set it again without them (docker --env-file keeps quotation marks as they stand)",
            needed=False,
        )
    if held:
        unset = [names[0] for names in KEYS.values() if not set(names) & set(held)]
        missing = f"; not set: {_listed(unset)}" if unset else ""
        return Finding("keys", True, f"set: {_listed(held)}{missing}", needed=False)
    wanted = _listed(names[0] for names in KEYS.values())
    return Finding(
        "keys",
        False,
        f"no provider's key is set ({wanted})",
        "export the one of the provider that you ask, such as ANTHROPIC_API_KEY. None is needed for"
        " --agent profiler, for agents of your own, and for an endpoint by --base-url",
        needed=False,
    )


def _in_capitals(provider: str) -> str:
    return "".join(c if c.isalnum() else "_" for c in provider.upper())


def _is_spoilt(value: str) -> bool:
    return value != value.strip() or value[0] in "\"'"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)


def node() -> Finding:
    """Said because people look for it: many MCP servers are Node programs."""
    there = "is there" if shutil.which("node") else "is not there"
    return Finding("node", True, f"not needed ({there}): only some agents want it", needed=False)


def charts(folder: Path = vendor.FOLDER) -> Finding:
    """Whether the library that draws the dashboard's charts was brought when ddr was installed."""
    if vendor.is_here(folder):
        return Finding("charts", True, f"uPlot {vendor.VERSION} is here", needed=False)
    return Finding(
        "charts",
        False,
        "npm could not be reached when ddr was installed: the dashboard shows tables",
        f"{shlex.quote(sys.executable)} -m server.dashboard.vendor",
        needed=False,
    )
