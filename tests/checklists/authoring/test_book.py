"""A book of templates is plain text that a newcomer can add to, and that tells its own mistakes."""

from __future__ import annotations

from pathlib import Path

import pytest

from checklists.authoring.book import read_book
from checklists.authoring.flights import BRIEF
from checklists.authoring.template import Figure, Template
from checklists.validate import CATEGORIES
from core.errors import ChecklistError
from tests.checklists.authoring.bazaar import MONTH, WARE

WORDS = """
[disorders]
outcome = "outcome: trades(price)"

[relations]
"with wares" = "trades JOIN wares USING (ware)"

[aliases]
price = ["@trades.price", "cost"]
"""
FACT = """
category = "prices"

[[facts]]
name = "mean-price"
theme = "price"
difficulty = "easy"
mean = "trades.price"
disorder = "outcome"
question = "What does a trade of {entity} cost?"
answer = "A trade of {entity} costs {value}."
metric = ["<price>"]
"""


def book(folder: Path, *pages: str, words: str = WORDS) -> tuple[Template, ...]:
    for number, page in enumerate(pages):
        (folder / f"{number}-page.toml").write_text(page, encoding="utf-8")
    (folder / "words.toml").write_text(words, encoding="utf-8")
    return read_book(folder, {"ware": WARE, "month": MONTH})


def test_a_few_lines_make_a_template(tmp_path: Path) -> None:
    (one,) = book(tmp_path, FACT)
    assert (one.name, one.category, one.difficulty) == ("mean-price", "prices", "easy")
    assert one.figure == Figure(
        "avg(trades.price)", support="count(trades.price)", statistic="mean"
    )
    assert one.metric == ("@trades.price", "cost")
    assert one.disorder == "outcome: trades(price)"
    assert (one.plain, one.where, one.per) == (False, "true", None)


@pytest.mark.parametrize(
    ("line", "figure"),
    [
        ('median = "x"', Figure("median(x)", "count(x)", statistic="median", digits=0)),
        ('share = "1 / 2"', Figure("1 / 2", kind="share", statistic="share", unit="%")),
        (
            'share_of = "x > 3"\nsupport = "count(x)"\ndigits = 2',
            Figure("100 * avg((x > 3)::INT)", "count(x)", "share", "share", "%", digits=2),
        ),
        (
            'distinct = "x"\nexact = true',
            Figure("count(DISTINCT x)", kind="count", statistic="distinct", digits=0, exact=True),
        ),
        (
            'difference = "max(x) - min(x)"\nunit = "min"\ncomparator = "time"',
            Figure("max(x) - min(x)", kind="change", unit="min", comparator="time", signed=True),
        ),
        (
            'value = "corr(x, y)"\nkind = "correlation"\nlog = true',
            Figure("corr(x, y)", kind="correlation", log=True),
        ),
        ("value = '''\ncount(*)\n  / 2'''", Figure("count(*) / 2")),
    ],
)
def test_each_short_form_says_what_is_computed(tmp_path: Path, line: str, figure: Figure) -> None:
    (one,) = book(tmp_path, FACT.replace('mean = "trades.price"', line))
    assert one.figure == figure


def test_shared_words_are_filled_in_and_none_stands_twice(tmp_path: Path) -> None:
    page = FACT.replace('["<price>"]', '["dear", "<price>", "cost"]').replace(
        'theme = "price"', 'theme = "price"\nrelation = "<with wares>"\nscope = [["<price>", "x"]]'
    )
    (one,) = book(tmp_path, page)
    assert one.metric == ("dear", "@trades.price", "cost")
    assert one.scope == (("@trades.price", "cost", "x"),)
    assert one.relation == "trades JOIN wares USING (ware)"


def test_a_page_names_its_category_and_need_once_for_all_its_facts(tmp_path: Path) -> None:
    second = FACT[FACT.index("[[facts]]") :].replace("mean-price", "other")
    page = FACT.replace('"prices"', '"prices"\nneeds = "large"') + second
    assert [(t.name, t.category, t.needs) for t in book(tmp_path, page)] == [
        ("mean-price", "prices", "large"),
        ("other", "prices", "large"),
    ]


def test_pages_are_read_in_the_order_of_their_names(tmp_path: Path) -> None:
    found = book(tmp_path, FACT, FACT.replace("mean-price", "a").replace('"prices"', '"wares"'))
    assert [(t.name, t.category) for t in found] == [("mean-price", "prices"), ("a", "wares")]


def test_a_group_is_one_that_the_scenario_knows(tmp_path: Path) -> None:
    (one,) = book(tmp_path, FACT.replace("disorder", 'per = "month"\npick = "min"\ndisorder', 1))
    assert one.per is MONTH and one.pick == "min"


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('theme = "price"', "", "fact 'mean-price', key 'theme': Field required"),
        ('name = "mean-price"', "", "fact 1, key 'name': Field required"),
        ('theme = "price"', 'thema = "price"', "fact 'mean-price', key 'thema': Extra"),
        ('"easy"', '"dull"', "fact 'mean-price', key 'difficulty'"),
        ('mean = "trades.price"', "", "needs one of mean, median, .*, has none"),
        ('mean = "trades.price"', 'mean = "x"\nmedian = "x"', "has mean, median"),
        ('"<price>"', '"<cost>"', "key 'alias': unknown 'cost'; known: price"),
        ('"outcome"', '"time"', "key 'disorder': unknown 'time'; known: outcome"),
        ('theme = "price"', 'theme = "x"\nper = "year"', "key 'per': unknown 'year'; known: month, ware"),
        ('theme = "price"', 'theme = "x"\nrelation = "<all>"', "key 'relation': unknown 'all'"),
        ('category = "prices"', "", "key 'category': Field required"),
        ('category = "prices"', "category =", "0-page.toml: .*line 2"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_by_file_fact_and_key(
    tmp_path: Path, old: str, new: str, told: str
) -> None:
    with pytest.raises(ChecklistError, match=told) as raised:
        book(tmp_path, FACT.replace(old, new, 1))
    assert str(raised.value).startswith("0-page.toml: ")


def test_a_name_that_stands_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ChecklistError, match="the fact 'mean-price' stands twice"):
        book(tmp_path, FACT, FACT)


def test_a_book_without_its_shared_words_says_so(tmp_path: Path) -> None:
    (tmp_path / "1.toml").write_text(FACT, encoding="utf-8")
    with pytest.raises(ChecklistError, match=r"words\.toml cannot be read: No such file"):
        read_book(tmp_path, {})


def test_a_wrong_key_in_the_shared_words_is_named(tmp_path: Path) -> None:
    with pytest.raises(ChecklistError, match=r"words\.toml: key 'alias'"):
        book(tmp_path, FACT, words=WORDS.replace("[aliases]", "[alias]"))


def test_the_book_of_flights_has_the_categories_in_reading_order() -> None:
    found = dict.fromkeys(template.category for template in BRIEF.templates)
    assert tuple(found) == CATEGORIES


def test_a_book_beside_another_has_its_words_and_its_own_before_them(tmp_path: Path) -> None:
    (tmp_path / "first").mkdir()
    (tmp_path / "second").mkdir()
    (tmp_path / "first" / "words.toml").write_text(WORDS, encoding="utf-8")
    own = '[aliases]\n[disorders]\noutcome = "outcome: trades(ware)"\n[relations]\n'
    (tmp_path / "second" / "words.toml").write_text(own, encoding="utf-8")
    (tmp_path / "second" / "1.toml").write_text(FACT, encoding="utf-8")
    (one,) = read_book(tmp_path / "second", {}, beside=tmp_path / "first")
    assert one.disorder == "outcome: trades(ware)"
    assert one.metric == ("@trades.price", "cost")


def test_a_shared_name_that_no_book_can_have_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ChecklistError, match='alias "<carrier\'s share>": a shared name has'):
        book(tmp_path, FACT.replace("<price>", "<carrier's share>"))
