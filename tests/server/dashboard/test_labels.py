"""Label mode: one question after another, blind to the judge, each answer kept by name."""

from __future__ import annotations

import re

import pytest
from starlette.testclient import TestClient

from core.labels import PersonLabel
from core.run import RunSpec
from server.dashboard.viewer import COOKIE
from server.runner import utc_now
from server.store import Repository
from server.store.judgements import Judgements
from server.tokens import exchanged, once
from tests.server.dashboard.conftest import Visit
from tests.server.dashboard.runs import SAID, SECRET_REASON, judged_run


@pytest.fixture
def run(store: Repository) -> RunSpec:
    return judged_run(store)


def question(client: TestClient, run: RunSpec, by: str = "ann") -> tuple[str, str]:
    """The page, and what it is about."""
    page = client.get(f"/labels/{run.id}", params={"by": by}).text
    found = re.search(r'name="subject" value="([^"]+)"', page)
    assert found is not None, page
    return page, found[1].replace("&#39;", "'")


def test_questions_come_one_after_another_and_the_judge_is_hidden(
    visit: Visit, run: RunSpec, store: Repository
) -> None:
    client = visit("admin")
    seen = []
    for place in range(14):
        page, subject = question(client, run)
        assert f"{place} of 14 answered" in page
        assert SECRET_REASON not in page
        assert SAID in page
        seen.append(subject)
        answer = {"subject": subject, "answer": "insufficient", "note": "no", "by": "ann"}
        assert client.post(f"/labels/{run.id}", data=answer).status_code == 303
    assert len(set(seen)) == 14
    assert "Done: ann has answered all 14" in client.get(f"/labels/{run.id}?by=ann").text
    assert "0 of 14 answered" in question(client, run, by="bob")[0]
    kept = Judgements(store, "label").of_run(run.id, PersonLabel)
    assert {(by, said.label, said.is_blind) for _, by, said in kept} == {
        ("ann", "insufficient", True)
    }


def test_an_answer_that_is_none_or_about_nothing_is_refused(
    visit: Visit, run: RunSpec, store: Repository
) -> None:
    client = visit("admin")
    _, subject = question(client, run)
    for form, status in (
        ({"subject": subject, "answer": "perhaps", "by": "ann"}, 422),
        ({"subject": "another|thing|message", "answer": "supported", "by": "ann"}, 404),
    ):
        assert client.post(f"/labels/{run.id}", data=form).status_code == status
    assert Judgements(store, "label").of_run(run.id, PersonLabel) == []


def test_who_came_by_a_link_is_asked_for_a_name(
    visit: Visit, run: RunSpec, store: Repository
) -> None:
    secret = exchanged(store, once(store, "admin", utc_now()), utc_now())
    assert secret is not None
    client = visit(None)
    client.cookies.set(COOKIE, secret)
    page = client.get(f"/labels/{run.id}").text
    assert "Your name" in page
    assert "answered" not in page
