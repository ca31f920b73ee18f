"""Derive a checklist's items: extract, filter, verify, prove; what failed is left for the next call."""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Coroutine, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from checklists.derive.asking import Messages, Prompts, key_of
from checklists.derive.chunks import pieces, window
from checklists.derive.disorder import SURVIVES, disordered
from checklists.derive.facts import Dropped, Finding, Ruling
from checklists.derive.ledger import Ledger
from checklists.derive.proving import EvidenceProver, Proof
from checklists.derive.reading import UnusableError, read_facts, read_ruling
from checklists.derive.rules import distinct, why_not
from core.checklist import ChecklistItem
from core.document import Document
from core.errors import DdrError, ProviderError
from core.protocols import ChatModel
from core.trajectory import Role

FAILURES: Final = 3
"""So many failures in a row end it."""
_QUOTED: Final = 400
"""Characters of a quote that an item keeps for those who screen it."""
Watch = Callable[[float, float, str], None]
Read = TypeVar("Read")


@dataclass
class Derived:
    """What came of it."""

    items: list[ChecklistItem] = field(default_factory=list)
    documents: int = 0
    left: list[str] = field(default_factory=list)
    """Documents that are not done: a piece of them, or a fact of theirs, got no usable answer."""
    facts: int = 0
    dropped: Counter[Dropped] = field(default_factory=Counter)
    unproved: Counter[str] = field(default_factory=Counter)
    """Why verified facts wait for people."""
    proved: int = 0
    asked: int = 0
    """Requests made now; what the ledger had is not asked again."""
    stopped: str | None = None
    """Why it ended before all was asked."""


@dataclass(frozen=True)
class Deriver:
    """One derivation. The models are handed in, as is all else."""

    extractor: ChatModel
    verifier: ChatModel
    prompts: Prompts
    ledger: Ledger
    columns: Mapping[str, Collection[str]]
    scenario_id: str
    prover: EvidenceProver | None = None
    """None where the database is none that evidence is proved on."""
    concurrency: int = 4
    salt: str = ""
    """How the models are asked, beside their names: other settings are another question."""
    derived: Derived = field(default_factory=Derived)
    _failures: list[int] = field(default_factory=lambda: [0])

    def stop(self, why: str = "Ctrl-C") -> None:
        """Ask nothing further; what is under way may end, since it is paid for."""
        self.derived.stopped = self.derived.stopped or why

    def questions(self, documents: Mapping[str, Sequence[Document]]) -> list[Messages]:
        """What would be asked to extract the facts, and has no answer yet."""
        asked = (self._extraction(d, piece) for d, piece in self._pieces(documents))
        return [m for m in asked if self.ledger.answer(self._key(self.extractor, m)) is None]

    async def derive(
        self, documents: Mapping[str, Sequence[Document]], watch: Watch = lambda *_: None
    ) -> Derived:
        """The items of these entities' documents, by entity. Raises StoreError where an answer cannot be
        kept; failures of the models are counted, and their documents left."""
        self.derived.documents = sum(map(len, documents.values()))
        work = list(self._pieces(documents))
        found: dict[str, list[tuple[int, Finding]]] = {}
        left: dict[str, None] = {}
        slots = asyncio.Semaphore(self.concurrency)
        done = 0

        async def extract(place: int, document: Document, piece: str) -> None:
            nonlocal done
            async with slots:
                messages = self._extraction(document, piece)
                got = await self._ask(self.extractor, "author", messages, read_facts)
            done += 1
            watch(done, 2 * len(work), f"{document.entity_id}: {document.id}")
            if got is None:
                left[document.id] = None
                return
            self.derived.facts += len(got.facts) + got.unreadable
            self._drop("unreadable", got.unreadable)
            for fact in got.facts:
                why = why_not(fact, document.text, self.columns, document.entity_id)
                if why is not None:
                    self._drop(why)
                    continue
                finding = Finding(document=document, fact=fact)
                found.setdefault(document.entity_id, []).append((place, finding))

        await _all(extract(place, *each) for place, each in enumerate(work))
        findings: list[Finding] = []
        for entity_id in documents:
            # In the documents' order, whichever answer came first.
            own = [f for _, f in sorted(found.get(entity_id, ()), key=lambda each: each[0])]
            kept = distinct(own)
            self._drop("duplicate", len(own) - len(kept))
            findings += kept
        rulings: dict[int, Ruling | None] = {}

        async def verify(place: int, finding: Finding) -> None:
            async with slots:
                text = window(finding.document.text, finding.fact.quote)
                messages = self.prompts.verify(finding.document.entity_id, finding, text)
                rulings[place] = await self._ask(self.verifier, "checker", messages, read_ruling)
            watch(
                len(findings) + len(rulings), 2 * len(findings), f"checking {finding.document.id}"
            )

        await _all(verify(place, finding) for place, finding in enumerate(findings))
        for place, finding in enumerate(findings):
            ruling = rulings.get(place)
            if ruling is None:
                left[finding.document.id] = None
            elif not ruling.supported:
                self._drop("not supported by the text")
            else:
                self.derived.items.append(self._item(finding, ruling))
        self._put_to_the_proof()
        self.derived.left = list(left)
        return self.derived

    def _pieces(self, documents: Mapping[str, Sequence[Document]]) -> list[tuple[Document, str]]:
        return [(d, p) for listed in documents.values() for d in listed for p in pieces(d.text)]

    def _extraction(self, document: Document, piece: str) -> Messages:
        return self.prompts.extract(document.entity_id, document.title or document.kind, piece)

    def _key(self, model: ChatModel, messages: Messages) -> str:
        return key_of(f"{model.name}\x1f{self.salt}", messages)

    async def _ask(
        self, model: ChatModel, role: Role, messages: Messages, read: Callable[[str], Read]
    ) -> Read | None:
        """What the ledger or the model answers; None where neither does usably."""
        key = self._key(model, messages)
        if (kept := self.ledger.answer(key)) is not None:
            with suppress(UnusableError):  # kept by a reader that took it: asked again
                return read(kept)
        sent = list(messages)
        for _attempt in range(2):
            if self.derived.stopped:
                return None
            try:
                self.derived.asked += 1
                reply = await model.complete(sent, role=role)
            except ProviderError as exc:
                self._count_failure(model, exc)
                return None
            except DdrError as exc:  # the budget, which is the caller's
                self.derived.asked -= 1
                self.stop(str(exc))
                return None
            self._failures[0] = 0
            try:
                answer = read(reply.text)
            except UnusableError as exc:
                self.ledger.book(reply.call)
                sent = [*messages, reply.raw, self.prompts.again(str(exc))]
                continue
            self.ledger.keep(key, reply.text, reply.call)
            return answer
        return None

    def _count_failure(self, model: ChatModel, error: ProviderError) -> None:
        if error.kind == "context_length":
            return  # this one piece is too long; the endpoint is well
        self._failures[0] += 1
        if error.kind == "auth" or self._failures[0] >= FAILURES:
            times = "" if error.kind == "auth" else f" {self._failures[0]} times in a row"
            self.stop(f"{model.name} failed{times}: {error}")

    def _drop(self, why: Dropped, count: int = 1) -> None:
        if count:
            self.derived.dropped[why] += count

    def _put_to_the_proof(self) -> None:
        """Of the items that hold, those that disorder breaks are proved; the others wait for people."""
        holding = [item for item in self.derived.items if item.has_path]
        if self.prover is None or not holding:
            return
        broken = disordered(
            holding, self.prover.connection, self.prover.schema, self.prover.seconds
        )
        proved = {item.id: item for item in broken}
        self.derived.proved = len(proved)
        self.derived.unproved.update({SURVIVES: len(holding) - len(proved)})
        self.derived.unproved += Counter()  # without what is none
        waiting = {"status": "proposed", "evidence_sql": None, "expected": None, "difficulty": None}
        self.derived.items = [
            proved.get(item.id) or (item.model_copy(update=waiting) if item.has_path else item)
            for item in self.derived.items
        ]

    def _item(self, finding: Finding, ruling: Ruling) -> ChecklistItem:
        fact, document = finding.fact, finding.document
        proof: Proof | str = "the database is none that evidence is proved on"
        if self.prover is not None:
            proof = self.prover.prove(fact, ruling, document.entity_id)
        proved = isinstance(proof, Proof)
        if not isinstance(proof, Proof):
            self.derived.unproved[proof] += 1
        quote = " ".join(fact.quote.split())[:_QUOTED]
        return ChecklistItem(
            id=item_id(self.scenario_id, document.entity_id, fact.question, fact.answer),
            entity_id=document.entity_id,
            question=fact.question,
            answer=fact.answer,
            category=fact.category.lower(),
            difficulty=proof.difficulty if isinstance(proof, Proof) else None,
            status="accepted" if proved else "proposed",
            source=f'document {document.id}: "{quote}"',
            evidence_sql=proof.sql if isinstance(proof, Proof) else None,
            expected=proof.expected if isinstance(proof, Proof) else None,
        )


def item_id(scenario_id: str, entity_id: str, question: str, answer: str) -> str:
    """The same fact has the same id, whenever it is derived."""
    said = "\x1f".join((entity_id, " ".join(question.split()), " ".join(answer.split())))
    return f"{scenario_id}-{entity_id}-{hashlib.sha256(said.encode()).hexdigest()[:10]}"


async def _all(work: Iterable[Coroutine[Any, Any, None]]) -> None:
    """All of it side by side; one failure of ours is raised as itself."""
    try:
        async with asyncio.TaskGroup() as group:
            for each in work:
                group.create_task(each)
    except* DdrError as failed:
        raise _first(failed) from failed


def _first(failed: BaseExceptionGroup[DdrError]) -> DdrError:
    first = failed.exceptions[0]
    return _first(first) if isinstance(first, BaseExceptionGroup) else first
