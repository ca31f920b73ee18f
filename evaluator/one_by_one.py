"""Put cases to one judge, each by itself: what it says of each, or why that is not known."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing
from typing import Generic, TypeVar

from core.errors import ProviderError
from core.trajectory import ModelCall
from evaluator.interviewing import Interviewer, why_failed
from evaluator.persevering import Endpoint

Case = TypeVar("Case")
Said = TypeVar("Said")


class CaseJudge(ABC, Generic[Case, Said]):
    """One judge, asked about one case at a time."""

    def __init__(self, interviewer: Interviewer, *, concurrency: int) -> None:
        self._interviewer = interviewer
        self._endpoint: Endpoint[Case, Said] = Endpoint(interviewer.name, concurrency=concurrency)

    async def judge(self, cases: Iterable[Case]) -> AsyncGenerator[tuple[Case, Said], None]:
        """Each case with what is said of it, as it comes. Raises CheckerError as Endpoint does."""
        async with aclosing(self._endpoint.ask(cases, self._ask)) as found:
            async for case, said in found:
                if isinstance(said, ProviderError):
                    yield case, self._unscored(*why_failed(said))
                else:
                    yield case, said

    @abstractmethod
    async def _ask(self, case: Case) -> Said:
        """What is said of one. Raises ProviderError."""

    @abstractmethod
    def _unscored(self, reason: str, call: ModelCall | None, text: str = "") -> Said:
        """That nothing usable was said, why, and what was replied."""
