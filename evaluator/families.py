"""Which family a model is of, by its name: judges may favour their own."""

from __future__ import annotations

import re
from typing import Final

_FAMILIES: Final[dict[str, str]] = {
    r"gpt|chatgpt|o[1345]|davinci|codex": "OpenAI",
    r"claude": "Anthropic",
    r"gemini|gemma|palm": "Google",
    r"llama|codellama": "Meta",
    r"qwen|qwq|qvq": "Qwen",
    r"deepseek": "DeepSeek",
    r"mistral|mixtral|ministral|magistral|codestral|devstral|pixtral": "Mistral",
    r"grok": "xAI",
    r"command|aya": "Cohere",
    r"phi": "Microsoft",
    r"kimi|moonshot": "Moonshot",
    r"glm|chatglm": "Z.ai",
    r"minimax|abab": "MiniMax",
    r"nova": "Amazon",
    r"nemotron": "NVIDIA",
    r"granite": "IBM",
}
"""How the last part of a name begins -> who makes it."""
_RULES: Final = [
    (re.compile(rf"(?:[a-z]+\.)*(?:{starts})(?![a-z]{{3}})", re.IGNORECASE), maker)
    for starts, maker in _FAMILIES.items()
]


def family(name: str) -> str | None:
    """Of 'openrouter/anthropic/claude-x' Anthropic; None where the name tells nothing."""
    last = name.rstrip("/").rpartition("/")[2]
    for rule, maker in _RULES:
        if rule.match(last):
            return maker
    return None
