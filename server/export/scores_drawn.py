"""The figure of a run's scores: the agent's and the baselines', with their intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from analysis.drawing import INK, SOFT, Form, look, saved, sheet
from core.evaluation import LEVELS, Score
from core.naming import without_folders

_TITLES: Final = {"message": "message-wise", "trajectory": "trajectory-wise"}


def draw_scores(scores: Sequence[Score], form: Form) -> bytes:
    """Strict accuracy over items per competitor and level; bars are 95 % intervals by entity."""
    shown = [score for score in scores if score.averaging == "item"]
    names = list(dict.fromkeys(score.competitor for score in shown))
    with sheet(2, height=1.4 + 0.4 * len(names), sharey=True) as (drawn, axes):
        for place, level in enumerate(LEVELS):
            part = axes[place]
            for score in shown:
                if score.level != level or score.strict is None:
                    continue
                row, own = names.index(score.competitor), score.competitor == names[0]
                colour = look(0).colour if own else SOFT
                if score.low is not None and score.high is not None:
                    part.plot(
                        [score.low, score.high], [row, row], color=colour, solid_capstyle="butt"
                    )
                part.plot(
                    [score.strict],
                    [row],
                    "o" if own else "D",
                    color=colour,
                    markersize=6,
                    clip_on=False,
                )
                part.annotate(
                    f"{score.strict:.3f}",
                    (max(score.strict, score.high or 0), row),
                    xytext=(6, 0),
                    textcoords="offset points",
                    va="center",
                    fontsize=9,
                    color=INK,
                )
            some = next((score for score in shown if score.level == level), None)
            of = f" of {some.items} items" if some else ""
            part.set_title(_TITLES[level])
            part.set_xlabel(f"share{of} supported (strict)")
            part.set_xlim(left=0)
            part.margins(x=0.18)
            part.set_yticks(range(len(names)), [without_folders(name) for name in names])
            part.set_ylim(len(names) - 0.5, -0.5)
            part.grid(visible=False, axis="y")
        return saved(drawn, form)
