"""Author a scenario's checklist: `python -m checklists.authoring flights --database F --out J`."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from checklists.authoring.author import Authored, author
from checklists.authoring.books import BRIEFS, brief_of
from checklists.canonical import to_json
from core.errors import ChecklistError, DdrError


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the checklist and print what it holds. Returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m checklists.authoring", description=__doc__)
    parser.add_argument("scenario", help=", ".join(BRIEFS))
    parser.add_argument("--database", type=Path, required=True, help="the built .duckdb file")
    parser.add_argument("--out", type=Path, required=True, help="the .json file to write")
    options = parser.parse_args(arguments)
    try:
        authored = _run(options.scenario, options.database)
        options.out.write_text(to_json(authored.checklist), encoding="utf-8")
    except DdrError as exc:
        sys.stderr.write(f"{exc}\n")
        return exc.exit_code
    sys.stdout.write(report(authored) + f"\nwritten to {options.out}\n")
    return 0


def report(authored: Authored) -> str:
    """What the checklist holds, and how well another entity's figures would do in it."""
    items, chosen, proof = authored.checklist.items, authored.chosen, authored.verification
    others = len(proof.by_entity) - 1
    passing = sum(len(c.passers) for c in chosen) / max(1, others * len(chosen))
    shared = sum(bool(c.passers) for c in chosen)
    lines = [
        f"{authored.considered} candidates, {authored.eligible} that stand out; of these fail: "
        + ", ".join(f"{check} {number}" for check, number in authored.dropped.items() if number),
        f"{len(items)} items chosen: "
        f"{proof.hold} hold, {proof.fail_when_perturbed} fail when perturbed",
        f"by entity: {_counted(item.entity_id for item in items)}",
        f"by category: {_counted(item.category for item in items)}",
        f"by difficulty: {_counted(item.difficulty for item in items)}",
        f"plain (one table or one join, simple statistics): "
        f"{sum(c.template.plain for c in chosen) / max(1, len(chosen)):.0%}",
        f"another entity's own figure would pass: {passing:.1%} of all pairs; "
        f"{shared} items have at least one such entity",
    ]
    return "\n".join(lines)


def _counted(values: object) -> str:
    found = Counter(values)  # type: ignore[call-overload]
    return ", ".join(f"{name} {count}" for name, count in sorted(found.items()))


def _run(scenario: str, database: Path) -> Authored:
    import duckdb

    brief = brief_of(scenario)
    try:
        with duckdb.connect(str(database), read_only=True) as connection:
            row = connection.execute("SELECT content_fingerprint()").fetchone()
            return author(brief, connection, fingerprint=row[0] if row else None, progress=_say)
    except duckdb.Error as exc:
        raise ChecklistError(f"{database}: {str(exc).strip().splitlines()[0]}") from exc


def _say(text: str, share: float) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\033[K{share:4.0%} {text}")
        sys.stderr.flush()


if __name__ == "__main__":
    raise SystemExit(main())
