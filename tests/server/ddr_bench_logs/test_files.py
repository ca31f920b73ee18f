"""What is wrong in a log is told with its file and place, and where nothing is it says so."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest

from core.errors import LogError
from server.ddr_bench_logs import files
from server.ddr_bench_logs.calls import Caller
from server.ddr_bench_logs.exploring import explore
from server.ddr_bench_logs.finding import entity_of, find
from server.ddr_bench_logs.messages import read_session
from tests.server.ddr_bench_logs.written import usual


def change(folder: Path, name: str, edit: Callable[[str], str]) -> None:
    (path,) = folder.glob(f"{name}_*")
    path.write_bytes(edit(path.read_bytes().decode("utf-8")).encode("utf-8"))


@pytest.mark.parametrize(
    ("name", "old", "new", "fault"),
    [
        ("chat_messages", "timestamp,role,content", "timestamp,rolle,content", "column 'role' is"),
        ("chat_messages", ",agent,I look.", ",oracle,I look.", "line 2: column 'role': 'oracle'"),
        ("chat_messages", '{""tool""', '{""toll""', "column 'tool_call': the key 'tool' is"),
        ("chat_messages", '{""tool""', '{{""tool""', "column 'tool_call': not JSON"),
        ("chat_messages", "2026-01-31T12:00:10", "noon", "line 2: column 'timestamp': 'noon' is"),
        ("insights", ",insight\r\n", ",insights\r\n", "line 1: the column 'insight' is missing"),
        (
            "message_stats",
            ",100,7,",
            ",100,seven,",
            "column 'completion_tokens': 'seven' is no number",
        ),
        ("message_stats", ",100,7,", ",100,-7,", "column 'completion_tokens': '-7' is no number"),
        ("message_stats", ",100,7,", ",100,nan,", "column 'completion_tokens': 'nan' is no number"),
        ("message_stats", ",100,7,", ",100,1e300,", "'1e300' is no number from 0 to 1000000000"),
        ("chat_messages", "2026-01-31T12:00:10", "0001-01-01T00:00:00+14:00", "column 'timestamp'"),
        ("session_stats", "2026-01-31T12:00:00", "9999-12-31T23:59:59-14:00", "key 'start_time'"),
        ("session_stats", '{"start', '["start', "not JSON at line 1"),
        ("session_stats", "2026-01-31T12:00:00", "then", "key 'start_time': 'then' is no time"),
    ],
)
def test_a_fault_is_told_with_file_and_place(
    tmp_path: Path, name: str, old: str, new: str, fault: str
) -> None:
    folder = usual().write(tmp_path / "7")
    change(folder, name, lambda text: text.replace(old, new, 1))
    with pytest.raises(LogError) as failed:
        for session in find(tmp_path, {"7"}).sessions:
            explore(read_session(session), Caller("m"))
    assert str(failed.value).startswith(f"{name}_")
    assert fault in str(failed.value)


def test_a_file_that_breaks_off_is_refused(tmp_path: Path) -> None:
    folder = usual().write(tmp_path / "7")
    change(folder, "chat_messages", lambda text: text[: text.index("SELECT 4")])
    (session,) = find(tmp_path, {"7"}).sessions
    with pytest.raises(LogError, match=r"chat_messages_.*: line \d+: "):
        read_session(session)


def test_a_list_where_an_object_belongs_is_refused(tmp_path: Path) -> None:
    folder = usual().write(tmp_path / "7")
    change(folder, "session_stats", lambda text: f"[{text}]")
    (session,) = find(tmp_path, {"7"}).sessions
    with pytest.raises(LogError, match="one object belongs here, not a list"):
        read_session(session)


def test_latin_1_and_files_beyond_all_bounds_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(b"role\ncaf\xe9\n")
    with pytest.raises(LogError, match=r"x\.csv: line 2: not UTF-8 \(byte 0xe9\)"):
        files.rows(path, ("role",))
    monkeypatch.setattr(files, "LARGEST", 5)
    with pytest.raises(LogError, match="more than the 5 bytes"):
        files.rows(path, ("role",))
    monkeypatch.setattr(files, "LARGEST", 1000)
    monkeypatch.setattr(files, "MOST", 1)
    path.write_text("role\na\nb\n", encoding="utf-8")
    with pytest.raises(LogError, match="more than 1 rows"):
        files.rows(path, ("role",))


def test_a_whole_prompt_fits_into_a_field_and_the_process_keeps_its_bound(tmp_path: Path) -> None:
    before = csv.field_size_limit()
    path = tmp_path / "x.csv"
    path.write_text(f"role,content\nagent,{'x' * 200_000}\n", encoding="utf-8")
    (row,) = files.rows(path, ("role",))
    assert len(row.text("content")) == 200_000
    assert csv.field_size_limit() == before


@pytest.mark.parametrize(
    ("name", "entity"),
    [
        ("user_INS-W_004", "INS-W_004"),
        ("INS-W_004", "INS-W_004"),
        ("company_0000012927", "12927"),
        ("12927", "12927"),
        ("company_99", None),
        ("notes", None),
    ],
)
def test_a_folder_is_named_after_its_entity(name: str, entity: str | None) -> None:
    assert entity_of(name, {"INS-W_004", "12927"}) == entity


def test_sessions_are_found_by_the_time_in_their_names(tmp_path: Path) -> None:
    usual().write(tmp_path / "company_7", "20260202_000000")
    usual().write(tmp_path / "company_7", "20260131_000000", without="session_stats")
    usual().write(tmp_path / "company_8")
    (tmp_path / "plots").mkdir()
    found = find(tmp_path, {"7"})
    assert [each.stamp for each in found.sessions] == ["20260131_000000", "20260202_000000"]
    assert sorted(found.sessions[0].files) == ["chat_messages", "insights", "message_stats"]
    assert found.strangers == ("company_8",)
    (own,) = find(tmp_path / "company_8", {"8"}).sessions
    assert own.entity_id == "8"


def test_a_folder_without_logs_says_what_belongs_there(tmp_path: Path) -> None:
    with pytest.raises(LogError, match="no logs found; the released code writes chat_messages"):
        find(tmp_path, {"7"})
    usual().write(tmp_path / "company_8")
    with pytest.raises(LogError, match="company_8, none an entity of the scenario"):
        find(tmp_path, {"7"})
    with pytest.raises(LogError, match="cannot be read"):
        find(tmp_path / "nowhere", {"7"})
