"""Give a checklist its identity: a hash over its items in canonical JSON."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from core.checklist import Checklist, ChecklistItem


def items_hash(items: Sequence[ChecklistItem]) -> str:
    """sha-256 of the items; the order counts, the file's layout does not.

    Fields at their default are left out, so that a field which the record gains later does not
    change the hash of a checklist written before.
    """
    plain = [item.model_dump(mode="json", exclude_defaults=True) for item in items]
    text = json.dumps(
        plain, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )
    return hashlib.sha256(text.encode()).hexdigest()


def to_json(checklist: Checklist) -> str:
    """The text of a checklist's file: one key a line, in the records' order, ends in a newline."""
    plain: dict[str, Any] = checklist.model_dump(mode="json", exclude_defaults=True)
    return json.dumps(plain, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
