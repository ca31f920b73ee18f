"""Files of other programs: what is read of them, and where they are wrong."""

from __future__ import annotations

import json
import struct
import zipfile
from pathlib import Path
from typing import Any

import pytest
import zstandard

from core.errors import LogError
from core.trajectory import StopReason
from server.foreign_logs.inspect_log import read_inspect
from server.foreign_logs.lines import read_lines
from server.foreign_logs.told import NO_TIME, entity_meant
from tests.server.foreign_logs.test_messages import START, answer, asked, said


def lines(path: Path, *listed: Any) -> Path:
    path.write_text("\n".join(x if isinstance(x, str) else json.dumps(x) for x in listed), "utf-8")
    return path


def test_lines_hold_insights_with_and_without_turns(tmp_path: Path) -> None:
    path = lines(
        tmp_path / "mine.jsonl",
        {"entity": 1, "insights": ["One.", {"text": "Two.", "turn": 4}, " "], "report": "All."},
        "",
        {"entity": "02", "report": "R", "stop_reason": "max_turns", "model": "m", "trial": 2},
        {"entity": "03", "messages": [START, said("Nothing.")]},
    )
    first, second, third = read_lines(path)
    assert (first.entity, first.report, first.stop_reason) == ("1", "All.", StopReason.FINISHED)
    assert first.insights == ((None, "One."), (4, "Two."))
    assert (second.stop_reason, second.model, second.trial) == (StopReason.MAX_TURNS, "m", 2)
    assert third.report == "Nothing."


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("{", "line 2: not JSON"),
        ("[" * 5000, "line 2: not JSON"),
        ([], "line 2: an object belongs here, not a list"),
        ({"report": "x"}, "key 'entity'"),
        ({"entity": "01"}, "neither insights, a report nor messages"),
        ({"entity": "01", "report": 3}, "key 'report': a text belongs here, not a number"),
        ({"entity": "01", "insights": "x"}, "key 'insights': a list belongs here"),
        ({"entity": "01", "insights": [{"turn": 3}]}, "key 'insights.0': a text"),
        ({"entity": "01", "insights": [{"text": "x", "turn": 0}]}, "turn is a number from 1"),
        ({"entity": "01", "report": "x", "trial": True}, "key 'trial': a number from 1"),
        ({"entity": "01", "report": "x", "trial": 10**9}, "key 'trial': a number from 1"),
        ({"entity": "01", "insights": [{"text": "x", "turn": 10**30}]}, "turn is a number from 1"),
        ({"entity": "01", "report": "x", "stop_reason": "tired"}, "'tired' is none of finished"),
        ({"entity": "01", "report": "x", "messages": []}, "either messages, or insights"),
        ({"entity": "01", "summary": "x"}, "key 'summary' is unknown; known are entity"),
    ],
)
def test_a_faulty_line_is_named(tmp_path: Path, line: Any, fault: str) -> None:
    path = lines(tmp_path / "mine.jsonl", {"entity": "01", "report": "x"}, line)
    with pytest.raises(LogError, match=fault):
        read_lines(path)


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LogError, match="no trajectory in it"):
        read_lines(lines(tmp_path / "mine.jsonl", "", ""))


def sample(**fields: Any) -> dict[str, Any]:
    return {
        "id": "01",
        "epoch": 2,
        "messages": [START, asked("execute_query"), answer("1"), said("Done.")],
        "output": {"model": "openai/x"},
        "model_usage": {
            "openai/x": {"input_tokens": 70, "output_tokens": 9, "input_tokens_cache_read": 30}
        },
        "started_at": "2026-02-01T10:00:00+00:00",
        "completed_at": "2026-02-01T10:00:09+00:00",
        **fields,
    }


def packed(path: Path, *samples: Any, zstd: bool) -> Path:
    """A log as Inspect packs it. (Python's zipfile writes no zstandard before 3.14.)"""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED if zstd else zipfile.ZIP_DEFLATED) as made:
        for number, each in enumerate(samples, 1):
            raw = json.dumps(each).encode()
            content = zstandard.ZstdCompressor().compress(raw) if zstd else raw
            made.writestr(f"samples/{number}_epoch_1.json", content)
        made.writestr("header.json", b"{}" if not zstd else zstandard.compress(b"{}"))
    if zstd:
        data = bytearray(path.read_bytes())
        for mark, at in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
            place = data.find(mark)
            while place >= 0:
                struct.pack_into("<H", data, place + at, 93)
                place = data.find(mark, place + 4)
        path.write_bytes(data)
    return path


@pytest.mark.parametrize("zstd", [False, True])
def test_each_sample_of_a_packed_log_is_a_trajectory(tmp_path: Path, zstd: bool) -> None:
    path = packed(tmp_path / "x.eval", sample(), sample(id="s7", metadata={"entity": 2}), zstd=zstd)
    first, second = read_inspect(path)
    assert (first.entity, first.trial, first.model) == ("01", 2, "openai/x")
    assert (len(first.turns), first.report) == (1, "Done.")
    assert first.usage is not None
    assert (first.usage.input_tokens, first.usage.cached_input_tokens) == (100, 30)
    assert (first.ended_at - first.started_at).total_seconds() == 9
    assert second.entity == "2"


def test_a_log_in_json_is_read_as_well(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps({"samples": [sample(started_at="soon")]}), "utf-8")
    (told,) = read_inspect(path)
    assert told.started_at == NO_TIME


def test_texts_that_are_kept_beside_a_sample_are_put_back(tmp_path: Path) -> None:
    kept = sample(
        messages=[START, asked("execute_query"), answer("attachment://h1"), said("Done.")],
        attachments={"h1": "a long result"},
    )
    path = tmp_path / "x.json"
    path.write_text(json.dumps({"samples": [kept]}), "utf-8")
    (told,) = read_inspect(path)
    assert told.turns[0].tool_results[0].text == "a long result"


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"error": {"message": "no  network"}}, StopReason.PROVIDER_ERROR),
        ({"limit": {"type": "message"}}, StopReason.FINISHED),  # it had had its say
        ({"limit": {"type": "token"}, "messages": [START]}, StopReason.MAX_TOKENS),
        ({"limit": {"type": "operator"}, "messages": [START]}, StopReason.CANCELLED),
        ({"messages": [START]}, StopReason.ABANDONED),
    ],
)
def test_a_sample_ends_for_the_reason_that_the_log_gives(
    tmp_path: Path, fields: dict[str, Any], reason: StopReason
) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps({"samples": [sample(**fields)]}), "utf-8")
    (told,) = read_inspect(path)
    assert told.stop_reason == reason
    assert told.error == ("Inspect: no network" if "error" in fields else None)


@pytest.mark.parametrize(
    "content", [b"", b"{}", b"[]", b'{"samples": []}', b'{"samples": [3]}', b"PK\x03\x04", b"\xff"]
)
def test_what_is_no_log_of_inspect_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.eval"
    path.write_bytes(content)
    with pytest.raises(LogError, match=r"x\.eval"):
        read_inspect(path)


def test_a_damaged_sample_is_refused(tmp_path: Path) -> None:
    path = packed(tmp_path / "x.eval", sample(), zstd=True)
    data = bytearray(path.read_bytes())
    data[80] ^= 0xFF
    path.write_bytes(data)
    with pytest.raises(LogError):
        read_inspect(path)


def marked(path: Path, *, flags: int = 0, method: int = zipfile.ZIP_DEFLATED) -> Path:
    """A log whose only sample says that it is encrypted, or packed in another way than it is."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("samples/1.json", json.dumps(sample()) * 50)
    data = bytearray(path.read_bytes())
    for header, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        struct.pack_into("<HH", data, data.index(header) + at, flags, method)
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("flags", [0, 1])
@pytest.mark.parametrize("method", [0, 8, 9, 12, 14, 93, 97])
def test_a_sample_that_is_packed_as_nobody_can_read_is_refused(
    tmp_path: Path, flags: int, method: int
) -> None:
    with pytest.raises(LogError, match=r"x\.eval"):
        read_inspect(marked(tmp_path / "x.eval", flags=flags, method=method))


def test_no_bomb_is_unpacked_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = packed(tmp_path / "x.eval", *[sample()] * 3, zstd=False)
    monkeypatch.setattr(
        "server.foreign_logs.inspect_log.LARGEST_LOG", 2 * len(json.dumps(sample()))
    )
    with pytest.raises(LogError, match="more than"):
        read_inspect(path)


def test_a_sample_that_is_nested_without_end_is_refused(tmp_path: Path) -> None:
    nested: list[Any] = []
    for _ in range(450):
        nested = [[nested]]
    path = packed(tmp_path / "x.eval", sample(messages=nested, attachments={"a": "b"}), zstd=False)
    with pytest.raises(LogError, match=r"nested too deeply|an object belongs here"):
        read_inspect(path)


@pytest.mark.parametrize("epoch", [0, -1, True, 10**30])
def test_a_number_that_counts_nothing_is_none(tmp_path: Path, epoch: Any) -> None:
    usage = {"m": {"input_tokens": 10**30, "output_tokens": -5}}
    (told,) = read_inspect(
        packed(tmp_path / "x.eval", sample(epoch=epoch, model_usage=usage), zstd=False)
    )
    assert told.trial is None
    assert told.usage is not None
    assert (told.usage.input_tokens, told.usage.output_tokens) == (None, None)


def test_a_time_that_no_calendar_has_is_no_time(tmp_path: Path) -> None:
    times = {
        "started_at": "0001-01-01T00:00:00+14:00",
        "completed_at": "9999-12-31T23:59:59-14:00",
    }
    (told,) = read_inspect(packed(tmp_path / "x.eval", sample(**times), zstd=False))
    assert (told.started_at, told.ended_at) == (NO_TIME, NO_TIME)


def test_an_entity_is_meant_with_or_without_leading_zeros() -> None:
    known = ["01", "02", "A1"]
    found = [entity_meant(said, known) for said in ("1", "02", "002", "A1", "a1", "3", "")]
    assert found == ["01", "02", "02", "A1", None, None, None]
