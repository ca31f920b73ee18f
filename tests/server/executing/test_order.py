"""What is written behind --exec: words, places, and what the command is given to work with."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

import pytest

from core.errors import UsageError
from core.outside import Seat
from server.configurations import CLIENTS, PROMPT
from server.enrolment import Issued
from server.executing.order import Order, read_order
from tests.server.support import START

URL = "http://127.0.0.1:8910/r/x/mcp"
FOLDER = Path("/tmp/ddr agent")


def issued(entity_id: str = "01", *more: str, trial: int = 2) -> Issued:
    keys = tuple((each, trial) for each in (entity_id, *more))
    seat = Seat(path="x", run_id="r", token_hash="h", keys=keys, created_at=START)
    return Issued(seat, "ddr_token")


def order(text: str, here: Path, *, client: str | None = None, queue: bool = False) -> Order:
    return read_order(text, client=CLIENTS[client] if client else None, queue=queue, here=here)


def words(text: str, here: Path, client: str | None = None, entity_id: str = "01") -> list[str]:
    made = order(text, here, client=client)
    return made.command(issued(entity_id), URL, folder=FOLDER, config=Path("/c/opencode.json"))


@pytest.fixture
def opencode(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program of this name on the path."""
    program = tmp_path / "bin" / "opencode"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o700)
    monkeypatch.setenv("PATH", str(program.parent), prepend=os.pathsep)


def test_a_command_is_split_and_no_shell_reads_it(tmp_path: Path) -> None:
    assert words("echo 'a b' $HOME | ; ~ *", tmp_path) == [
        *("echo", "a b", "$HOME", "|", ";", "~", "*")
    ]


def test_every_place_is_filled_in(tmp_path: Path) -> None:
    text = "echo {url} --token={token} {config} {entity}/{trial} {prompt} {here} {folder}"
    assert words(text, tmp_path, client="opencode") == [
        "echo",
        URL,
        "--token=ddr_token",
        "/c/opencode.json",
        "01/2",
        PROMPT,
        str(tmp_path),
        str(FOLDER),
    ]


def test_other_braces_are_left_as_they_are(tmp_path: Path) -> None:
    assert words("echo '{\"url\": {x}}' {} {urls}", tmp_path)[1:] == [
        '{"url": {x}}',
        "{}",
        "{urls}",
    ]


def test_what_is_filled_in_is_not_looked_at_for_places(tmp_path: Path) -> None:
    folder = tmp_path / "{token}"
    assert words("echo {here}", folder)[1] == str(folder)


@pytest.mark.parametrize("entity_id", ["a b", "$(id)", "-x", "a;b", "../x", "a'b", ""])
def test_an_id_that_a_shell_could_obey_does_not_stand_in_a_command(
    tmp_path: Path, entity_id: str
) -> None:
    with pytest.raises(UsageError, match="DDR_ENTITY"):
        words("sh -c 'echo {entity}'", tmp_path, entity_id=entity_id)
    assert words("echo {trial}", tmp_path, entity_id=entity_id) == ["echo", "2"]


@pytest.mark.usefixtures("opencode")
def test_the_clients_own_command_can_be_asked_for_and_added_to(tmp_path: Path) -> None:
    found = words("{command} --model lab/x", tmp_path, client="opencode")
    assert found == ["sh", "-c", f'opencode run "{PROMPT}" --model lab/x']


@pytest.mark.usefixtures("opencode")
def test_what_is_filled_into_a_clients_own_command_is_one_word_of_it(tmp_path: Path) -> None:
    here = tmp_path / "a $(touch x) b"
    line = words("{command} --file {here} {url}", here, client="opencode")[2]
    assert shlex.split(line)[3:] == ["--file", str(here), URL]


def test_a_program_of_the_callers_folder_is_found_from_another(tmp_path: Path) -> None:
    program = tmp_path / "agent.sh"
    program.write_text("#!/bin/sh\npwd\n")
    program.chmod(0o700)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for text in ("./agent.sh", "{here}/agent.sh", str(program)):
        done = subprocess.run(
            words(text, tmp_path), cwd=elsewhere, capture_output=True, text=True, check=True
        )
        assert done.stdout.strip() == str(elsewhere)


def test_a_file_of_the_callers_folder_among_the_words_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text("")
    made = order(f"python3 agent.py {{here}}/agent.py {tmp_path}/agent.py {'x' * 5000}", tmp_path)
    assert made.relative_files() == ["agent.py"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "which command"),
        ("  ", "which command"),
        ("echo 'a", "quotation"),
        ("no-such-program-1 x", "no program 'no-such-program-1'"),
        ("cd x && echo", "sh -c"),
        ("./agent.sh", "no program that can be started"),
        ("echo {config}", "--write CLIENT"),
        ("{command}", "--write CLIENT"),
        ("echo \0", "NUL"),
    ],
)
def test_what_cannot_be_started_is_refused_before_anything_is_begun(
    tmp_path: Path, text: str, said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        order(text, tmp_path)


def test_a_client_that_is_not_installed_is_told_before_anything_is_begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    for name, program in (("claude-code", "claude"), ("pydantic-ai", "python3")):
        with pytest.raises(UsageError, match=f"no program '{program}'"):
            order("{command}", tmp_path, client=name)


def test_one_agent_for_a_queue_is_told_no_entity(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--queue"):
        order("echo {entity}", tmp_path, queue=True)
    made = order("env", tmp_path, queue=True)
    given = made.environment({}, issued("01", "02"), URL, folder=FOLDER)
    assert given == {"DDR_URL": URL, "DDR_TOKEN": "ddr_token", "PWD": str(FOLDER)}


def test_it_is_given_the_callers_variables_but_no_way_to_our_home(tmp_path: Path) -> None:
    caller = {
        "PATH": "/bin",
        "OPENAI_API_KEY": "key",
        "OLDPWD": "/work",
        "DDR_HOME": "/home/.ddr",
        "DDR_TEST_DATA": "/data",
        "DDR_TOKEN": "another's",
    }
    given = order("env", tmp_path).environment(caller, issued(), URL, folder=FOLDER)
    assert given == {
        "PATH": "/bin",
        "OPENAI_API_KEY": "key",
        "PWD": str(FOLDER),
        "DDR_URL": URL,
        "DDR_TOKEN": "ddr_token",
        "DDR_ENTITY": "01",
        "DDR_TRIAL": "2",
    }


def test_a_proxy_for_the_web_is_not_asked_for_a_server_on_this_machine(tmp_path: Path) -> None:
    caller = {"HTTP_PROXY": "http://proxy:3128", "NO_PROXY": "intranet"}
    made = order("env", tmp_path)
    given = made.environment(caller, issued(), URL, folder=FOLDER)
    assert given["NO_PROXY"] == given["no_proxy"] == "intranet,127.0.0.1"
    elsewhere = made.environment(caller, issued(), "https://h/r/x/mcp", folder=FOLDER)
    assert elsewhere["NO_PROXY"] == "intranet"
    assert "no_proxy" not in elsewhere
