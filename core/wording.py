"""Numbers with their nouns, for people."""

from __future__ import annotations


def counted(number: int, noun: str, nouns: str | None = None) -> str:
    """'1 row', '1,200 rows'; `nouns` where the plural is not the noun with an s."""
    return f"{number:,} {noun if number == 1 else nouns or plural(noun)}"


def plural(noun: str) -> str:
    """Carriers, companies, boxes."""
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith(("s", "x", "ch", "sh")) else "s")
