"""A checklist's hash names its content, and its file gives it back."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from checklists.canonical import items_hash, to_json
from core.checklist import Checklist, Expected
from tests.checklists.small import checklist, item


def test_the_hash_changes_with_any_figure_and_with_the_order() -> None:
    first, second = item(), item(id="other")
    told = {
        items_hash([first, second]),
        items_hash([second, first]),
        items_hash([first]),
        items_hash([item(expected=Expected(value=44.0, tolerance=0.5)), second]),
        items_hash([item(question="What does a sale cost?"), second]),
    }
    assert len(told) == 5


def test_a_field_at_its_default_does_not_enter_the_hash() -> None:
    assert items_hash([item()]) == items_hash([item(weight=1.0, status="accepted", options=())])


def test_the_hash_is_the_same_in_every_release() -> None:
    known = item(
        question="q", answer="a", evidence_sql="SELECT 1", expected=Expected(value=1), signals=None
    )
    assert items_hash([known]) == "422ceb24f03a9a0d763b58a604f1adec7e25e6523f7fa701e15b2932f3950419"


def test_the_file_ends_in_a_newline_and_keeps_letters_as_they_are() -> None:
    text = to_json(checklist(item(answer="Der Preis fällt um 3 °")))
    assert text.endswith("}\n")
    assert "fällt um 3 °" in text


@given(
    st.lists(
        st.tuples(
            st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), min_size=1),
            st.one_of(
                st.floats(allow_nan=False, allow_infinity=False),
                st.text(st.characters(codec="utf-8", exclude_categories=["Cs"])),
            ),
        ),
        max_size=4,
    )
)
def test_what_is_written_is_read_back_unchanged(
    facts: list[tuple[str, float | str]],
) -> None:
    items = [
        item(id=str(number), answer=answer, expected=Expected(value=value))
        for number, (answer, value) in enumerate(facts)
    ]
    whole = checklist(*items)
    again = Checklist.model_validate_json(to_json(whole))
    assert again == whole
    assert items_hash(again.items) == whole.hash
