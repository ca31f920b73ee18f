"""What an agent had beside our tools is said in words, and so is what nobody declared."""

from __future__ import annotations

import pytest

from core.agent_class import class_of
from core.outside import Outside


def test_an_agent_of_ours_is_of_a_class_of_its_own() -> None:
    assert class_of(None) == "built-in"


@pytest.mark.parametrize(
    ("shell", "web", "words"),
    [
        (False, False, "outside"),
        (True, False, "outside with shell"),
        (False, True, "outside with web"),
        (True, True, "outside with shell and web"),
        (None, None, "undeclared"),
        (True, None, "outside with shell, web undeclared"),
        (None, True, "outside with web, shell undeclared"),
        (False, None, "outside, web undeclared"),
        (None, False, "outside, shell undeclared"),
    ],
)
def test_each_declaration_is_another_class(
    shell: bool | None, web: bool | None, words: str
) -> None:
    assert class_of(Outside(has_shell=shell, has_web=web)) == words


def test_no_two_declarations_are_of_one_class() -> None:
    said = [
        Outside(has_shell=s, has_web=w) for s in (True, False, None) for w in (True, False, None)
    ]
    assert len({class_of(each) for each in said}) == len(said)


def test_what_has_to_do_with_speed_alone_makes_no_class() -> None:
    assert class_of(Outside(queue=True, idle_s=5, has_shell=False, has_web=False)) == "outside"
