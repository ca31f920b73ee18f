"""Games in short: who against whom, how often, and what judges said of a pair."""

from __future__ import annotations

from core.ranking import Comparison, Side, Winner
from evaluator.rating.results import Result


def won(winner: str, loser: str, times: int = 1, *, first_entity: int = 0) -> list[Result]:
    """Each on an entity of its own."""
    return [Result(f"e{first_entity + n}", winner, loser, "left") for n in range(times)]


def tied(one: str, other: str, times: int = 1, *, first_entity: int = 0) -> list[Result]:
    return [Result(f"e{first_entity + n}", one, other, "tie") for n in range(times)]


def compared(
    left: str,
    right: str,
    winner: Winner | None,
    first: Side,
    *,
    entity: str = "e0",
    judge: str = "j",
    lengths: tuple[int, int] = (100, 100),
    numbers: tuple[int, int] = (3, 3),
    unscored_reason: str | None = None,
) -> Comparison:
    """One comparison as it is stored."""
    return Comparison(
        ranking_id="k",
        entity_id=entity,
        left=left,
        right=right,
        shown_first=first,
        winner=winner,
        left_insights=numbers[0],
        right_insights=numbers[1],
        left_characters=lengths[0],
        right_characters=lengths[1],
        unscored_reason=unscored_reason,
        judge=judge,
    )


def forfeit(winner: str, loser: str, entity: str = "e0") -> Comparison:
    """Lost with nothing to show."""
    return compared(winner, loser, "left", "left", entity=entity, numbers=(3, 0)).model_copy(
        update={"is_forfeit": True, "judge": None, "right_characters": 0}
    )
