"""Logs of Inspect (.eval or .json): each sample is one trajectory."""

from __future__ import annotations

import io
import json
import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from core.errors import LogError
from core.reading import kind_of, read_json
from core.trajectory import StopReason, Usage
from server.foreign_logs.messages import explore
from server.foreign_logs.told import MOST_TOKENS, MOST_TRIALS, NO_TIME, Told, is_number

LARGEST: Final = 512 * 1024 * 1024
"""Bytes of one sample, unpacked."""
LARGEST_LOG: Final = 4 * 1024**3
"""Bytes of all samples, unpacked."""
_ZSTANDARD: Final = 93
"""The compression that Inspect writes and Python's zipfile cannot read before 3.14."""
_LOCAL_HEADER: Final = 30
_LIMITS: Final = {
    "message": StopReason.MAX_TURNS,
    "turn": StopReason.MAX_TURNS,
    "token": StopReason.MAX_TOKENS,
    "cost": StopReason.MAX_COST,
    "time": StopReason.MAX_SECONDS,
    "working": StopReason.MAX_SECONDS,
    "context": StopReason.CONTEXT_LENGTH,
}
_ATTACHED: Final = "attachment://"
_DAMAGE: Final = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    OSError,
    EOFError,
    ValueError,
    RuntimeError,
)
"""What unpacking raises: of an encrypted member or of a compression that is not known a RuntimeError,
as of nesting without end."""


def read_inspect(path: Path) -> list[Told]:
    """Every sample of a log, its entity from metadata.entity, else the sample's id; epochs are trials.

    A sample with an error is a provider_error, since its items are nobody's to judge; one that a limit
    ended has that reason. Raises LogError.
    """
    found = [
        _told(sample, f"{path.name}: {name}")
        for name, sample in (_packed(path) if zipfile.is_zipfile(path) else _plain(path))
    ]
    if not found:
        raise LogError(f"{path.name}: a log without samples")
    return found


def _told(sample: Any, where: str) -> Told:
    if not isinstance(sample, dict):
        raise LogError(f"{where}: a sample is an object, not {kind_of(sample)}")
    metadata = sample.get("metadata")
    entity = (metadata.get("entity") if isinstance(metadata, dict) else None) or sample.get("id")
    if not isinstance(entity, (str, int)):
        raise LogError(f"{where}: neither metadata.entity nor id names an entity")
    try:
        messages = _attached(sample.get("messages"), sample.get("attachments"))
    except RecursionError as exc:
        raise LogError(f"{where}: nested too deeply") from exc
    output, epoch = sample.get("output"), sample.get("epoch")
    model = output.get("model") if isinstance(output, dict) else None
    told = explore(
        messages,
        entity=str(entity),
        where=where,
        model=model if isinstance(model, str) and model else None,
        started_at=_moment(sample.get("started_at")),
        ended_at=_moment(sample.get("completed_at")),
    )
    told = replace(
        told, trial=epoch if is_number(epoch, MOST_TRIALS) else None, usage=_usage(sample)
    )
    return _ended(told, sample)


def _ended(told: Told, sample: Mapping[str, Any]) -> Told:
    error, limit = sample.get("error"), sample.get("limit")
    if error:
        said = error.get("message") if isinstance(error, dict) else error
        text = " ".join(str(said).split())[:300]
        return replace(told, stop_reason=StopReason.PROVIDER_ERROR, error=f"Inspect: {text}")
    if isinstance(limit, dict) and told.stop_reason is not StopReason.FINISHED:
        kind = limit.get("type")
        reason = _LIMITS.get(kind, StopReason.CANCELLED) if isinstance(kind, str) else None
        return replace(told, stop_reason=reason or StopReason.CANCELLED)
    return told


def _usage(sample: Mapping[str, Any]) -> Usage | None:
    """What all models of a sample took together, as Inspect sums it; its input leaves cached ones out."""
    told = sample.get("model_usage")
    if not isinstance(told, dict) or not told:
        return None
    sums: dict[str, int] = {}
    for each in told.values():
        for key, value in each.items() if isinstance(each, dict) else ():
            if is_number(value, MOST_TOKENS, least=0):
                sums[key] = sums.get(key, 0) + value
    cached, written = sums.get("input_tokens_cache_read"), sums.get("input_tokens_cache_write")
    fresh = sums.get("input_tokens")
    return Usage(
        input_tokens=None if fresh is None else fresh + (cached or 0) + (written or 0),
        output_tokens=sums.get("output_tokens"),
        cached_input_tokens=cached,
        cache_write_tokens=written,
        reasoning_tokens=sums.get("reasoning_tokens"),
        cost_reason="the log does not say",
    )


def _attached(messages: Any, attachments: Any) -> Any:
    """Messages with the texts that Inspect keeps beside them put back."""
    if not isinstance(attachments, dict) or not attachments:
        return messages

    def whole(value: Any) -> Any:
        if isinstance(value, str) and value.startswith(_ATTACHED):
            return attachments.get(value.removeprefix(_ATTACHED), value)
        if isinstance(value, list):
            return [whole(each) for each in value]
        if isinstance(value, dict):
            return {key: whole(each) for key, each in value.items()}
        return value

    return whole(messages)


def _moment(said: Any) -> datetime:
    try:
        found = datetime.fromisoformat(said)
        return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
    except (TypeError, ValueError, OverflowError):  # the last where its zone leads out of all years
        return NO_TIME


def _plain(path: Path) -> Iterator[tuple[str, Any]]:
    log = read_json(path, error=LogError, strict=False, largest=LARGEST)
    samples = log.get("samples") if isinstance(log, dict) else None
    if not isinstance(samples, list):
        raise LogError(f"{path.name}: no log of Inspect: it has no list of samples")
    for number, sample in enumerate(samples, 1):
        yield f"sample {number}", sample


def _packed(path: Path) -> Iterator[tuple[str, Any]]:
    try:
        with zipfile.ZipFile(path) as archive:
            room = LARGEST_LOG
            for member in archive.infolist():
                if member.filename.startswith("samples/") and member.filename.endswith(".json"):
                    content = _unpacked(archive, member)
                    if (room := room - len(content)) < 0:
                        raise LogError(f"{path.name}: more than the {LARGEST_LOG:,} bytes")
                    yield member.filename, json.loads(content)
    except _DAMAGE as exc:
        raise LogError(f"{path.name}: no log of Inspect that can be read: {exc}") from exc


def _unpacked(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    if member.file_size > LARGEST:
        raise LogError(f"{member.filename}: more than the {LARGEST:,} bytes that it may have")
    if member.compress_type != _ZSTANDARD:
        with archive.open(member) as stream:
            return stream.read(LARGEST)
    import zstandard

    assert archive.fp is not None
    archive.fp.seek(member.header_offset)
    name, extra = struct.unpack("<HH", archive.fp.read(_LOCAL_HEADER)[26:30])
    archive.fp.seek(member.header_offset + _LOCAL_HEADER + name + extra)
    packed = io.BytesIO(archive.fp.read(member.compress_size))
    try:
        with zstandard.ZstdDecompressor().stream_reader(packed) as stream:
            return stream.read(LARGEST)
    except zstandard.ZstdError as exc:
        raise ValueError(f"{member.filename} is damaged ({exc})") from exc
