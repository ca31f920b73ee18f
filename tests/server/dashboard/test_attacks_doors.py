"""Doors that somebody rattles: roles, forged forms, other ports' pages, odd methods and odd paths."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from core.access import Role
from core.labels import PersonLabel
from core.outside import Outside
from core.run import RunSpec
from databases.catalog import InstalledScenario
from server.dashboard.viewer import COOKIE
from server.enrolment import enrol
from server.runner import utc_now
from server.settings import Settings
from server.store import Repository
from server.store.closeups import votes
from server.store.judgements import Judgements
from server.store.tokens import Tokens
from server.tokens import exchanged, holder, issue, once
from tests.analysis.page import parse
from tests.server.dashboard.conftest import ORIGIN, Visit
from tests.server.dashboard.runs import judged_run
from tests.server.dashboard.stories import begun, explore, judge, modelled
from tests.server.routes import Route, of_dashboard

EVERYBODYS = ("/", "/enter", "/leave", "/scenarios", "/static/", "/scenarios/")
ADMINS = ("/checklists", "/labels")
ITEM = "flights-01-mean-age"
VOTE = "/compare/vote/flights"
NOVEL = ("The mean delay is 12.5 min.", "Novel: summer.", "Novel: winter.")
ODD = ("ß", "\u2028", "é" * 32, "\x00", "0" * 32, "", "٣" * 16, "\U0001f6eb")
"""What no form of ours sends: letters beyond ASCII among them, which compare_digest refuses."""

CLOSED = [
    route
    for route in of_dashboard()
    if not (route.path in EVERYBODYS or route.path.startswith(EVERYBODYS[4:]))
]


def filled(route: Route, **values: str) -> str:
    """A route with something in each place."""
    known = {"run": "r", "name": "flights", "item_id": ITEM, "scenario": "flights", "entity": "01"}
    return re.sub(r"\{(\w+)(?::path)?\}", lambda m: {**known, **values}[m[1]], route.path)


def with_cookie(visit: Visit, secret: str) -> TestClient:
    client = visit(None)
    client.cookies.set(COOKIE, secret)
    return client


def test_no_secret_but_a_valid_token_opens_a_closed_route(
    visit: Visit, store: Repository, flights: InstalledScenario
) -> None:
    now = utc_now()
    revoked, was_good = issue(store, "admin", now)
    Tokens(store).revoke(revoked.id, now)
    _, expired = issue(store, "admin", now - timedelta(days=2), expires_days=1)
    whose = Outside(enrolled_by="harness")
    enrolled = enrol(flights, store, agent="a", now=now, entities=["01"], trials=1, outside=whose)
    seat = enrolled.seats[0].token
    link = once(store, "admin", now)
    for route in CLOSED:
        for secret in (None, "", was_good, expired, seat, link, "ddr_", "é", "x" * 9000):
            client = visit(None) if secret is None else with_cookie(visit, quote(secret))
            answer = client.request(route.method, filled(route, run=enrolled.spec.id))
            if route.method == "GET":
                assert answer.status_code == 303, secret
                assert answer.headers["location"].startswith("/enter?back=")
            else:
                assert answer.status_code in (401, 422), secret
                if answer.status_code == 422:  # a form that lacks a field is told so, no more
                    assert "not as it should be" in answer.text
            assert enrolled.spec.id not in answer.text
    # Trying it as a token did not spend it.
    assert exchanged(store, link, utc_now()) is not None


@pytest.mark.parametrize("role", ["reader", "harness"])
def test_what_is_an_admins_answers_others_the_same_for_what_is_there_and_what_is_not(
    visit: Visit, store: Repository, role: Role
) -> None:
    run = judged_run(store)
    client = visit(role)
    form = {"new_id": "x", "seen": "x", "decision": "accepted", "by": "x", "why": "x"}
    more = {"question": "x", "answer": "x", "category": "x", "subject": "x"}
    for route in [r for r in CLOSED if r.path.startswith(ADMINS)]:
        send = {"data": {**form, **more}} if route.method == "POST" else {}
        said = set()
        for run_id, name, item in ((run.id, "flights", ITEM), ("none", "none", "none")):
            path = filled(route, run=run_id, name=name, item_id=item)
            answer = client.request(route.method, path, **send)  # type: ignore[arg-type]
            assert answer.status_code == 403
            said.add((answer.text, str(answer.headers)))
        assert len(said) == 1


@pytest.mark.parametrize("role", ["reader", "harness"])
def test_a_run_that_goes_on_answers_as_one_that_is_not_there(
    visit: Visit, store: Repository, flights: InstalledScenario, role: Role
) -> None:
    going_on = begun(store, 1)
    explore(store, going_on, "01")
    another = Outside(enrolled_by="somebody else")
    seat = enrol(
        flights, store, agent="a", now=utc_now(), entities=["01"], trials=1, outside=another
    )
    done = modelled(store, 2, "gpt")
    client = visit(role)
    paths = (
        "/runs/{}",
        "/runs/{}/live",
        "/runs/{}/live?since=x",
        "/runs/{}/looks",
        "/runs/{}/looks/heat.svg",
        "/trajectories/{}/01",
        "/trajectories/{}/01?part=sources",
        "/trajectories/{}/01?part=figure",
        "/compare?left={}",
        f"/compare?left={done.id}&right={{}}&entity=01",
        "/compare/models?one={}&other=" + done.id,
        f"/compare/models?one={done.id}&other={{}}",
    )
    for path in paths:
        texts = set()
        for run_id in (going_on.id, seat.spec.id, "20260131-flights-none"):
            answer = client.get(path.format(run_id))
            texts.add((answer.status_code, answer.text))
        assert len(texts) == 1, path
        assert texts.pop()[0] == 404, path
    listed = client.get("/runs").text + client.get("/compare").text + client.get("/").text
    assert going_on.id not in listed
    assert seat.spec.id not in listed


def two(store: Repository) -> None:
    modelled(store, 1, "gpt-a", texts=NOVEL)
    modelled(store, 2, "gpt-b", texts=(NOVEL[0], "Other: spring.", "Other: autumn."))


def pair_of(client: TestClient) -> str:
    page = parse(client.get(VOTE).text)
    (found,) = [str(e.get("value")) for e in page.all("input") if e.get("name") == "pair"]
    return found


@pytest.mark.usefixtures("installed")
def test_no_forged_stolen_or_stale_ballot_is_counted(visit: Visit, store: Repository) -> None:
    two(store)
    victim, thief = visit("reader"), visit("harness")
    stolen = pair_of(victim)
    for pair in (stolen, *ODD, f"{stolen}x"[:64], stolen.upper()):
        answer = thief.post(VOTE, data={"pair": pair, "choice": "first", "by": "a reader"})
        assert answer.status_code in (303, 422), pair
        assert "told=kept" not in answer.headers.get("location", "")
    assert votes(store, "flights") == []
    for form in ({"choice": "left"}, {"choice": ["first", "second"]}, {"pair": ["a"] * 900}):
        answer = victim.post(VOTE, data={"pair": stolen, "choice": "third", **form})
        assert answer.status_code == 422 or "told=kept" in answer.headers["location"]
    assert {each.judge for each in votes(store, "flights")} <= {"a reader"}


@pytest.mark.usefixtures("installed")
def test_a_vote_that_is_sent_by_eight_hands_at_once_counts_once_under_the_tokens_name(
    visit: Visit, store: Repository
) -> None:
    two(store)
    client = visit("reader")
    form = {"pair": pair_of(client), "choice": "first", "by": "somebody else"}
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: client.post(VOTE, data=form), range(8)))
    assert {each.status_code for each in answers} == {303}
    assert [each.judge for each in votes(store, "flights")] == ["a reader"]


@pytest.mark.usefixtures("installed")
def test_a_run_that_goes_on_is_in_no_ballot_though_it_was_judged(
    visit: Visit, store: Repository
) -> None:
    two(store)
    run = begun(store, 3, agent="running", carriers=("01", "02"))
    judge(store, run, explore(store, run, "01", texts=(NOVEL[0], "CanaryRunning.", "x")))
    for role in ("reader", "admin"):
        client = visit(role)
        for _ in range(8):
            page = client.get(VOTE)
            assert "CanaryRunning" not in page.text
            if 'name="pair"' not in page.text:
                break
            client.post(VOTE, data={"pair": pair_of(client), "choice": "tie"})
    assert {run.id} & {side for v in votes(store, "flights") for side in (v.left, v.right)} == set()


def test_no_label_is_kept_of_what_nobody_is_asked(visit: Visit, store: Repository) -> None:
    run = judged_run(store)
    client = visit("admin")
    for subject in (*ODD, f"{run.id}.01.1.1|{ITEM}|trajectory'--", "../../x|y|message"):
        form = {"subject": subject, "answer": "supported", "by": "ann"}
        assert client.post(f"/labels/{run.id}", data=form).status_code in (404, 422)
    for answer in ("yes", "\x00", "supported" * 4, "ｓ"):
        page = parse(client.get(f"/labels/{run.id}?by=ann").text)
        (real,) = {e.get("value") for e in page.all("input") if e.get("name") == "subject"}
        form = {"subject": real or "", "answer": answer, "by": "ann"}
        assert client.post(f"/labels/{run.id}", data=form).status_code == 422
    assert list(Judgements(store, "label").of_run(run.id, PersonLabel)) == []


def test_a_decision_about_another_state_of_an_item_is_refused_however_it_is_spelt(
    visit: Visit, settings: Settings
) -> None:
    client = visit("admin")
    client.post("/checklists/flights/copy", data={"new_id": "mine"})
    before = (settings.checklists / "mine.json").read_bytes()
    for seen in ODD:
        for what in ("decide", "edit"):
            words = {"question": "q", "answer": "a", "category": "c", "why": "w", "by": "ann"}
            form = {"seen": seen, "decision": "accepted", **words}
            answer = client.post(f"/checklists/mine/items/{ITEM}/{what}", data=form)
            assert answer.status_code in (409, 422)
        assert (settings.checklists / "mine.json").read_bytes() == before


@pytest.mark.parametrize("name", ["../x", "a/b", ".x", "x" * 300, "é" * 120, "\x00", "x y", "-x"])
def test_no_copy_of_a_checklist_and_no_checklist_leaves_its_folder(
    visit: Visit, settings: Settings, name: str, tmp_path: Path
) -> None:
    client = visit("admin")
    before = sorted(tmp_path.rglob("*.json"))
    assert client.post("/checklists/flights/copy", data={"new_id": name}).status_code in (409, 422)
    assert sorted(tmp_path.rglob("*.json")) == before
    answer = client.get(f"/checklists/{quote(name, safe='')}")
    assert answer.status_code == 404
    assert str(settings.home) not in answer.text


FOREIGN = [
    {"origin": "http://testserver:3000"},
    {"origin": "https://testserver:8910"},
    {"origin": "http://evil.example"},
    {"origin": "null"},
    {"origin": ""},
    {"origin": "http://testserver.evil.example"},
    {"origin": "http://[::1"},
    {"origin": ORIGIN, "sec-fetch-site": "same-site"},
    {"origin": ORIGIN, "sec-fetch-site": "cross-site"},
    {"origin": ORIGIN, "sec-fetch-site": "none"},
]


def test_a_form_of_a_page_that_is_not_ours_changes_nothing(visit: Visit, store: Repository) -> None:
    """A page of another port of 127.0.0.1 has our cookie sent along: SameSite knows no ports."""
    run = judged_run(store)
    client = visit("admin")
    for headers in FOREIGN:
        for path in (f"/labels/{run.id}", "/checklists/flights/copy", VOTE, "/leave", "/enter"):
            assert client.post(path, data={"new_id": "x"}, headers=headers).status_code == 403, path


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"origin": ORIGIN, "sec-fetch-site": "same-origin"},
        {"origin": "http://testserver:80"},
        {"origin": "https://bench.example.org:8443", "sec-fetch-site": "same-origin"},
    ],
    ids=str,
)
def test_a_form_of_our_own_is_taken_also_behind_a_proxy(
    visit: Visit, headers: dict[str, str]
) -> None:
    assert visit("admin").post("/leave", headers=headers).status_code == 303


METHODS = ("HEAD", "OPTIONS", "PUT", "PATCH", "DELETE", "TRACE", "GETT")


def test_no_other_method_is_let_through_or_spends_a_link(visit: Visit, store: Repository) -> None:
    run = judged_run(store)
    link = once(store, "admin", utc_now())
    client = visit("admin")
    for method in METHODS:
        for path in ("/", "/runs", f"/runs/{run.id}", "/checklists/flights", f"/enter?once={link}"):
            answer = client.request(method, path)
            assert answer.status_code in (403, 405), path
            assert "set-cookie" not in answer.headers
            assert "access-control-allow-origin" not in answer.headers
    assert exchanged(store, link, utc_now()) is not None


def test_a_method_in_a_header_or_a_form_is_no_method(visit: Visit, store: Repository) -> None:
    run = judged_run(store)
    client = visit("admin")
    for name in ("X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"):
        got = client.get("/leave", headers={name: "POST"})
        assert got.status_code == 405
    assert client.post(f"/runs/{run.id}", data={"_method": "DELETE"}).status_code == 405
    assert store.run(run.id).id == run.id


PATHS = [
    "/static/../app.py",
    "/static/..%2f..%2fapp.py",
    "/static/%2e%2e/%2e%2e/app.py",
    "/static/x/%2e%2e%2fapp.py",
    "/static/x/dashboard.css%00.js",
    "/static//dashboard.css",
    "/static/0/dashboard.css",
    "/static/" + "0" * 12 + "/templates/base.html",
    "/runs//",
    "/%2e%2e/%2e%2e/etc/passwd",
    "/runs/%2e%2e/checklists",
    "/RUNS",
    "/runs;x=1",
    "/" + "a" * 30_000,
    "/runs/" + "a" * 30_000,
    "/runs/" + "%ff" * 900,
    "/checklists/" + "a" * 30_000,
    "/checklists/flights/items/" + "%00" * 900,
    "/scenarios/" + "a" * 30_000,
    "/scenarios/%2e%2e%2f%2e%2e",
    "/compare/vote/" + "%2e%2e%2f" * 90,
]


def test_odd_paths_find_nothing_and_tell_nothing(visit: Visit, settings: Settings) -> None:
    for path in PATHS:
        for role in (None, "admin"):
            answer = visit(role).get(path)
            assert answer.status_code in (303, 404), (role, answer.status_code)
            for word in (
                str(settings.home),
                "Traceback",
                "site-packages",
                "server/dashboard",
                "root:",
            ):
                assert word not in answer.text


def test_of_two_cookies_none_makes_a_viewer_that_neither_is(
    visit: Visit, store: Repository
) -> None:
    """Another port's server, or a path below ours, can have a second one sent along."""
    _, reader = issue(store, "reader", utc_now())
    for cookies in (f"ddr={reader}; ddr=x", f"ddr=x; ddr={reader}", "ddr; ddr=;;;", "=ddr; ddr==x"):
        client = visit(None)
        assert client.get("/checklists", headers={"cookie": cookies}).status_code in (303, 403)
    many = "; ".join(f"c{k}=x" for k in range(900))
    assert visit(None).get("/runs", headers={"cookie": f"{many}; ddr={reader}"}).status_code == 200
    for value in ('"\\073ddr=x"', "\udcff".encode("utf-8", "surrogateescape").decode("latin-1")):
        answer = visit(None).get("/runs", headers=[(b"cookie", f"ddr={value}".encode("latin-1"))])
        assert answer.status_code == 303


def test_nothing_between_keeps_what_is_somebodys(visit: Visit, store: Repository) -> None:
    run = judged_run(store)
    admin, nobody = visit("admin"), visit(None)
    pages = ("/", "/scenarios", "/runs", f"/runs/{run.id}", f"/trajectories/{run.id}/01")
    parts = (
        f"/trajectories/{run.id}/01?part=sources",
        f"/runs/{run.id}/live",
        "/checklists/flights",
    )
    for path in (*pages, *parts, "/none", "/enter"):
        answer = admin.get(path)
        assert answer.headers["cache-control"] == "no-store", path
        assert "set-cookie" not in answer.headers
    for path in ("/", "/scenarios"):
        answer = nobody.get(path)
        assert answer.headers["cache-control"] == "no-cache"
        assert "Cookie" in answer.headers["vary"]
    style = re.findall(r'href="(/static/[^"]+)"', nobody.get("/").text)[0]
    assert "set-cookie" not in admin.get(style).headers


def test_a_one_time_secret_is_in_no_answer_and_no_referrer(visit: Visit, store: Repository) -> None:
    link = once(store, "reader", utc_now())
    client = visit(None)
    first = client.get(f"/enter?once={link}&back=/runs")
    assert first.headers["referrer-policy"] == "no-referrer"
    assert first.headers["cache-control"] == "no-store"
    assert link not in f"{first.headers}{first.text}"
    again = client.get(f"/enter?once={link}&back=/runs")
    assert again.status_code == 403
    assert again.headers["referrer-policy"] in ("same-origin", "no-referrer")
    assert again.headers["cache-control"] == "no-store"
    assert link not in again.text
    given = holder(store, client.cookies[COOKIE], utc_now())
    assert given is not None
    assert given.role == "reader"


NUMBERS = (
    "0",
    "-1",
    "1e3",
    "NaN",
    "inf",
    "1" + "0" * 30,
    "9" * 5000,
    "١",
    "0x1",
    "",
    " 1",
    "1_0",
    "1.5",
)
NUMBERED = (
    "/runs/{run}?first=",
    "/runs/{run}/live?first=",
    "/trajectories/{run}/01?trial=",
    "/trajectories/{run}/01?attempt=",
    "/trajectories/{run}/01?first=",
    "/trajectories/{run}/01?part=figure&place=",
    "/trajectories/{run}/01?part=figure&number=",
    "/compare?left={run}&right={run}&entity=01&trial=",
    "/checklists/flights?at=",
)


def test_no_number_is_too_large_too_small_or_too_odd(visit: Visit, store: Repository) -> None:
    run: RunSpec = judged_run(store)
    client = visit("admin")
    for path in NUMBERED:
        for number in NUMBERS:
            answer = client.get(path.format(run=run.id) + quote(number))
            assert answer.status_code in (200, 404, 422), number
            assert len(answer.text) < 400_000


def test_no_form_and_no_query_is_too_long_or_too_many(visit: Visit, store: Repository) -> None:
    run = judged_run(store)
    client = visit("admin")
    long, many = "x" * 200_000, "&".join(f"k{n}=v" for n in range(2000))
    for path in (f"/labels/{run.id}", "/checklists/flights/copy", VOTE, "/enter"):
        for body in (f"subject={long}&new_id={long}&token={long}&pair={long}", many, "&" * 90_000):
            kind = {"content-type": "application/x-www-form-urlencoded"}
            answer = client.post(path, content=body, headers=kind)
            assert answer.status_code in (400, 403, 404, 422, 303), (path, body[:20])
            assert len(answer.text) < 20_000
        for kind_ in ("multipart/form-data; boundary=x", "multipart/form-data", "application/json"):
            answer = client.post(path, content=b"--x\r\nbroken", headers={"content-type": kind_})
            assert answer.status_code in (400, 403, 422), (path, kind_)
        answer = client.post(path, files={"subject": b"file", "new_id": b"f", "token": b"f"})
        assert answer.status_code in (400, 403, 422), path
    for path in ("/", "/compare", "/checklists/flights", f"/runs/{run.id}"):
        assert client.get(f"{path}?{many}").status_code == 200
    words = quote(" ".join(["(a+)+$", "%", "_", "[", "\\"] * 800))
    assert client.get(f"/checklists/flights?q={words}").status_code == 200
