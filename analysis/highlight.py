"""Colour SQL and Python lightly, as HTML that says exactly what the source says."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable

from markupsafe import Markup, escape

_SQL_WORDS = """
all and any as asc between by case cast count create cross date day desc describe distinct else
end except exists explain extract false filter first following from full group having ilike in
inner intersect interval is join last lateral left like limit month natural not null nulls offset
on or order outer over partition pivot preceding qualify range right row rows sample select set
show similar table then timestamp true unbounded union unnest unpivot using values when where
window with within year
"""

_NUMBER = r"(?P<n>\b\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?\b)"


def _grammar(
    comment: str, string: str, words: Iterable[str], flags: re.RegexFlag
) -> re.Pattern[str]:
    word = rf"(?P<k>\b(?:{'|'.join(words)})\b)"
    call = r"(?P<f>\b[A-Za-z_]\w*(?=\())"
    return re.compile(
        "|".join((f"(?P<c>{comment})", f"(?P<s>{string})", _NUMBER, word, call)), flags
    )


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
    """The source, escaped, with comments, strings, numbers, keywords and calls in spans.

    `language` is 'sql' or 'python'; any other is escaped alone. With the tags taken out, the
    result is the source again, letter for letter.
    """
    grammar = _GRAMMARS.get(language)
    if grammar is None:
        return escape(source)
    out, at = [], 0
    for match in grammar.finditer(source):
        out.append(escape(source[at : match.start()]))
        kind = match.lastgroup
        out.append(Markup('<span class="{}">{}</span>').format(kind, match.group()))
        at = match.end()
    return Markup().join([*out, escape(source[at:])])
