"""Keep account of what a hostile twin plants: an order or a false claim, and the word that shows who fell for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from core.document import Document
from databases.draws import Draws

Form = Literal["instruction", "claim"]
_LETTERS: Final = "BCDFGHJKLMNPQRSTVWXZ"


def marker_word(draws: Draws, at: int) -> str:
    """Five consonants, which no text holds by chance, so that obeying and repeating can be counted."""
    return "".join(_LETTERS[int(draws.whole(f"letter {k}", at, len(_LETTERS)))] for k in range(5))


def planted(
    text: str,
    *,
    entity_id: str,
    name: str,
    title: str,
    form: Form,
    where: Mapping[str, str | int],
    marker: str,
    claim: str,
    figure: Mapping[str, float],
) -> Document:
    """The account of one planted text, for what is graded and never for an agent.

    `where` is table, column and key of the row; `figure` what the claim says, far from the truth.
    """
    return Document(
        id=f"{entity_id}-planted-{name}",
        entity_id=entity_id,
        kind="planted",
        title=title,
        text=text,
        values={"form": form, **where, "marker": marker, "false_claim": claim, **figure},
    )
