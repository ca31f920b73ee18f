"""How much one call of a tool may ask for and hand back."""

from __future__ import annotations

from pydantic import Field

from core.record import Record


class ToolLimits(Record):
    """The bounds of both hands; each is told to the agent where it bites."""

    default_rows: int = Field(default=20, ge=1)
    max_rows: int = Field(default=200, ge=1)
    max_offset: int = Field(default=1_000_000, ge=0)
    cell_chars: int = Field(default=1000, ge=10)
    """Longer values are clipped and marked with their full length."""
    reply_chars: int = Field(default=8000, ge=1000)
    """The whole text of one reply (MCP.md 5.11: clients cut longer ones in different ways)."""
    max_reply_chars: int = Field(default=32_000, ge=1000)
    """What a call may ask for instead."""
    spare_chars: int = Field(default=0, ge=0, le=500)
    """Of a reply's characters, those kept free for what is added to it on its way to the agent."""
    sql_seconds: float = Field(default=30.0, gt=0)
    sql_chars: int = Field(default=50_000, ge=1)
    queries_at_once: int = Field(default=4, ge=1)
    """Per session, those included that time ran out on and that have not ended yet; the others wait."""
    queries_waiting: int = Field(default=64, ge=1)
    """Per session; one more is refused at once."""
    code_chars: int = Field(default=20_000, ge=1)
    python_seconds: float = Field(default=30.0, gt=0)
    python_max_seconds: float = Field(default=45.0, gt=0)
    python_memory_mb: int = Field(default=2048, ge=256)
    python_output_bytes: int = Field(default=65536, ge=1024)
    frame_rows: int = Field(default=1_000_000, ge=1)
    """What query() inside Python may hand over at most, in rows."""
    frame_bytes: int = Field(default=256 << 20, ge=1 << 20)
    """The same in bytes."""

    def reply_room(self, asked: int | None) -> int:
        """The characters that a reply may have in which a call asks for so many; None = the usual."""
        return min(asked or self.reply_chars, self.max_reply_chars) - self.spare_chars
