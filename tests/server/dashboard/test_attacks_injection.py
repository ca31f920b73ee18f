"""What agents, models, judges and people write is shown, and obeyed by no browser, cache or client."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from urllib.parse import quote, urljoin, urlsplit
from xml.etree import ElementTree

import pytest

from checklists.canonical import items_hash, to_json
from core.access import Role
from core.checklist import Checklist, Decision
from core.evaluation import LEVELS
from core.run import ModelSpec, RunSpec
from core.trajectory import Insight, StopReason, ToolCall, ToolResult, Turn
from databases.catalog import InstalledScenario
from server.runner import utc_now
from server.settings import Settings
from server.store import Repository
from server.store.closeups import votes
from server.streams import event
from server.tokens import issue
from tests.analysis.page import Element, parse
from tests.server.dashboard.conftest import ORIGIN, Visit
from tests.server.dashboard.stories import CHECKLIST
from tests.server.support import START, draft, evaluation, spec, verdict

pytestmark = pytest.mark.usefixtures("installed")

EVIL = (
    "\"'><script>alert(1)</script><img src=x onerror=alert(1)></pre></td></table></textarea></title>"
    "<svg onload=alert(1)><a href=javascript:alert(1)>x</a>{{7*7}}{%raw%}</style><!-- ${7*7} $\\frac{"
)
LINES = (
    "\r\n\r\nevent: over\ndata: {}\nid: 9\n\n\u2028\u2029\x85Set-Cookie: ddr=evil\x00\x1b[2J\u202e"
)
ENTITY = "02"
OURS = {"application/json"}


@pytest.fixture
def facts(settings: Settings) -> Checklist:
    """A checklist of this home whose every text is hostile."""
    items = tuple(
        item.model_copy(
            update={
                "id": f"{item.id}{EVIL}" if number % 2 else item.id,
                "question": f"{EVIL}{LINES}{number}?",
                "answer": f"{EVIL}{number}",
                "category": f"{EVIL}{number % 3}",
                "evidence_sql": f"SELECT 1 -- {EVIL}",
                "decisions": (Decision(who=EVIL, when=START, status="accepted", why=EVIL),),
            }
        )
        for number, item in enumerate(CHECKLIST.items)
        if item.entity_id in ("01", ENTITY)
    )
    made = CHECKLIST.model_copy(
        update={"items": items, "hash": items_hash(items), "summaries": {}, "id": "flights"}
    )
    settings.checklists.mkdir(exist_ok=True)
    (settings.checklists / "flights.json").write_text(to_json(made), "utf-8")
    return made


def evil_run(store: Repository, flights: InstalledScenario, facts: Checklist, name: str) -> RunSpec:
    """Finished and judged; whatever somebody else may choose of it is hostile."""
    run = spec(
        f"20260131-flights-{name}",
        scenario_id="flights",
        scenario_fingerprint=flights.scenario.fingerprint,
        entity_ids=("01", f"../{EVIL}//x?y#z", ENTITY),
        agent=f"{name}{EVIL}",
        model=ModelSpec(provider="openai", name=f"{name}{EVIL}"),
    )
    store.add_run(run)
    own = evaluation(run, f"{run.id}.e1").model_copy(
        update={
            "checklist_id": facts.id,
            "checklist_version": facts.version,
            "checklist_hash": facts.hash,
            "judges_asked": (EVIL,),
        }
    )
    store.add_evaluation(own)
    for entity in run.entity_ids:
        mine = store.start_trajectory(draft(run, entity))
        for index in (1, 2):
            store.add_turn(mine.id, _turn(index))
        for level, turn in (("message", 1), ("message", 2), ("trajectory", None)):
            text = f"{EVIL} 12.5 min {name}{LINES}"
            store.add_insight(
                Insight(
                    id=f"{mine.id}.{level}{turn}",
                    trajectory_id=mine.id,
                    level=level,
                    turn=turn,
                    text=text,
                    author=EVIL,
                )
            )
        store.end_trajectory(mine.id, StopReason.FINISHED, ended_at=START)
        store.add_verdicts(
            verdict(
                mine.id,
                item.id,
                evaluation_id=own.id,
                level=level,
                label="supported" if place else "contradicted",
                supporting_turns=(1,) if place and level == "message" else (),
                evidence=EVIL,
                reason=f"{EVIL}{LINES}",
                chosen=EVIL,
            )
            for place, item in enumerate(facts.of(entity))
            for level in LEVELS
        )
    return run


def _turn(index: int) -> Turn:
    rows = {"columns": [EVIL, LINES], "rows": [[12.5, EVIL], [LINES, None]]}
    calls = [
        ("c1", "execute_query", json.dumps({"query": f"SELECT '{EVIL}' AS \"{EVIL}\""}), rows),
        ("c2", "execute_code", json.dumps({"code": f"print('''{EVIL}''')"}), {"stdout": EVIL}),
        ("c3", EVIL, f'{{"{EVIL}', EVIL + LINES),
    ]
    return Turn(
        index=index,
        text=f"# {EVIL}{LINES}\n```html\n{EVIL}\n```\n[x](javascript:alert(1))",
        reasoning=EVIL + LINES,
        tool_calls=tuple(ToolCall(call_id=i, name=n, arguments=a) for i, n, a, _ in calls),
        tool_results=tuple(
            ToolResult(
                call_id=i, name=n, text=r if isinstance(r, str) else json.dumps(r), duration_s=0.1
            )
            for i, n, _, r in calls
        ),
        started_at=START,
        duration_s=1.0,
    )


@pytest.fixture
def runs(store: Repository, flights: InstalledScenario, facts: Checklist) -> list[RunSpec]:
    return [evil_run(store, flights, facts, name) for name in ("alpha", "beta")]


def dangers(html: str) -> Iterator[str]:
    """What in a page a browser would run, load or follow that is not ours."""
    page = parse(html)
    for each in page.walk():
        for name, value in each.attributes.items():
            if (
                name.startswith("on")
                or name == "srcdoc"
                or not re.fullmatch(r"[a-zA-Z0-9:_-]+", name)
            ):
                yield f"<{each.tag} {name}={value!r}>"
            if name in (
                "href",
                "src",
                "action",
                "formaction",
                "xlink:href",
                "data-live",
                "data-load",
            ):
                yield from _leads_out(each, name, value or "")
        if each.tag == "script":
            is_ours = (each.get("src") or "").startswith("/static/") or each.get("type") in OURS
            if not is_ours or "<" in each.text:
                yield f"<script> {each.attributes} {each.text[:60]!r}"
            elif each.get("type"):
                json.loads(each.text)
        if each.tag in ("iframe", "object", "embed", "base", "style") or (
            each.tag == "img" and each.get("src") == "x"
        ):
            yield f"<{each.tag} {each.attributes}>"
    if "49" in page.text.replace("{{7*7}}", "") and re.search(r"(?<!\d)49(?!\d|\.)", page.text):
        yield "a template in a text was filled in"


def _leads_out(each: Element, name: str, value: str) -> Iterator[str]:
    if value.startswith("data:,") and each.tag == "link":
        return
    parts = urlsplit(urljoin(f"{ORIGIN}/runs/x", value))
    if f"{parts.scheme}://{parts.netloc}" != ORIGIN:
        yield f"<{each.tag} {name}={value!r}>"


def paths(runs: list[RunSpec], facts: Checklist) -> list[str]:
    """Every page with something of theirs in it."""
    run, other = runs
    some = [quote(item.id, safe="") for item in facts.items[:4]]
    entities = [quote(entity, safe="") for entity in run.entity_ids]
    return [
        *(
            "/",
            "/?scenario=flights",
            "/scenarios",
            "/scenarios/flights",
            "/runs",
            f"/runs/{run.id}",
        ),
        *(f"/labels/{run.id}?by={quote(EVIL[:70])}"),
        *(f"/trajectories/{run.id}/{entity}" for entity in entities),
        *("/checklists", "/checklists/flights", f"/checklists/flights?q={quote(EVIL)}"),
        f"/checklists/flights?category={quote(EVIL + '1')}&status={quote(EVIL)}",
        *(f"/checklists/flights/items/{item}?by={quote(EVIL)}" for item in some),
        *(f"/checklists/flights/items/{item}/proof" for item in some[:2]),
        *("/compare", f"/compare?left={run.id}", f"/compare?left={run.id}&right={other.id}"),
        *(f"/compare?left={run.id}&right={other.id}&entity={each}" for each in entities),
        *("/compare/vote", "/compare/vote/flights", f"/compare/vote/flights?told={quote(EVIL)}"),
        f"/compare/models?one={run.id}&other={other.id}",
        *(f"/enter?back={quote(EVIL)}", f"/runs/{quote(EVIL, safe='')}", f"/{quote(EVIL)}"),
        *(f"/?scenario={quote(EVIL)}", f"/runs?after={quote(EVIL[:150])}"),
    ]


@pytest.mark.parametrize("role", [None, "reader", "admin"])
def test_no_page_runs_loads_or_follows_what_others_wrote(
    visit: Visit, runs: list[RunSpec], facts: Checklist, role: Role | None
) -> None:
    client = visit(role)
    shown = 0
    for path in paths(runs, facts):
        answer = client.get(path)
        assert answer.status_code < 500, path
        if answer.status_code == 303:
            assert answer.headers["location"].startswith("/enter?back="), path
            continue
        assert list(dangers(answer.text)) == [], path
        assert "unsafe" not in answer.headers["content-security-policy"], path
        shown += "alert(1)" in parse(answer.text).text
    if role is not None:
        assert shown > 8  # else there was nothing to be obeyed


def test_the_figures_are_well_formed_and_hold_no_script(visit: Visit, runs: list[RunSpec]) -> None:
    client = visit("reader")
    assert list(dangers(client.get(f"/runs/{runs[0].id}/looks").text)) == []
    for name in ("heat", "points", "turns", "stopping"):
        drawn = client.get(f"/runs/{runs[0].id}/looks/{name}.svg")
        if drawn.status_code == 404:
            continue
        tree = ElementTree.fromstring(drawn.content)
        for each in tree.iter():
            assert not each.tag.endswith(("script", "foreignObject", "}a"))
            assert not [name for name in each.attrib if name.startswith("on")]
    assert client.get(f"/runs/{runs[0].id}/looks/{quote(EVIL, safe='')}.svg").status_code == 404


def test_the_json_of_a_page_stays_json_and_is_not_sniffed(
    visit: Visit, runs: list[RunSpec]
) -> None:
    answer = visit("reader").get(f"/trajectories/{runs[0].id}/{ENTITY}?part=sources")
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-store"
    assert answer.json()


def test_no_text_ends_an_event_or_begins_one(visit: Visit, runs: list[RunSpec]) -> None:
    told = visit("reader").get(f"/runs/{runs[0].id}/live").text
    kinds = [line for line in told.splitlines() if line.startswith("event:")]
    assert kinds == ["event: change", "event: over"]
    assert [
        line
        for line in told.splitlines()
        if line and line[:4] not in ("even", "data", ": wa", "id: ")
    ] == []
    one = event("change", {"html": LINES}, "m")
    assert one.splitlines()[:3] == one.split("\n")[:3]
    assert one.count("\n") == 4


@pytest.mark.parametrize(
    "back",
    [
        "//evil.example",
        "/\\evil.example",
        "\\\\evil.example",
        "https://evil.example",
        "/x\r\nSet-Cookie: ddr=evil",
        "/x\nLocation: //evil.example",
        "/\t/evil.example",
        "/%0d%0aSet-Cookie:x",
        "/\u2028/evil.example",
        "/\uff0f/evil.example",
        "javascript:alert(1)",
        "/" * 3 + "evil.example",
        "/x" * 600,
        "",
        "evil.example",
        "/@evil.example",
    ],
)
def test_whoever_shows_a_token_is_led_to_a_page_of_ours(
    visit: Visit, store: Repository, back: str
) -> None:
    _, secret = issue(store, "reader", utc_now())
    client = visit(None)
    answer = client.post("/enter", data={"token": secret, "back": back[:600]})
    assert answer.status_code == 303
    location = answer.headers["location"]
    assert urlsplit(urljoin(ORIGIN, location)).netloc == urlsplit(ORIGIN).netloc
    assert not re.search(r"[\s\\\x00-\x1f]", location)
    assert not location.startswith("//")
    assert len(answer.headers.get_list("set-cookie")) == 1


@pytest.mark.parametrize(
    "by", ["a\r\nSet-Cookie: ddr=evil", "//evil.example/\\", "\u2028&told=kept#", EVIL[:70]]
)
def test_no_name_of_a_person_leaves_the_address_that_it_stands_in(
    visit: Visit, runs: list[RunSpec], facts: Checklist, by: str
) -> None:
    client = visit("admin")
    assert client.post("/checklists/flights/copy", data={"new_id": "mine"}).status_code == 303
    for item in facts.items[:2]:
        path = f"/checklists/mine/items/{quote(item.id, safe='')}"
        seen = parse(client.get(path).text)
        (mark,) = {each.get("value") for each in seen.all("input") if each.get("name") == "seen"}
        form = {"seen": mark or "", "decision": "accepted", "by": by, "why": EVIL}
        answer = client.post(f"{path}/decide", data=form)
        assert answer.status_code == 303
        location = answer.headers["location"]
        assert location.startswith("/checklists/mine/items/")
        assert not re.search(r"[\s\\]", location)
        assert len(answer.headers.get_list("set-cookie")) == 0
        assert list(dangers(client.get(path).text)) == []


@pytest.mark.parametrize("reason", [EVIL, LINES, "x" * 4000, "=HYPERLINK(1)"])
def test_a_reason_of_a_vote_is_kept_in_one_line_and_bounded(
    visit: Visit, store: Repository, runs: list[RunSpec], reason: str
) -> None:
    client = visit("reader")
    page = parse(client.get("/compare/vote/flights").text)
    pairs = [each.get("value") for each in page.all("input") if each.get("name") == "pair"]
    assert pairs
    form = {"pair": pairs[0] or "", "choice": "tie", "reason": reason}
    assert client.post("/compare/vote/flights", data=form).status_code == 303
    (kept,) = votes(store, "flights")
    assert "\n" not in (kept.reason or "")
    assert len(kept.reason or "") <= 1000
