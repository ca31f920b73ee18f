"""Say on a page why it is not shown."""

from __future__ import annotations


class RefusedError(Exception):
    """A page that is not shown, with the reason in words for the one who asked."""

    def __init__(self, status: int, text: str, *, back: str | None = None) -> None:
        """`back`: the path to return to once they have shown a token."""
        super().__init__(text)
        self.status, self.text, self.back = status, text, back
