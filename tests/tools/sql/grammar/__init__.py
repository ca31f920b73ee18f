"""Grammars of SQL for property tests: statements that read, and statements that write or reach away."""

from __future__ import annotations

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st


def examples(in_ci: int) -> settings:
    """So many examples in CI; a hundred on a laptop, and what the profile says in the fast half."""
    most = {"ci": in_ci, "laptop": 100}
    name = settings.get_current_profile_name()
    return settings(
        max_examples=most.get(name, settings().max_examples),
        deadline=None,
        suppress_health_check=list(HealthCheck),
        print_blob=False,
    )


def one(*texts: str) -> st.SearchStrategy[str]:
    """One of these."""
    return st.sampled_from(texts)


def fill(template: str, *parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """The template with its `{}` filled."""
    return st.builds(template.format, *parts)


def some(part: st.SearchStrategy[str], most: int = 3) -> st.SearchStrategy[str]:
    """One to `most` of them, with commas."""
    return st.lists(part, min_size=1, max_size=most).map(", ".join)


def maybe(part: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """It, or nothing."""
    return st.one_of(st.just(""), part)


BEFORE = one(
    "", "", " ", "\n\t", "-- drop table visits\n", "/* DELETE FROM visits; */ ", "/* a /* b */ c */"
)
AFTER = one(
    "",
    "",
    ";",
    " ; ",
    "\n;\n",
    " -- limit",
    "; -- update visits",
    " /* insert */",
    ";;",
    " /* ; */;",
)
