"""Tags are proposed by rules, reviewed on a sheet, and say where they come from."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from checklists.canonical import items_hash
from checklists.tagging.rules import Shape, first, read_rules, shape_of
from checklists.tagging.sheet import from_csv, to_csv
from checklists.tagging.tagging import UNTAGGED, counts, propose, tagged
from core.errors import ChecklistError, ConfigError
from tests.checklists.small import checklist, item

RULES = read_rules()


@pytest.mark.parametrize(
    ("question", "category", "capability"),
    [
        ("What drove the fall in margins?", "cause and effect", "attribution"),
        ("How did revenue change over the year?", "trend and change", "comparison over time"),
        ("How do the regions compare?", "comparison", "comparison across groups"),
        ("What is the largest risk to liquidity?", "risk and exposure", "single lookup"),
        ("What is the average fare?", "level and state", "aggregation"),
        ("Which strategy did it announce?", "strategy and outlook", "comparison across groups"),
        ("What is its colour?", "level and state", "single lookup"),
    ],
)
def test_the_words_of_a_question_decide(question: str, category: str, capability: str) -> None:
    rule, why = first(RULES.category, question, None)
    assert (rule.name, bool(why)) == (category, True)
    assert first(RULES.capability, question, None)[0].name == capability


def test_what_the_evidence_reads_decides_before_any_word() -> None:
    joined = "SELECT avg(a.x) FROM a JOIN b USING (k)"
    assert shape_of(joined) == Shape(tables=2, aggregates=1)
    for sql, capability in (
        (joined, "multi-table reasoning"),
        ("SELECT avg(x) AS value FROM a", "aggregation"),
        ("SELECT x FROM a", "single lookup"),
        ("WITH c AS (SELECT x FROM a) SELECT x FROM c", "single lookup"),
    ):
        assert first(RULES.capability, "How did it change?", shape_of(sql))[0].name == capability


def test_evidence_that_is_no_sql_leaves_the_words() -> None:
    assert shape_of("SELECT FROM WHERE (") is None


def test_a_word_is_found_whole_and_a_star_stands_for_its_endings() -> None:
    assert first(RULES.category, "What was driven by fuel?", None)[1] == "word: driven"
    assert first(RULES.category, "What is a thrift?", None)[0].name == "level and state"


def test_what_an_author_gave_stays_and_what_is_missing_is_added() -> None:
    (tag,) = propose([item()], RULES)
    assert (tag.category, tag.difficulty) == ("prices", "easy")
    assert tag.capability == "aggregation"
    (kept,) = propose([item(capability="my own")], RULES)
    assert kept.capability == "my own"


def test_an_untagged_item_gets_everything_and_the_copy_says_from_whom() -> None:
    bare = item(
        category=UNTAGGED, question="Why are prices high?", evidence_sql=None, difficulty=None
    )
    mine = checklist(bare)
    copy = tagged(mine, propose(mine.items, RULES), by=RULES.name, new_id="shops-tagged")
    (found,) = copy.items
    assert (found.category, found.capability) == ("cause and effect", "attribution")
    assert (found.difficulty, found.tagged_by) == ("hard", f"rules:{RULES.hash}")
    assert (copy.id, copy.hash) == ("shops-tagged", items_hash(copy.items))
    assert mine.items == (bare,)


def test_what_rules_said_may_be_said_anew_but_not_what_a_person_said() -> None:
    said = {"category": "old", "capability": "old", "question": "Why?"}
    assert propose([item(**said, tagged_by="rules:000")], RULES)[0].category == "cause and effect"
    assert propose([item(**said, tagged_by="person:Ada")], RULES)[0].category == "old"


def test_counts_hold_every_item_in_each_facet() -> None:
    items = [item(id="a"), item(id="b", capability="x"), item(id="c", category="y")]
    found = counts(items)
    assert found["category"] == {"prices": 2, "y": 1}
    assert found["capability"] == {UNTAGGED: 2, "x": 1}
    assert all(sum(facet.values()) == 3 for facet in found.values())


def test_a_sheet_comes_back_as_it_went_out_and_holds_no_formula(tmp_path: Path) -> None:
    items = [item(question='=HYPERLINK("http://x")', category="-odd")]
    tags = propose(items, RULES)
    sheet = tmp_path / "tags.csv"
    sheet.write_text(to_csv(items, tags), encoding="utf-8")
    (row,) = csv.DictReader(sheet.open(encoding="utf-8"))
    assert row["question"].startswith("'=")
    (back,) = from_csv(sheet, items)
    assert (back.category, back.capability) == ("-odd", tags[0].capability)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("item_id,category\n", "line 1: the column 'capability' is missing"),
        ("{head}{id},a,b,easy\n{id},a,b,easy\n", "line 3: item 'shops-north-mean-price' stands"),
        ("{head}nobody,a,b,easy\n", "line 2: unknown item 'nobody'"),
        ("{head}{id},,b,easy\n", "line 2: column 'category' is empty"),
        ("{head}{id},a,b,esy\n", "line 2: unknown difficulty 'esy' (did you mean 'easy'?)"),
    ],
)
def test_a_broken_sheet_names_its_line(tmp_path: Path, text: str, fault: str) -> None:
    sheet = tmp_path / "tags.csv"
    head = "item_id,category,capability,difficulty\n"
    sheet.write_text(text.format(head=head, id=item().id), encoding="utf-8")
    with pytest.raises(ChecklistError) as failed:
        from_csv(sheet, [item()])
    assert fault in str(failed.value)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("version = ", "Invalid value"),
        ('version = "1"\n', "key 'category'"),
        (
            'version="1"\n[[category]]\nname="a"\nwords=["b"]\n[[capability]]\nname="c"\nwords=["*"]',
            "the last rule must have the word '*'",
        ),
        (
            'version="1"\n[[category]]\nname="a"\n[[category]]\nname="b"\nwords=["*"]\n'
            '[[capability]]\nname="c"\nwords=["*"]',
            "the rule 'a' has no words",
        ),
        (
            'version="1"\n[[category]]\nname="a"\nwrods=["*"]\n[[capability]]\nname="c"\nwords=["*"]',
            "key 'category.0.wrods'",
        ),
    ],
)
def test_broken_rules_name_their_key(tmp_path: Path, text: str, fault: str) -> None:
    path = tmp_path / "rules.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=r"rules\.toml") as failed:
        read_rules(path)
    assert fault in str(failed.value)
