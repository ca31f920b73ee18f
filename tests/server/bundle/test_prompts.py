"""Prompts travel with the runs that were told them, each under its sha-256; checklists with answers alone."""

from __future__ import annotations

import json
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from agent.prompting import Prompts
from checklists.canonical import items_hash
from core.checklist import Checklist, ChecklistItem
from core.errors import BundleError
from core.scenario import License
from evaluator.asking import Prompts as JudgePrompts
from server import inputs
from server.authoring import keep_checklist
from server.bundle.keeping import keep_bundle
from server.bundle.writing import Written, write_bundle
from server.settings import Settings
from server.store import Repository
from tests.server.bundle.conftest import parts_of, sealed
from tests.server.support import START, draft, evaluation, spec, verdict

OWN = replace(Prompts.builtin(), insight="What did turn {turn} tell of {entity_id}?")
ITEM = ChecklistItem(
    id="q1", entity_id="01", question="How many?", answer="Forty-two.", category="c", source="me"
)
LIST = Checklist(
    id="small",
    version="1",
    scenario_id="small",
    hash=items_hash((ITEM,)),
    license=License(name="CC0", restricted=False),
    items=(ITEM,),
)


def sent(
    store: Repository, settings: Settings, path: Path, *, with_answers: bool = False
) -> Written:
    """A run under prompts of its own, judged under ours (one by one, then together) and under unknown ones."""
    inputs.keep_prompts(settings, OWN)
    keep_checklist(LIST, settings)
    run = spec("prompted", prompts_hash=OWN.hash)
    store.add_run(run)
    mine = store.start_trajectory(draft(run))
    hashes = (JudgePrompts().hash, JudgePrompts().batch_hash, "f" * 64)
    for number, each in enumerate(hashes, start=1):
        made = evaluation(run, f"prompted.e{number}")
        more = {"prompt_hash": each, "checklist_hash": LIST.hash}
        store.add_evaluation(made.model_copy(update=more))
    store.add_verdicts([verdict(mine.id, evaluation_id="prompted.e1", supporting_turns=())])
    return write_bundle(
        [run], store, settings, path, now=START, with_restricted=True, with_answers=with_answers
    )


def test_each_is_in_a_file_whose_name_is_its_sha256(
    store: Repository, settings: Settings, tmp_path: Path
) -> None:
    written = sent(store, settings, tmp_path / "run.zip")
    parts = {n: c for n, c in parts_of(written.path).items() if n.startswith("prompts/")}
    wanted = {OWN.hash, JudgePrompts().hash, JudgePrompts().batch_hash}
    assert set(parts) == {f"prompts/{each}.json" for each in wanted}
    for name, content in parts.items():
        assert name == f"prompts/{sha256(content).hexdigest()}.json"
    assert dict(json.loads(parts[f"prompts/{OWN.hash}.json"]))["insight"] == OWN.insight
    lost = [each for each in written.manifest.left_out if "judge's prompts" in each.what]
    assert [each.what for each in lost] == ["prompted.e3: the judge's prompts"]


def test_the_agents_are_kept_so_that_insights_can_be_asked_for_under_them(
    store: Repository,
    settings: Settings,
    there: Repository,
    their_settings: Settings,
    tmp_path: Path,
) -> None:
    keep_bundle(sent(store, settings, tmp_path / "run.zip").path, there, their_settings)
    assert inputs.kept_prompts(their_settings, OWN.hash) == OWN


@pytest.mark.parametrize(
    "content", [b"[]", b'[["system", 7]]', b"nothing", b'[["other", "x"]]', b"{}"]
)
def test_what_is_no_prompts_of_an_agent_is_refused_whole(
    store: Repository,
    settings: Settings,
    there: Repository,
    their_settings: Settings,
    tmp_path: Path,
    content: bytes,
) -> None:
    digest = sha256(content).hexdigest()
    parts = parts_of(sent(store, settings, tmp_path / "run.zip").path)
    del parts[f"prompts/{OWN.hash}.json"]
    parts[f"prompts/{digest}.json"] = content
    parts["runs/1/run.jsonl"] = parts["runs/1/run.jsonl"].replace(
        OWN.hash.encode(), digest.encode()
    )
    with pytest.raises(BundleError, match="prompts of the agent"):
        keep_bundle(sealed(tmp_path / "changed.zip", parts), there, their_settings)
    assert there.runs() == []
    assert not (their_settings.home / "inputs").exists()


def test_a_checklist_comes_with_answers_and_with_nothing_else(
    store: Repository,
    settings: Settings,
    there: Repository,
    their_settings: Settings,
    tmp_path: Path,
) -> None:
    written = sent(store, settings, tmp_path / "run.zip", with_answers=True)
    assert (
        json.loads(parts_of(written.path)["checklists/1.json"])["items"][0]["answer"] == ITEM.answer
    )
    kept = keep_bundle(written.path, there, their_settings)
    assert kept.checklists == ["small"]
    assert (their_settings.checklists / "small.json").is_file()
    bare = write_bundle(
        [store.run("prompted")],
        store,
        settings,
        tmp_path / "bare.zip",
        now=START,
        with_restricted=True,
    )
    assert not [name for name in parts_of(bare.path) if name.startswith("checklists/")]
    assert all(b"Forty-two" not in content for content in parts_of(bare.path).values())


def test_another_checklist_of_the_same_name_stays(
    store: Repository,
    settings: Settings,
    there: Repository,
    their_settings: Settings,
    tmp_path: Path,
) -> None:
    written = sent(store, settings, tmp_path / "run.zip", with_answers=True)
    other = ITEM.model_copy(update={"answer": "Seven."})
    theirs = LIST.model_copy(update={"items": (other,), "hash": items_hash((other,))})
    keep_checklist(theirs, their_settings)
    kept = keep_bundle(written.path, there, their_settings)
    assert kept.checklists == []
    assert "another one here, which stays" in kept.notes[0]
    assert "Seven." in (their_settings.checklists / "small.json").read_text("utf-8")
