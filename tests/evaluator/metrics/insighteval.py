"""Figures printed in InsightEval (arXiv 2511.22884), as data."""

from __future__ import annotations

from typing import Final

TABLE_5: Final = {
    "LLM-only, GPT-4o": ((0.2304, 0.2445, 0.2372, 0.2423), (0.3389, 0.3506, 0.3447, 0.3282)),
    "LLM-only, DeepSeek-V3": ((0.2183, 0.2295, 0.2238, 0.2405), (0.3402, 0.3554, 0.3476, 0.3332)),
    "LLM-only, Claude-3.7-Sonnet": (
        (0.2219, 0.2364, 0.2289, 0.2439),
        (0.3265, 0.3492, 0.3375, 0.3250),
    ),
    "ReAct": ((0.2506, 0.2573, 0.2539, 0.2654), (0.3977, 0.4069, 0.4022, 0.3913)),
    "CodeGen": ((0.2488, 0.2579, 0.2533, 0.2598), (0.4289, 0.4412, 0.4350, 0.3991)),
    "DeepResearchAgent": ((0.2993, 0.3079, 0.3035, 0.3363), (0.5017, 0.5198, 0.5106, 0.4279)),
    "Pandas Agent": ((0.3024, 0.3112, 0.3067, 0.3289), (0.4973, 0.5133, 0.5052, 0.4021)),
    "Agent Poirot, GPT-4o": ((0.2907, 0.2945, 0.2926, 0.3496), (0.5293, 0.5487, 0.5388, 0.4334)),
    "Agent Poirot, DeepSeek-V3": (
        (0.2590, 0.2658, 0.2624, 0.3165),
        (0.4984, 0.5453, 0.5208, 0.4772),
    ),
    "Agent Poirot, Claude-3.7-Sonnet": (
        (0.2623, 0.2673, 0.2648, 0.3178),
        (0.5519, 0.6261, 0.5867, 0.4746),
    ),
}
"""Ten agents: (recall, precision, F1, summary) by ROUGE-1, then by G-Eval."""

TABLE_8: Final = {
    "Incident Management": ((0.245, 0.253, 0.249), (0.513, 0.601, 0.550)),
    "Finance Management": ((0.261, 0.270, 0.265), (0.572, 0.654, 0.608)),
    "Goal Management": ((0.284, 0.293, 0.288), (0.601, 0.653, 0.624)),
    "User Management": ((0.283, 0.291, 0.287), (0.589, 0.645, 0.614)),
    "Asset Management": ((0.288, 0.294, 0.291), (0.627, 0.695, 0.657)),
    "Strategic & Goal Management": ((0.251, 0.256, 0.253), (0.446, 0.553, 0.492)),
    "Asset & User Management": ((0.252, 0.258, 0.255), (0.485, 0.727, 0.582)),
    "Finance & User Management": ((0.287, 0.290, 0.288), (0.616, 0.673, 0.643)),
}
"""One agent by category: (recall, precision, F1) by ROUGE-1, then by G-Eval."""

TABLE_8_AVERAGE: Final = ((0.269, 0.276, 0.272), (0.556, 0.650, 0.596))
"""Its last row: the mean over categories, however many sets each has."""
