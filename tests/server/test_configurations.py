"""A client's configuration is its own layout, holds one seat's secrets, and is read by its owner alone."""

from __future__ import annotations

import json
import os
import shlex
import stat
import subprocess
import tomllib
from pathlib import Path

import pytest

from core.errors import StoreError, UsageError
from server.configurations import CLIENTS, ENVIRONMENT, Client, files_of, write

URL = "http://127.0.0.1:8910/r/Xy-_9/mcp"
TOKEN = "ddr_-_secret"
EACH = pytest.mark.parametrize("client", CLIENTS.values(), ids=CLIENTS)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@EACH
def test_what_is_written_is_for_its_owner_alone_and_has_no_place_left(
    client: Client, tmp_path: Path
) -> None:
    folder = tmp_path / "01-1"
    config = write(client, folder, URL, TOKEN)
    assert config.exists()
    written = [path for path in folder.rglob("*") if path.is_file()]
    assert {mode(path) for path in written} == {0o600}
    assert mode(folder) == 0o700
    texts = {path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in written}
    assert set(texts) == {file.path for file in files_of(client, URL, TOKEN)}
    assert "$DDR_" not in "".join(texts.values())
    holders = [text for text in texts.values() if TOKEN in text and URL in text]
    assert len(holders) == (1 if client.has_program else 2)


@EACH
def test_the_command_names_what_was_written(client: Client, tmp_path: Path) -> None:
    """Carried out by a shell whose programs tell what they were given, as a person would."""
    write(client, tmp_path, URL, TOKEN)
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("opencode", "codex", "claude", "gemini", "python3"):
        (programs / name).write_text(
            '#!/bin/sh\necho "${CODEX_HOME-}|${DDR_TOKEN-}"\nprintf "%s\\n" "$@"\n'
        )
        (programs / name).chmod(0o700)
    environment = {"PATH": f"{programs}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["sh", "-c", client.command],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    first, *arguments = done.stdout.splitlines()
    home, token = first.split("|")
    assert (programs / client.program).exists()
    if client.has_program:
        assert (token, arguments) == (TOKEN, ["explore.py"])
        assert (tmp_path / "explore.py").is_file()
    else:
        assert any("get_task" in argument for argument in arguments)
    if client.name == "codex":
        assert not home, "its user's login stays theirs"
        assert (tmp_path / ".codex" / "config.toml").is_file()
        assert f"projects={{'{tmp_path}'={{trust_level='trusted'}}}}" in arguments
    if client.name == "claude-code":
        assert (tmp_path / arguments[arguments.index("--mcp-config") + 1]).is_file()


def test_the_four_coding_agents_files_are_what_they_read(tmp_path: Path) -> None:
    def text(name: str) -> str:
        return files_of(CLIENTS[name], URL, TOKEN)[0].text

    bearer = {"Authorization": f"Bearer {TOKEN}"}
    opencode = json.loads(text("opencode"))["mcp"]["ddr"]
    assert (opencode["url"], opencode["headers"], opencode["oauth"]) == (URL, bearer, False)
    codex = tomllib.loads(text("codex"))["mcp_servers"]["ddr"]
    assert (codex["url"], codex["http_headers"], codex["required"]) == (URL, bearer, True)
    claude = json.loads(text("claude-code"))["mcpServers"]["ddr"]
    assert (claude["url"], claude["headers"], claude["alwaysLoad"]) == (URL, bearer, True)
    gemini = json.loads(text("gemini"))["mcpServers"]["ddr"]
    assert (gemini["httpUrl"], gemini["headers"], gemini["trust"]) == (URL, bearer, True)
    # Longer than a query may take, so that none of them gives up before we do.
    patience = [opencode["timeout"], claude["timeout"], gemini["timeout"]]
    assert min([*patience, 1000 * codex["tool_timeout_sec"]]) > 45_000


@EACH
def test_without_a_token_its_place_is_left_for_who_knows_it(client: Client) -> None:
    files = files_of(client, URL, None)
    assert ENVIRONMENT not in {file.path for file in files}
    text = "".join(file.text for file in files)
    assert "DDR_TOKEN" in text and TOKEN not in text


@EACH
def test_a_library_of_python_is_given_code_that_compiles(client: Client) -> None:
    for file in files_of(client, URL, TOKEN):
        if file.path.endswith(".py"):
            compile(file.text, file.path, "exec")


def test_the_environment_file_is_read_by_a_shell(tmp_path: Path) -> None:
    write(CLIENTS["mcp"], tmp_path, URL, TOKEN)
    command = f". ./{ENVIRONMENT}; echo $DDR_URL $DDR_TOKEN"
    done = subprocess.run(
        ["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert shlex.split(done.stdout) == [URL, TOKEN]


def test_a_file_of_somebody_elses_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "opencode.json").write_text("{}")
    with pytest.raises(UsageError, match="--to"):
        write(CLIENTS["opencode"], tmp_path, URL, TOKEN)
    assert (tmp_path / "opencode.json").read_text() == "{}"
    assert not (tmp_path / ENVIRONMENT).exists()


def test_a_fresh_seat_replaces_the_configuration_of_an_earlier_one(tmp_path: Path) -> None:
    write(CLIENTS["opencode"], tmp_path, URL, "ddr_old")
    write(CLIENTS["opencode"], tmp_path, URL, TOKEN)
    texts = [path.read_text() for path in tmp_path.iterdir()]
    assert len(texts) == 2
    assert all(TOKEN in text and "ddr_old" not in text for text in texts)


def test_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("mine")
    folder = tmp_path / "folder"
    write(CLIENTS["opencode"], folder, URL, TOKEN)
    (folder / "opencode.json").unlink()
    (folder / "opencode.json").symlink_to(outside)
    write(CLIENTS["opencode"], folder, URL, TOKEN)
    assert outside.read_text() == "mine"
    assert not (folder / "opencode.json").is_symlink()


@pytest.mark.parametrize("again", [False, True], ids=["at first", "again"])
@pytest.mark.parametrize("name", ["codex", "gemini"])
def test_a_folder_that_is_a_link_leads_nobody_elsewhere(
    name: str, again: bool, tmp_path: Path
) -> None:
    client, folder, elsewhere = CLIENTS[name], tmp_path / "folder", tmp_path / "elsewhere"
    elsewhere.mkdir()
    mine = elsewhere / Path(client.path).name
    mine.write_text("mine")
    within = (folder / client.path).parent
    if again:
        write(client, folder, URL, TOKEN)
        (folder / client.path).unlink()
        within.rmdir()
    else:
        folder.mkdir()
    within.symlink_to(elsewhere)
    with pytest.raises(UsageError, match="give another folder"):
        write(client, folder, URL, TOKEN)
    assert [path.read_text() for path in elsewhere.iterdir()] == ["mine"]


def test_a_mark_that_is_a_link_makes_no_folder_ours(tmp_path: Path) -> None:
    (tmp_path / "any").write_text("")
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / ENVIRONMENT).symlink_to(tmp_path / "any")
    (folder / "opencode.json").write_text("mine")
    with pytest.raises(UsageError, match="not written by ddr"):
        write(CLIENTS["opencode"], folder, URL, TOKEN)
    assert (folder / "opencode.json").read_text() == "mine"


def test_a_folder_that_cannot_be_made_is_told_as_one(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be written"):
        write(CLIENTS["opencode"], tmp_path / "file" / "01-1", URL, TOKEN)


@pytest.mark.parametrize(
    "url",
    ['http://h/"}', "http://h/'", "http://h/ x", "ftp://h/", "http://h/\n", "http://h/$DDR_TOKEN"],
)
def test_an_address_that_would_break_a_file_is_refused(url: str) -> None:
    with pytest.raises(UsageError, match="address"):
        files_of(CLIENTS["codex"], url, TOKEN)
