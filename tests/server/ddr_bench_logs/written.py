"""Write logs by hand in the form of the released DDR-Bench code."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

GUIDANCE = "Call a function or end the task."
BEGAN = datetime(2026, 1, 31, 12, 0)
CHAT = ("timestamp", "role", "content", "tool_call", "tool_result")
INSIGHTS = ("timestamp", "assistant_message", "user_message", "insight")
STATS = (
    "timestamp",
    "role",
    "content_length",
    "prompt_tokens",
    "completion_tokens",
    "total_tokens",
    "generation_time",
    "execution_time",
)


@dataclass
class Log:
    """One session as it goes on; each event takes ten seconds."""

    chat: list[dict[str, Any]] = field(default_factory=list)
    insights: list[dict[str, Any]] = field(default_factory=list)
    stats: list[dict[str, Any]] = field(default_factory=list)
    totals: dict[str, Any] = field(default_factory=dict)
    tokens: bool = True
    _at: datetime = BEGAN

    def call(
        self,
        text: str,
        query: str,
        result: Any,
        insight: str | None = "NO INSIGHT",
        *,
        tool: str = "execute_query",
    ) -> Log:
        """A turn; `insight` None = the call for it failed, and no row was written."""
        call = {"tool": tool, "arguments": {"query": query}, "thought_signature": None}
        self._agent(text, tool_call=json.dumps(call))
        answer = f"Tool execution result: {result}"
        self._message("environment", answer, tool_result=json.dumps(result))
        self._stat("user", len(answer), execution_time=0.5)
        if insight is not None:
            row = (self._now(), text, answer, insight)
            self.insights.append(dict(zip(INSIGHTS, row, strict=True)))
            self._stat("insight_generation", len(insight), generation_time=1.5)
        return self

    def say(self, text: str, *, guidance: bool = True) -> Log:
        """A message without a call, and the nudge that follows it."""
        self._agent(text)
        if guidance:
            self._message("environment", GUIDANCE)
        return self

    def finish(self, text: str) -> Log:
        """A message that ends the session."""
        self._agent(text)
        return self

    def forced(self, text: str) -> Log:
        """A summary that the program asks for."""
        self._message("agent", f"FINISH: {text}")
        self._stat("assistant", len(text), generation_time=3.0)
        return self

    def forced_in_vain(self, error: str) -> Log:
        """The same where the endpoint fails."""
        self._message("agent", f"FINISH: Error generating final summary: {error}")
        return self

    def write(self, folder: Path, stamp: str = "20260131_120000", *, without: str = "") -> Path:
        """The four files of the session."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, heads, rows in (
            ("chat_messages", CHAT, self.chat),
            ("insights", INSIGHTS, self.insights),
            ("message_stats", STATS, self.stats),
        ):
            if name in without or (name == "insights" and not rows):
                continue
            path = folder / f"{name}_{stamp}.csv"
            with path.open("w", newline="", encoding="utf-8") as stream:
                writer = csv.DictWriter(stream, heads)
                writer.writeheader()
                writer.writerows(rows)
        if "session_stats" not in without:
            totals = {
                "start_time": BEGAN.isoformat(),
                "end_time": self._now(),
                "task": "Analyze it",
                "completed": True,
                **self.totals,
            }
            text = json.dumps(totals, ensure_ascii=False)
            (folder / f"session_stats_{stamp}.json").write_text(text, encoding="utf-8")
        return folder

    def _agent(self, text: str, tool_call: str = "") -> None:
        self._message("agent", text, tool_call=tool_call)
        prompt, answer = (100 * len(self.chat), 7) if self.tokens else (0, 0)
        self._stat("assistant", len(text), prompt, answer, generation_time=2.0)

    def _message(self, role: str, content: str, tool_call: str = "", tool_result: str = "") -> None:
        self._at += timedelta(seconds=10)
        row = (self._now(), role, content, tool_call, tool_result)
        self.chat.append(dict(zip(CHAT, row, strict=True)))

    def _stat(
        self,
        role: str,
        length: int,
        prompt: int = 0,
        answer: int = 0,
        *,
        generation_time: float = 0,
        execution_time: float = 0,
    ) -> None:
        row = (
            self._now(),
            role,
            length,
            prompt,
            answer,
            prompt + answer,
            generation_time,
            execution_time,
        )
        self.stats.append(dict(zip(STATS, row, strict=True)))

    def _now(self) -> str:
        return self._at.isoformat()


def usual() -> Log:
    """Four turns: of the second there was no insight, of the third the call for it failed."""
    return (
        Log()
        .call("I look.", "SELECT 1", {"rows": [[1]]}, "There is\none row.")
        .call("And again.", "SELECT 2", {"error": "no such table"})
        .call("", "SELECT 3", {"rows": []}, None)
        .say("Let me think.")
        .call("Once more.", "SELECT 4", {"rows": [["ü, \"x\""]]}, "Four is even.")
        .finish("FINISH: All in all it is even.")
    )  # fmt: skip
