"""A published checklist is read whole, or refused with the key of its first fault."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from checklists.canonical import items_hash
from checklists.importers import ddr_bench
from checklists.importers.ddr_bench import Imported, import_checklist
from checklists.tagging.tagging import UNTAGGED
from core.errors import ChecklistError, UsageError
from core.scenario import License
from tests.support.needs import needs

TERMS = License(name="theirs")


def pair(question: str = "What is its trend?", answer: Any = "Up.", **more: Any) -> dict[str, Any]:
    return {"question": question, "answer": answer, "source_text": "", **more}


def file(tmp_path: Path, results: Any, **more: Any) -> Path:
    path = tmp_path / "qa.json"
    path.write_text(json.dumps({"metadata": {}, "results": results, **more}), encoding="utf-8")
    return path


def entry(entity: Any = "01", *pairs: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"entity_id": entity, "qa_pairs": list(pairs or (pair(),)), **more}


def read(path: Path, known: set[str] | None = None, name: str | None = None) -> Imported:
    return import_checklist(
        path, scenario_id="shops", entity_ids=known, license=TERMS, checklist_id=name
    )


def official(name: str) -> Path:
    return Path(os.environ["DDR_TEST_DATA"]) / "ddr-bench" / name / "qa.json"


def test_a_pair_becomes_an_open_item_that_keeps_its_words(tmp_path: Path) -> None:
    found = read(file(tmp_path, [entry("01", pair(source_text="Item 7"), pair("Why?"))]))
    first, second = found.checklist.items
    assert (first.id, second.id) == ("ddr-bench-shops-01-1", "ddr-bench-shops-01-2")
    assert (first.question, first.answer) == ("What is its trend?", "Up.")
    assert (first.kind, first.options, first.category) == ("open", (), UNTAGGED)
    assert (first.source, second.source) == ("ddr-bench: Item 7", "ddr-bench")
    assert (first.signals, first.evidence_sql, first.has_path) == (None, None, False)
    assert first.difficulty is None
    assert found.checklist.hash == items_hash(found.checklist.items)
    assert found.checklist.license == TERMS


@pytest.mark.parametrize(
    ("answer", "options"),
    [
        ("It worsened.", ("It improved.", "It worsened.", "It remained almost the same.")),
        ("improved", ("improved", "worsened", "remained almost the same")),
        ("It has improved since the start of the year.", ()),
    ],
)
def test_one_of_the_three_changes_is_a_closed_item(
    tmp_path: Path, answer: str, options: tuple[str, ...]
) -> None:
    path = file(tmp_path, [entry("01", pair(answer=answer, source_text="BRS: Pre=1, Post=2"))])
    (item,) = read(path).checklist.items
    assert (item.kind, item.options) == ("closed" if options else "open", options)
    assert item.category == ("BRS" if options else UNTAGGED)
    assert not options or item.answer in item.options


def test_entities_that_the_scenario_lacks_are_kept_and_told(tmp_path: Path) -> None:
    path = file(tmp_path, [entry("01"), entry(12927), entry("99")])
    found = read(path, {"01", "0000012927"})
    assert [item.entity_id for item in found.checklist.items] == ["01", "0000012927", "99"]
    assert found.absent == ("99",)
    assert read(path).absent == ()


def test_zeros_in_front_tell_no_two_known_entities_apart(tmp_path: Path) -> None:
    found = read(file(tmp_path, [entry("7")]), {"07", "007"})
    assert found.absent == ("7",)


@pytest.mark.parametrize(
    ("results", "fault"),
    [
        ({}, "key 'results': a list belongs here, not an object"),
        ([], "key 'results': it holds no items"),
        (["x"], "key 'results.0': an object belongs here, not a text"),
        ([{"qa_pairs": []}], "key 'results.0.entity_id': is missing"),
        ([{"entity_id": True, "qa_pairs": []}], "entity_id': a text belongs here, not true or"),
        ([{"entity_id": " ", "qa_pairs": []}], "key 'results.0.entity_id': is empty"),
        ([{"entity_id": "1"}], "key 'results.0.qa_pairs': is missing"),
        ([{"entity_id": "1", "qa_pairs": {}}], "qa_pairs': a list belongs here, not an object"),
        ([entry("1", {"answer": "x"})], "key 'results.0.qa_pairs.0.question': is missing"),
        ([entry("1", pair(answer=""))], "key 'results.0.qa_pairs.0.answer': is empty"),
        ([entry("1", pair(answer=3))], "answer': a text belongs here, not a number"),
        ([entry("1", pair(answer=["x"]))], "answer': a text belongs here, not a list"),
        ([entry("1"), entry("1")], "results.1.entity_id': '1' stands in results.0 too"),
        ([entry("1"), entry(1)], "results.1.entity_id': '1' stands in results.0 too"),
        (
            [entry("1", pair("A b?"), pair("a  B?", "No"))],
            "key 'results.0.qa_pairs.1.question': the same as in results.0.qa_pairs.0",
        ),
        ([entry("1", pair(fiscal_year="soon"))], "results.0.qa_pairs.0': 'fiscal_year' holds no"),
        ([entry("1", pair(answer="x" * 20_001))], "longer than 20000 characters"),
    ],
)
def test_what_is_malformed_is_refused_with_its_key(
    tmp_path: Path, results: Any, fault: str
) -> None:
    with pytest.raises(ChecklistError, match=r"^qa\.json: ") as failed:
        read(file(tmp_path, results))
    assert fault in str(failed.value)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('{"results": [', "not JSON at line 1"),
        ('{"results": [], "results": []}', "the key 'results' stands twice"),
        ("[]", "an object belongs here, not a list"),
        ('{"metadata": {}}', "key 'results': is missing"),
        ('{"results": [NaN]}', "NaN is not a number"),
        ("[" * 200_000, "nested too deeply"),
    ],
)
def test_a_file_of_another_form_is_refused(tmp_path: Path, text: str, fault: str) -> None:
    path = tmp_path / "qa.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ChecklistError) as failed:
        read(path)
    assert fault in str(failed.value)


def test_bytes_that_are_no_utf_8_are_told_with_their_place(tmp_path: Path) -> None:
    path = tmp_path / "qa.json"
    path.write_bytes(b'{"results": "caf\xe9"}')
    with pytest.raises(ChecklistError, match=r"qa\.json: line 1: not UTF-8 \(byte 0xe9\)"):
        read(path)


def test_more_items_than_a_file_may_hold_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ddr_bench, "MOST", 2)
    with pytest.raises(ChecklistError, match=r"results\.2.*more than 2 items"):
        read(file(tmp_path, [entry(str(number)) for number in range(3)]))


@pytest.mark.parametrize("name", ["../x", "", "A", "a/b", ".x", "x" * 65])
def test_an_id_that_is_no_name_is_refused(tmp_path: Path, name: str) -> None:
    path = file(tmp_path, [entry()])
    if name:
        with pytest.raises(UsageError, match="a checklist's id"):
            read(path, name=name)
    else:
        assert read(path, name=name).checklist.id == "ddr-bench-shops"


@needs("test data")
def test_the_official_list_of_filings_comes_in_whole() -> None:
    found = read(official("10k"))
    items = found.checklist.items
    assert (len(items), len({item.entity_id for item in items})) == (849, 100)
    assert {item.kind for item in items} == {"open"}
    assert len({item.id for item in items}) == 849


@needs("test data")
def test_the_official_list_of_wearables_comes_in_closed() -> None:
    found = read(official("globem"))
    items = found.checklist.items
    assert (len(items), len({item.entity_id for item in items})) == (435, 91)
    assert {item.kind for item in items} == {"closed"}
    assert len({item.options for item in items}) == 1
    assert len({item.category for item in items}) == 14
    assert sorted(Counter(item.answer for item in items).values()) == [88, 173, 174]
