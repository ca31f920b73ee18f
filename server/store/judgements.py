"""Keep what people and judges say of a run's insights and verdicts, beyond the verdicts."""

from __future__ import annotations

from typing import Final, TypeVar

from sqlalchemy import select
from sqlalchemy.dialects.sqlite import insert

from core.record import Record
from server.store.records import to_json
from server.store.repository import Repository
from server.store.tables import JudgementRow

KINDS: Final = ("label", "rating", "failure", "hallucination", "form", "sufficiency")
"""label: a person's verdict on an item; rating: a person's score of an insight; failure: why an item
was missed; hallucination: whether an insight can be derived; form: a person's answers on a data set;
sufficiency: by which turn the insights suffice for an item."""

Said = TypeVar("Said", bound=Record)


class Judgements:
    """Records of one kind, each by (run, subject, who said it). Each method is one transaction."""

    def __init__(self, store: Repository, kind: str) -> None:
        if kind not in KINDS:
            raise ValueError(f"no kind of judgements {kind!r}")
        self._store, self._kind = store, kind

    def say(self, run_id: str, subject: str, said_by: str, said: Record) -> None:
        """Keep it; who has spoken of the same before has thought better of it.

        Raises StoreError where there is no such run.
        """
        key = {"kind": self._kind, "run_id": run_id, "subject": subject, "said_by": said_by}
        body = to_json(said)
        add = insert(JudgementRow).values(**key, body=body)
        with self._store.writing() as session:
            session.execute(
                add.on_conflict_do_update(index_elements=list(key), set_={"body": body})
            )

    def of_run(self, run_id: str, form: type[Said]) -> list[tuple[str, str, Said]]:
        """(subject, who said it, what), in the order of subjects."""
        query = (
            select(JudgementRow.subject, JudgementRow.said_by, JudgementRow.body)
            .filter_by(kind=self._kind, run_id=run_id)
            .order_by(JudgementRow.subject, JudgementRow.said_by)
        )
        with self._store.reading() as session:
            return [
                (subject, said_by, form.model_validate_json(body))
                for subject, said_by, body in session.execute(query)
            ]
