"""Items are found by their headings, notes by their blocks, and a table of contents is neither."""

from __future__ import annotations

from lxml import etree

from databases.filings.plain import lines
from databases.filings.sections import items
from tests.databases.filings.reports import read, said

LONG = "Wombats dig, and we sell what they dig with. " * 10
CONTENTS = (
    "<table><tr><td>Item 1.</td><td>Business</td><td>3</td></tr>"
    "<tr><td>Item 1A.</td><td>Risk Factors</td><td>9</td></tr>"
    "<tr><td>Item 7.</td><td>Management\u2019s Discussion and Analysis</td><td>20</td></tr>"
    "<tr><td>Item 7A.</td><td>Quantitative and Qualitative Disclosures</td><td>30</td></tr>"
    "<tr><td>Item 8.</td><td>Financial Statements</td><td>33</td></tr></table>"
)
BODY = (
    f"<div>Item 1. Business</div><p>{LONG}</p><div>Item 1A.\u00a0\u00a0Risk Factors</div><p>Rain. {LONG}</p>"
    f"<div>ITEM 2. PROPERTIES</div><p>A burrow. {LONG}</p>"
    f"<div>Item 7.</div><div>Management's Discussion and Analysis</div><p>See Item 8. Sales rose. {LONG}</p>"
    f"<div>ITEM 7A \u2014 QUANTITATIVE AND QUALITATIVE DISCLOSURES</div><p>Rates. {LONG}</p>"
    f"<div>Item 8. Financial Statements and Supplementary Data</div><p>Figures. {LONG}</p>"
)


def parsed(markup: str) -> etree._Element:
    return etree.fromstring(f'<body xmlns="http://www.w3.org/1999/xhtml">{markup}</body>')


def found(markup: str) -> dict[str, str]:
    return {part.kind: part.text for part in items(lines([parsed(markup)]))}


def test_each_item_runs_from_its_heading_to_the_next() -> None:
    parts = found(CONTENTS + BODY)
    assert list(parts) == ["item-1", "item-1a", "item-7", "item-7a"]
    assert "Rain." in parts["item-1a"]
    assert "burrow" not in parts["item-1a"]
    assert "Sales rose" in parts["item-7"]
    assert "Rates." in parts["item-7a"]
    assert "Figures" not in parts["item-7a"]


def test_a_table_of_contents_alone_gives_no_item() -> None:
    assert found(CONTENTS) == {}


def test_a_table_of_contents_behind_the_items_changes_nothing() -> None:
    assert found(BODY + CONTENTS) == found(CONTENTS + BODY)


def test_a_sentence_that_names_an_item_is_no_heading() -> None:
    with_reference = BODY.replace("Rain.", "</p><p>Item 7 of this report says more.</p><p>Rain.")
    parts = found(with_reference)
    assert "Rain." in parts["item-1a"]
    assert "Item 7 of this report says more." in parts["item-1a"]


def test_a_heading_that_is_said_again_on_the_next_page_ends_nothing() -> None:
    paged = BODY.replace("Rain.", "Rain.</p><div>12</div><div>Item 1A. Risk Factors</div><p>Hail.")
    text = found(paged)["item-1a"]
    assert "Rain." in text
    assert "Hail." in text
    assert "\n12\n" not in text


def test_a_report_without_headings_has_no_items() -> None:
    assert found(f"<p>{LONG}</p>") == {}


def test_a_tables_row_is_a_line_and_what_is_hidden_is_not_there() -> None:
    markup = (
        "<p>Sales<!-- not said -->, net</p><table><tr><td><div>2024</div></td><td>$</td><td><p>5</p></td></tr>"
        "<tr><td>2023</td><td>$</td><td>4</td></tr></table>"
        '<div style="color:red; display : none">secret</div>after<br/>all'
    )
    assert lines([parsed(markup)]) == ["Sales, net", "2024 $ 5", "2023 $ 4", "after", "all"]


def test_a_note_is_its_whole_block_with_what_continues_it() -> None:
    table = said(
        "<table><tr><td>Due 2031</td><td>7</td></tr></table>", "us-gaap:DebtTableTextBlock"
    )
    note = said(
        f"<div>Note 3 \u2014 Debt</div><p>We owe little.</p>{table}",
        "us-gaap:DebtDisclosureTextBlock", continuedAt="c1",
    )  # fmt: skip
    rest = "<div>page 40</div><ix:continuation id='c1'><p>And pay it back.</p></ix:continuation>"
    source = read(note, rest, said("<p>Guards.</p>", "cyd:SecurityTextBlock"))
    ((_, texts),) = source.texts.items()
    (only,) = texts
    assert (only.kind, only.title) == ("notes", "Note 3 \u2014 Debt")
    assert only.text.splitlines() == [
        "Note 3 \u2014 Debt",
        "We owe little.",
        "Due 2031 7",
        "And pay it back.",
    ]


def test_a_tables_block_around_a_piece_of_its_note_is_no_note_of_its_own() -> None:
    note = said("<div>Inventory</div>", "us-gaap:InventoryDisclosureTextBlock", continuedAt="c1")
    piece = "<ix:continuation id='c1'><p>Spades 7</p></ix:continuation>"
    source = read(note, said(piece, "us-gaap:ScheduleOfInventoryTableTextBlock"))
    ((_, texts),) = source.texts.items()
    assert [part.text for part in texts] == ["Inventory\nSpades 7"]
