"""Word what the models are asked: prompts are text files, filled in one pass, documents fenced as data."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from checklists.derive.facts import Finding

Messages = tuple[Mapping[str, str], ...]
"""In OpenAI's form."""
SCHEMA_LONGEST: Final = 40_000
"""Characters of the schema that a model is shown."""
_FOLDER: Final = Path(__file__).parent / "prompts"
_NAMES: Final = ("extract", "document", "verify", "fact", "again")
_PLACEHOLDER: Final = re.compile(r"\{([a-z]+)\}")

Described = Mapping[str, tuple[str | None, Mapping[str, tuple[str, str | None]]]]
"""Table to its comment and its columns; column to its type and comment."""


class Prompts:
    """All that is asked about one scenario."""

    def __init__(self, noun: str, schema: Described) -> None:
        self._noun = noun
        self._schema = schema_text(schema)
        self._texts = {
            name: (_FOLDER / f"{name}.txt").read_text(encoding="utf-8").strip() for name in _NAMES
        }

    @property
    def hash(self) -> str:
        """sha-256 of all the texts, unfilled."""
        return hashlib.sha256(json.dumps(sorted(self._texts.items())).encode()).hexdigest()

    def extract(self, entity_id: str, title: str, text: str) -> Messages:
        """Ask for the facts in one piece of a document."""
        return self._asked("extract", entity_id, self._shown(title, text))

    def verify(self, entity_id: str, finding: Finding, text: str) -> Messages:
        """Ask whether the text states a fact, and how the database proves it."""
        fact = self._fill("fact", question=finding.fact.question, answer=finding.fact.answer)
        shown = self._shown(finding.document.title or finding.document.kind, text)
        return self._asked("verify", entity_id, f"{shown}\n\n{fact}")

    def again(self, fault: str) -> Mapping[str, str]:
        """The message that asks once more, and says what was wrong."""
        return {"role": "user", "content": self._fill("again", fault=fault)}

    def _asked(self, name: str, entity_id: str, shown: str) -> Messages:
        system = self._fill(name, noun=self._noun, entity=entity_id, schema=self._schema)
        return ({"role": "system", "content": system}, {"role": "user", "content": shown})

    def _shown(self, title: str, text: str) -> str:
        # The mark follows from all of the text, so that the text cannot hold it.
        mark = f"===== {hashlib.sha256(text.encode()).hexdigest()[:20]} ====="
        return self._fill("document", title=" ".join(title.split()), fence=mark, text=text)

    def _fill(self, name: str, **values: str) -> str:
        """One text with its values, in one pass: a value is never scanned for placeholders."""
        return _PLACEHOLDER.sub(lambda found: values[found[1]], self._texts[name])


def schema_text(schema: Described) -> str:
    """Tables and columns with their comments, a line each; cut where it is very long, and said so."""
    lines: list[str] = []
    for table, (comment, columns) in schema.items():
        lines.append(f"{table}{_comment(comment)}")
        lines += [
            f"  {table}.{name} {kind}{_comment(said)}" for name, (kind, said) in columns.items()
        ]
    text = "\n".join(lines)
    if len(text) <= SCHEMA_LONGEST:
        return text
    return f"{text[:SCHEMA_LONGEST].rpartition(chr(10))[0]}\n(and more that does not fit here)"


def key_of(model: str, messages: Sequence[Mapping[str, str]]) -> str:
    """What tells one question to one model from another."""
    said = json.dumps([model, [dict(message) for message in messages]], sort_keys=True)
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()


def _comment(text: str | None) -> str:
    # Kept to its line: a comment cannot pose as another column.
    return f": {' '.join(text.split())}" if text else ""
