"""Colour SQL and Python lightly, as HTML that says exactly what the source says."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable

from markupsafe import Markup

_SQL_WORDS = """
all and any as asc between by case cast count create cross date day desc describe distinct else
end except exists explain extract false filter first following from full group having ilike in
inner intersect interval is join last lateral left like limit month natural not null nulls offset
on or order outer over partition pivot preceding qualify range right row rows sample select set
show similar table then timestamp true unbounded union unnest unpivot using values when where
window with within year
"""

_TAGS = {"k": "b", "s": "i", "n": "u", "c": "em"}
"""Keyword, string, number, comment. Names of one letter: a report holds a thousand queries."""

_NUMBER = r"(?P<n>\b\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?\b)"


def _grammar(
    comment: str, string: str, words: Iterable[str], flags: re.RegexFlag
) -> re.Pattern[str]:
    word = rf"\b(?:{'|'.join(words)})\b"
    # Keywords in a row share one element: IS NOT NULL.
    run = rf"(?P<k>{word}(?:\s+{word})*)"
    return re.compile("|".join((f"(?P<c>{comment})", f"(?P<s>{string})", _NUMBER, run)), flags)


_GRAMMARS = {
    # A literal that is never closed runs to the end, as the engine reads it.
    "sql": _grammar(
        r"--[^\n]*|/\*.*?(?:\*/|\Z)",
        r"'(?:[^']|'')*(?:'|\Z)",
        _SQL_WORDS.split(),
        re.IGNORECASE | re.DOTALL,
    ),
    "python": _grammar(
        r"\#[^\n]*",
        r"(?:\b[rbfRBF]{1,2})?(?:\"\"\".*?(?:\"\"\"|\Z)|'''.*?(?:'''|\Z)"
        r"|\"(?:\\.|[^\"\\\n])*\"?|'(?:\\.|[^'\\\n])*'?)",
        keyword.kwlist,
        re.DOTALL,
    ),
}


def highlight(source: str, language: str) -> Markup:
    """The source with keywords, strings, numbers and comments in <b>, <i>, <u> and <em>.

    `language` is 'sql' or 'python'; any other is escaped alone. With the tags taken out, the
    result is the source again, letter for letter. It is made for an element's content, not for
    an attribute: quotation marks stay as they are.
    """
    grammar = _GRAMMARS.get(language)
    if grammar is None:
        return Markup(_escaped(source))  # noqa: S704 - escaped here
    out, at = [], 0
    for match in grammar.finditer(source):
        tag = _TAGS[match.lastgroup or ""]
        out.append(
            f"{_escaped(source[at : match.start()])}<{tag}>{_escaped(match.group())}</{tag}>"
        )
        at = match.end()
    return Markup("".join([*out, _escaped(source[at:])]))  # noqa: S704 - escaped piece by piece


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
