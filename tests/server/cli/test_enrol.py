"""`ddr enrol`: what it gives out, writes, takes back, and refuses."""

from __future__ import annotations

import re
import stat
from pathlib import Path

import pytest

from core.trajectory import StopReason
from server.executing import order
from server.secret import token_hash
from server.store import RunLock, open_store
from server.store.seats import Seats
from tests.server.cli.conftest import Ddr, Done

SILENT = "http://127.0.0.1:1"
"""Where nobody listens."""


@pytest.fixture
def enrol(ddr: Ddr, built_home: Path) -> Ddr:
    """`ddr enrol` for carriers of flights."""

    def run(*options: str) -> Done:
        named = ("--scenario", "flights", "--agent", "mine", "--entities", "01,02")
        return ddr("enrol", *named, "--url", SILENT, *options)

    return run


def test_each_exploration_has_an_address_and_a_token_of_its_own(
    enrol: Ddr, built_home: Path
) -> None:
    done = enrol("--json")
    assert done.code == 0, done.err
    told = done.json
    assert [(seat["entity"], seat["trial"]) for seat in told["seats"]] == [
        (entity, trial) for trial in (1, 2, 3) for entity in ("01", "02")
    ]
    with open_store(built_home / "store.sqlite3") as store:
        for seat in told["seats"]:
            path = seat["url"].removeprefix(f"{SILENT}/r/").removesuffix("/mcp")
            state = Seats(store).at(path)
            assert state is not None
            assert state.seat.token_hash == token_hash(seat["token"])
            assert state.key == (seat["entity"], seat["trial"])


def test_they_are_shown_to_be_pasted_and_what_comes_next_is_said(enrol: Ddr) -> None:
    done = enrol("--trials", "1")
    lines = [line.strip() for line in done.out.splitlines()]
    assert sum(line.startswith(f"DDR_URL={SILENT}/r/") for line in lines) == 2
    assert sum(line.startswith("DDR_TOKEN=ddr_") for line in lines) == 2
    assert "shown this once" in done.out
    assert "evaluate" in done.out
    assert "enrol --close" in done.out
    assert f"no server answers at {SILENT}" in done.err
    assert "serve --http --port 1" in done.err


def test_what_was_agreed_is_kept(enrol: Ddr, built_home: Path) -> None:
    done = enrol(
        *("--trials", "2", "--tools", "sql", "--max-turns", "7", "--max-seconds", "90"),
        *("--idle", "60", "--shell", "yes", "--web", "no", "--queue", "--json"),
    )
    with open_store(built_home / "store.sqlite3") as store:
        spec = store.run(done.json["run"])
    assert spec.outside is not None
    assert (spec.agent, spec.trials, spec.tools) == ("mine", 2, "sql")
    assert (spec.limits.max_turns, spec.limits.max_seconds) == (7, 90)
    outside = spec.outside
    assert (outside.has_shell, outside.has_web) == (True, False)
    assert (outside.queue, outside.idle_s) == (True, 60)
    assert [seat["entities"] for seat in done.json["seats"]] == [["01", "02"]] * 2


def test_nothing_is_said_of_a_shell_unless_somebody_says_it(enrol: Ddr, built_home: Path) -> None:
    enrol()
    with open_store(built_home / "store.sqlite3") as store:
        outside = store.run("last").outside
    assert outside is not None
    assert (outside.has_shell, outside.has_web) == (None, None)


def test_configurations_are_written_one_folder_for_each_seat(enrol: Ddr, tmp_path: Path) -> None:
    done = enrol("--trials", "1", "--write", "opencode", "--to", str(tmp_path / "seats"), "--json")
    for seat in done.json["seats"]:
        config = Path(seat["config"])
        assert config == tmp_path / "seats" / f"{seat['entity']}-1" / "opencode.json"
        assert stat.S_IMODE(config.stat().st_mode) == 0o600
        assert seat["url"] in config.read_text()
        assert seat["token"] in config.read_text()
    shown = enrol("--trials", "1", "--write", "codex", "--to", str(tmp_path / "codex"))
    assert "codex exec" in shown.out
    assert str(tmp_path / "codex" / "01-1") in shown.out
    assert "DDR_TOKEN" not in shown.out


def test_without_a_place_they_are_written_below_this_folder(
    enrol: Ddr, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = enrol("--trials", "1", "--write", "mcp", "--json")
    assert Path(done.json["seats"][0]["config"]).is_relative_to(tmp_path / done.json["run"])


def test_where_they_cannot_be_written_it_is_said_how_to_get_fresh_ones(
    enrol: Ddr, ddr: Ddr, tmp_path: Path
) -> None:
    theirs = tmp_path / "seats" / "02-1" / "opencode.json"
    theirs.parent.mkdir(parents=True)
    theirs.write_text("{}")
    done = enrol("--trials", "1", "--write", "opencode", "--to", str(tmp_path / "seats"))
    assert done.code == 2
    assert str(theirs) in done.err
    assert "enrol --resume" in done.err
    elsewhere = ("--write", "opencode", "--to", str(tmp_path / "fresh"), "--url", SILENT)
    again = ddr("enrol", "--resume", "last", *elsewhere, "--json")
    assert len(again.json["seats"]) == 2
    assert theirs.read_text() == "{}"


def test_going_on_gives_fresh_ones_and_closing_ends_all(
    enrol: Ddr, ddr: Ddr, built_home: Path
) -> None:
    first = enrol("--trials", "1", "--json").json
    again = ddr("enrol", "--resume", "last", "--url", SILENT, "--json").json
    assert again["run"] == first["run"]
    tokens = {seat["token"] for seat in (*first["seats"], *again["seats"])}
    assert len(tokens) == 4
    closed = ddr("enrol", "--close", "last", "--json")
    assert closed.code == 0, closed.err
    assert closed.json["stop_reasons"] == {StopReason.NO_CONTACT.value: 2}
    nothing = ddr("enrol", "--resume", "last", "--url", SILENT, "--json")
    assert nothing.json["seats"] == []
    assert "nothing is left to do" in nothing.err
    retried = ddr("enrol", "--resume", "last", "--retry", "--url", SILENT, "--json")
    assert len(retried.json["seats"]) == 2


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--scenario", "flights"), "which agent"),
        (("--agent", "mine"), "which scenario"),
        (("--scenario", "no", "--agent", "mine"), "unknown scenario"),
        (("--scenario", "flights", "--agent", "react"), "an agent of our own"),
        (("--scenario", "flights", "--agent", "m", "--write", "opncode"), "opencode"),
        (("--scenario", "flights", "--agent", "m", "--tools", "all"), "sql"),
        (("--scenario", "flights", "--agent", "m", "--goal", "x"), "generic"),
        (("--scenario", "flights", "--agent", "m", "--shell", "maybe"), "yes or no"),
        (("--scenario", "flights", "--agent", "m", "--max-turns", "0"), "--max-turns"),
        (("--scenario", "flights", "--agent", "m", "--idle", "-1"), "--idle"),
        (("--scenario", "flights", "--agent", "m", "--trials", "0"), "--trials"),
        (("--scenario", "flights", "--agent", "m", "--url", "host:1"), "--url"),
        (("--scenario", "flights", "--agent", "m", "--url", 'http://h/"'), "--url"),
        (("--scenario", "flights", "--agent", "m", "--url", "http://h:x"), "--url"),
        (("--scenario", "flights", "--agent", "m", "--time-limit", "5"), "--exec"),
        (("--scenario", "flights", "--agent", "m", "--to", "x"), "--write"),
        (("--scenario", "flights", "--agent", "m", "--retry"), "--resume"),
        (("--scenario", "flights", "--agent", "m", "--exec", "no-such-1"), "no-such-1"),
        (
            ("--scenario", "flights", "--agent", "m", "--exec", "true", "--time-limit", "0"),
            "above 0",
        ),
        (("--resume", "last", "--agent", "other"), "--agent"),
        (("--close", "last", "--resume", "last"), "--close"),
        (("--close", "last", "--exec", "true"), "--exec"),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_is_kept(
    ddr: Ddr, built_home: Path, options: tuple[str, ...], said: str
) -> None:
    done = ddr("enrol", *options)
    assert done.code == 2
    assert said in done.err
    with open_store(built_home / "store.sqlite3") as store:
        assert store.runs() == []


def test_a_run_that_is_being_worked_on_is_neither_closed_nor_given_out(
    enrol: Ddr, ddr: Ddr, built_home: Path
) -> None:
    run = enrol("--trials", "1", "--json").json["run"]
    with RunLock(built_home / "locks", run):
        for options in (("--close", run), ("--resume", run), ("--resume", run, "--exec", "true")):
            done = ddr("enrol", *options)
            assert done.code == 1
            assert "worked on by another process" in done.err


def test_a_run_of_our_own_agent_is_no_enrolment(ddr: Ddr, explored: Path) -> None:
    for option in ("--resume", "--close"):
        done = ddr("enrol", option, "last")
        assert done.code == 2
        assert "run --resume" in done.err


def test_a_run_from_outside_is_not_resumed_by_the_command_for_our_own(enrol: Ddr, ddr: Ddr) -> None:
    run = enrol("--trials", "1", "--json").json["run"]
    done = ddr("run", "--resume", run)
    assert done.code == 2
    assert f"enrol --resume {run}" in done.err


def test_with_a_run_goes_what_its_agents_printed(enrol: Ddr, ddr: Ddr, built_home: Path) -> None:
    run = enrol("--trials", "1", "--json").json["run"]
    log = built_home / "outside" / run / "01-1.log"
    log.parent.mkdir(parents=True)
    log.touch()
    assert ddr("delete", run, "--yes").code == 0
    assert not log.parent.exists()


def test_an_id_that_cannot_stand_in_a_command_is_told_before_an_agent_is_started(
    ddr: Ddr, built_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(order, "_PLAIN_ENTITY", re.compile("x"))
    named = ("--scenario", "flights", "--agent", "mine", "--entities", "01")
    done = ddr("enrol", *named, "--exec", "echo {entity}")
    assert done.code == 2
    assert "DDR_ENTITY" in done.err
    with open_store(built_home / "store.sqlite3") as store:
        assert store.runs() == []


def test_a_server_that_does_not_answer_is_told_before_an_agent_is_started(
    enrol: Ddr, built_home: Path
) -> None:
    done = enrol("--exec", "true")
    assert done.code == 1
    assert f"no server answers at {SILENT}" in done.err
    with open_store(built_home / "store.sqlite3") as store:
        assert store.runs() == []
