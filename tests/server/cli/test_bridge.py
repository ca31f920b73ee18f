"""`ddr bridge`: logs of the released code, scored under protocol ddr beside the printed figures."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from core.errors import LogError, UsageError
from core.evaluation import Score
from evaluator.published import printed
from server.bridge import compare, row_of, sources
from server.cli.main import main
from server.store import open_store
from tests.server.cli.conftest import Ddr
from tests.server.ddr_bench_logs.written import Log
from tests.support.endpoint import Request, Say, ScriptedEndpoint, say
from tests.support.needs import needs

MINI = printed("gpt-5-mini")
on_real_reports = needs("test data")


def judge(request: Request) -> Say:
    """Supported wherever the second fact is asked of a message."""
    fields: dict[str, Any] = {"label": "insufficient", "supporting_turns": [], "quote": ""}
    if "What is fact 1?" in request.text and "[Turn 1]" in request.text:
        fields |= {"label": "supported", "supporting_turns": [1], "quote": "Revenue grew."}
    return say(json.dumps({**fields, "contradicting_turns": [], "reason": "so"}))


@pytest.fixture(scope="module")
def filings_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The two companies of the official list with the shortest reports."""
    home = tmp_path_factory.mktemp("filings")
    source = home / "reports"
    source.mkdir()
    for ticker in ("nke", "crm"):
        (report,) = (Path(os.environ["DDR_TEST_DATA"]) / "sec").glob(f"{ticker}-10-k-*.html.gz")
        (source / report.name).symlink_to(report)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DDR_HOME", str(home))
        assert main(["scenarios", "build", "filings", "--from", str(source), "--quiet"]) == 0
    return home


@pytest.fixture
def built(home: Path, filings_home: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The entities of a DDR_HOME with filings built, and a checklist as it is published."""
    home.mkdir(mode=0o700)
    (home / "scenarios").symlink_to(filings_home / "scenarios")
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    from databases.catalog import open_scenario

    return [entity.id for entity in open_scenario("filings", home).entities()]


@pytest.fixture
def known(ddr: Ddr, built: list[str], tmp_path: Path) -> list[str]:
    pairs = [{"question": f"What is fact {n}?", "answer": f"It is {n}."} for n in range(2)]
    results = [{"entity_id": name, "qa_pairs": pairs} for name in built]
    path = tmp_path / "qa.json"
    path.write_text(json.dumps({"metadata": {}, "results": results}), encoding="utf-8")
    done = ddr("checklists", "import", "ddr-bench", str(path), "--scenario", "filings")
    assert done.code == 0, done.err
    return built


def written(folder: Path, entities: list[str]) -> Path:
    for entity_id in entities:
        log = Log().call("I look.", "SELECT 1", {"rows": []}, "Revenue grew.")
        log.finish("FINISH: It is so.").write(folder / f"company_{entity_id}")
    return folder


@pytest.mark.real
@on_real_reports
def test_each_model_is_scored_and_stands_beside_its_printed_figures(
    ddr: Ddr, known: list[str], tmp_path: Path
) -> None:
    written(tmp_path / "logs" / "gpt-5-mini", known[:1])
    written(tmp_path / "logs" / "my-own", known)
    with ScriptedEndpoint(judge) as endpoint:
        command = ("bridge", "ddr-bench", str(tmp_path / "logs"), "--scenario", "filings")
        asked = ("--judge", "openai/j", "--base-url", endpoint.openai_url, "--uncalibrated")
        done = ddr(*command, *asked, "--json")
        assert done.code == 0, done.err
        requests = len(endpoint.requests)
        again = ddr(*command, *asked, "--json").json
        assert len(endpoint.requests) == requests
    mini, mine = done.json["models"]
    assert MINI is not None
    assert (mini["printed_as"], mine["printed_as"]) == ("GPT-5 mini", None)
    message = next(
        a for a in mini["accuracies"] if (a["level"], a["averaging"]) == ("message", "item")
    )
    assert message["ours"] == 0.5  # of the one with a log
    assert message["strict"] == 0.25  # of both
    assert message["printed"] == MINI.accuracy("filings", "message", "item")
    assert message["difference"] == pytest.approx(0.5 - message["printed"])
    assert {a["printed"] for a in mine["accuracies"]} == {None}
    assert [m["run"] for m in again["models"]] == [mini["run"], mine["run"]]
    with open_store(Path(os.environ["DDR_HOME"]) / "store.sqlite3") as store:
        evaluation, *_ = store.evaluations(mini["run"])
        assert (evaluation.protocol, evaluation.criteria) == ("ddr", "lenient")
        assert len(store.runs()) == 2


@pytest.mark.real
@on_real_reports
def test_one_models_logs_are_named_on_the_command_line(
    ddr: Ddr, known: list[str], tmp_path: Path
) -> None:
    logs = written(tmp_path / "logs", known[:1])
    with ScriptedEndpoint(judge) as endpoint:
        command = ("bridge", "ddr-bench", str(logs), "--scenario", "filings", "--uncalibrated")
        asked = ("--judge", "openai/j", "--base-url", endpoint.openai_url)
        named = ("--model", "openai/gpt-x", "--published", "GPT-5 mini")
        done = ddr(*command, *asked, *named)
    assert done.code == 0, done.err
    assert "openai/gpt-x, printed as GPT-5 mini: run " in done.out
    assert "a printed figure has an error that nobody knows" in done.out


@pytest.mark.real
@on_real_reports
@pytest.mark.parametrize(
    ("more", "fault"),
    [
        ((), "which judge?"),
        (("--judge", "openai/j", "--published", "GPT-9"), "Table 2 'GPT-9'"),
        (("--judge", "openai/j", "--checklist", "nothing"), "nothing"),
    ],
)
def test_what_cannot_be_compared_is_refused_before_anything_is_kept(
    ddr: Ddr, known: list[str], tmp_path: Path, more: tuple[str, ...], fault: str
) -> None:
    logs = written(tmp_path / "logs", known[:1])
    done = ddr("bridge", "ddr-bench", str(logs), "--scenario", "filings", *more)
    assert done.code in (1, 2)
    assert fault in done.err
    with open_store(Path(os.environ["DDR_HOME"]) / "store.sqlite3") as store:
        assert store.runs() == []


def test_a_folder_is_one_models_or_several(tmp_path: Path) -> None:
    written(tmp_path / "several" / "a", ["01"])
    written(tmp_path / "several" / "b", ["02"])
    assert [s.name for s in sources(tmp_path / "several", ["01", "02"], None)] == ["a", "b"]
    assert [s.name for s in sources(tmp_path / "several" / "a", ["01"], None)] == ["a"]
    with pytest.raises(LogError, match="no logs found"):
        sources(tmp_path, ["01"], None)
    with pytest.raises(LogError):
        sources(tmp_path / "absent", ["01"], None)


def test_another_scenario_has_no_printed_figures() -> None:
    score = Score(
        competitor="x",
        level="message",
        averaging="item",
        headline=None,
        strict=None,
        scored_only=None,
        answered_only=None,
        coverage=0,
        items=0,
        supported=0,
        contradicted=0,
        insufficient=0,
        unscored=0,
        entities=0,
    )
    with pytest.raises(UsageError, match="the paper has no figures of flights"):
        compare([score], "flights", None)
    (line,) = compare([score], "filings", row_of("gpt-5.2", None))
    assert (line.difference, line.agrees) == (None, None)
