"""Bundles by somebody who knows the format of zip files better than we do."""

from __future__ import annotations

import csv
import json
import re
import stat
import struct
import time
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from core.errors import BundleError
from server import reporting
from server.bundle import archive
from server.bundle.keeping import keep_bundle
from server.bundle.manifest import MANIFEST
from server.export.writing import Wanted, export
from server.settings import Settings
from server.store import Repository
from tests.server.bundle.conftest import ONE, Bundle, Parts, parts_of, sealed
from tests.server.bundle.test_hostile import Refuses, changed, edit, refused
from tests.server.support import START

__all__ = ["changed", "refused"]

EVIL_IDS = (
    "../../../evil",
    "/etc/evil",
    "a/b",
    "<script>alert(1)</script>",
    "=cmd|' /C'!A0",
    "x\ny\x1b[2J",
)


def local(name: bytes, body: bytes = b"", *, said: int | None = None) -> bytes:
    """A part as it stands in a zip file, stored."""
    size = len(body) if said is None else said
    head = struct.pack("<4s5H3L2H", b"PK\3\4", 20, 0, 0, 0, 33, 0, size, size, len(name), 0)
    return head + name + body


def entry(name: bytes, *, at: int, size: int = 0, mode: int = 0o644, flags: int = 0) -> bytes:
    """An entry of its directory."""
    fields = (b"PK\1\2", 20, 3, 20, 0, flags, 0, 0, 33, 0, size, size, len(name), 0, 0, 0, 0)
    return struct.pack("<4s4B4HL2L5H2L", *fields, mode << 16, at) + name


def ending(count: int, size: int, at: int) -> bytes:
    """The end of the file, of the large kind, so that there may be any count."""
    large = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, count, count, size, at)
    where = struct.pack("<4sLQL", b"PK\6\7", 0, at + size, 1)
    small = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    return large + where + small


def put(path: Path, body: bytes, entries: list[bytes]) -> Path:
    directory = b"".join(entries)
    path.write_bytes(body + directory + ending(len(entries), len(directory), len(body)))
    return path


def test_a_million_small_parts_are_refused_before_they_are_counted(
    refused: Refuses, tmp_path: Path
) -> None:
    body = local(b"a")
    one = entry(b"%07d", at=0)
    path = put(
        tmp_path / "many.zip", body, [one.replace(b"%07d", b"%07d" % k) for k in range(10**6)]
    )
    began = time.perf_counter()
    assert "a directory of" in refused(path)
    assert time.perf_counter() - began < 2


def test_as_many_parts_as_a_directory_may_name_are_still_too_many(
    refused: Refuses, tmp_path: Path
) -> None:
    entries = [entry(b"%d" % k, at=0) for k in range(20_001)]
    assert "20,001 parts" in refused(put(tmp_path / "many.zip", local(b"a"), entries))


def test_parts_that_lie_upon_one_another_are_refused(refused: Refuses, tmp_path: Path) -> None:
    """One body under a thousand names: what is unpacked would have nothing to do with the file's size."""
    body = local(b"runs/1/turns.jsonl", b" " * 50_000)
    names = [f"runs/{k}/turns.jsonl".encode() for k in range(1, 1000)]
    entries = [entry(name, at=0, size=50_000) for name in (*names, MANIFEST.encode())]
    assert "lie upon one another" in refused(put(tmp_path / "quilt.zip", body, entries))


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFCHR, stat.S_IFBLK, stat.S_IFSOCK])
def test_a_link_or_a_device_is_refused_by_its_attributes_though_its_name_is_good(
    refused: Refuses, tmp_path: Path, kind: int
) -> None:
    name, target = MANIFEST.encode(), b"/etc/passwd"
    entries = [entry(name, at=0, size=len(target), mode=kind | 0o777)]
    assert "a link or a folder" in refused(put(tmp_path / "link.zip", local(name, target), entries))


@pytest.mark.parametrize(
    ("at", "size"), [(10**9, 2), (0xFFFFFFFF, 2), (0, 0xFFFFFFFF), (7, 2), (0, 10**6)]
)
def test_a_directory_that_lies_of_places_is_refused(
    refused: Refuses, tmp_path: Path, at: int, size: int
) -> None:
    name = MANIFEST.encode()
    refused(put(tmp_path / "lies.zip", local(name, b"{}"), [entry(name, at=at, size=size)]))


def test_a_directory_whose_names_are_not_those_of_the_parts_is_refused(
    refused: Refuses, tmp_path: Path
) -> None:
    name = MANIFEST.encode()
    told = refused(
        put(tmp_path / "x.zip", local(b"manifest.jsox", b"{}"), [entry(name, at=0, size=2)])
    )
    assert "cannot be unpacked" in told


ODD_NAMES = (
    "ｒuns/1/turns.jsonl",
    "runs/１/turns.jsonl",
    "runs/1/turns.jsonl\u200b",
    "runs/1/tur\u0578s.jsonl",
    "runs/1/turns.jsonl/",
    "runs//1/turns.jsonl",
    "./runs/1/turns.jsonl",
    "RUNS/1/turns.jsonl",
    "runs/1/turns.jsonl ",
    "runs/1/turns.jsonl:evil",
    "runs/0/turns.jsonl",
    "runs/1/turns.jsonl\n",
    "prompts/" + "é" * 64 + ".json",
)


def test_a_name_that_some_system_takes_for_another_is_refused(
    bundle: Bundle, refused: Refuses, tmp_path: Path
) -> None:
    good = parts_of(bundle(ONE).path)
    for name in ODD_NAMES:
        path = sealed(tmp_path / "odd.zip", {**good, name: b""})
        assert "no file of a bundle" in refused(path) or name.endswith("/")
        path.unlink()


def test_a_name_that_is_another_behind_a_zero_byte_is_refused(
    bundle: Bundle, refused: Refuses
) -> None:
    path = bundle().path
    good, evil = b"runs/1/turns.jsonl", b"runs/1/tur\0s.jsonl"
    path.write_bytes(path.read_bytes().replace(good, evil))
    refused(path)


def test_what_stands_before_or_behind_the_zip_is_part_of_the_hash_and_does_no_harm(
    bundle: Bundle, there: Repository, their_settings: Settings
) -> None:
    path = bundle(ONE).path
    whole = path.read_bytes()
    path.write_bytes(b"#!/bin/sh\n" * 9 + whole)
    try:
        kept = keep_bundle(path, there, their_settings)
    except BundleError:
        assert there.runs() == []
    else:
        assert [run.id for run in kept.added] == [ONE]


LONE = '"\\ud800"'


ODD_LINES = (
    b'{"of":"\\ud800","record":{}}\n',
    b'{"of":"\xff\xfe","record":{}}\n',
    b'{"of":"x","record":' + b'{"a":' * 5_000 + b"1" + b"}" * 5_000 + b"}\n",
    b'{"of":"x","record":' + b"[" * 200_000 + b"}\n",
    b'{"of":"x","record":' + b"9" * 20_000 + b"}\n",
    b'{"of":"x","record":{"index":NaN}}\n',
    b'{"of":"x","of":"y","record":{}}\n',
    b"\n",
    b"\x00\n",
    b"null\n",
)


def test_no_line_is_too_odd_to_be_refused(bundle: Bundle, refused: Refuses, tmp_path: Path) -> None:
    good = parts_of(bundle(ONE).path)
    for part in ("run", "trajectories", "turns", "insights", "verdicts", "judgements"):
        name = f"runs/1/{part}.jsonl"
        for line in ODD_LINES:
            path = sealed(tmp_path / "odd.zip", {**good, name: line + good[name]})
            assert name in refused(path), line[:40]
            path.unlink()


@pytest.mark.parametrize("field", ["text", "reasoning"])
def test_half_a_letter_in_a_text_is_refused_or_kept_so_that_it_can_be_written(
    bundle: Bundle, there: Repository, their_settings: Settings, tmp_path: Path, field: str
) -> None:
    parts = parts_of(bundle(ONE).path)
    name = "runs/1/turns.jsonl"
    first, _, rest = parts[name].decode().partition("\n")
    told = json.loads(first)
    told["record"][field] = "HALF"
    parts[name] = (json.dumps(told).replace('"HALF"', LONE) + "\n" + rest).encode()
    try:
        keep_bundle(sealed(tmp_path / "half.zip", parts), there, their_settings)
    except BundleError:
        assert there.runs() == []
    else:
        for attempt in there.all_attempts(ONE):
            attempt.model_dump_json().encode()


@pytest.mark.parametrize(
    "change",
    [
        {"runs": []},
        {"files": [{}]},
        {"code_revision": "\ud800"},
        {"created_at": "x" * 10**5},
        {"version": 10**400},
    ],
)
def test_no_list_is_too_odd_to_be_refused_in_one_short_line(
    bundle: Bundle, refused: Refuses, tmp_path: Path, change: dict[str, Any]
) -> None:
    parts = parts_of(bundle(ONE).path)
    listed = {**json.loads(parts[MANIFEST]), **change}
    path = tmp_path / "odd.zip"
    with zipfile.ZipFile(path, "w") as packed:
        for name, content in parts.items():
            packed.writestr(name, json.dumps(listed) if name == MANIFEST else content)
    told = refused(path)
    told.encode("utf-8")
    assert len(told) < 1000


def renamed(parts: Parts, old: str, new: str) -> None:
    """An entity under another id, wherever it is spelt."""
    spelt = json.dumps(new)[1:-1]
    for name, content in parts.items():
        if name.endswith(".jsonl"):
            text = content.decode()
            text = re.sub(rf'"{old}"', lambda _: f'"{spelt}"', text)
            text = re.sub(rf"\.{old}\.1\.1", lambda _: f".{spelt}.1.1", text)
            parts[name] = text.encode()


@pytest.mark.parametrize("entity", EVIL_IDS)
def test_an_entity_that_is_called_like_a_path_writes_no_file_but_the_runs_own(
    bundle: Bundle,
    there: Repository,
    their_settings: Settings,
    tmp_path: Path,
    flights_home: Path,
    entity: str,
) -> None:
    parts = parts_of(bundle(ONE).path)
    renamed(parts, "02", entity)
    for name, content in parts.items():
        parts[name] = content.replace(b'"small"', b'"flights"')
    keep_bundle(sealed(tmp_path / "ids.zip", parts), there, their_settings)
    place = their_settings.home / "scenarios"
    if place.is_dir():
        place.rmdir()
    place.symlink_to(flights_home / "scenarios")
    run = there.run(ONE)
    assert entity in run.entity_ids
    before = {p for p in tmp_path.rglob("*") if p.is_file()}
    page = reporting.write(
        reporting.collect(run, there, their_settings), their_settings.reports / f"{ONE}.html"
    )
    fresh = {p for p in tmp_path.rglob("*") if p.is_file()} - before
    assert {p for p in fresh if not p.name.startswith("ddr.")} <= {page}
    assert "<script>alert(1)" not in page.read_text("utf-8")
    out = tmp_path / "out"
    export([run], there, their_settings, out, Wanted(("csv",)), now=START)
    assert {p.parent for p in tmp_path.rglob("*.csv")} == {out}
    for table in out.glob("*.csv"):
        with table.open(encoding="utf-8", newline="") as file:
            cells = {cell for row in csv.reader(file) for cell in row}
        assert not [cell for cell in cells if cell[:1] in "=@" and cell]


@pytest.mark.parametrize(
    ("part", "change"),
    [
        ("run", {"id": "."}),
        ("run", {"id": "CON/.."}),
        ("run", {"scenario_id": "-rf"}),
        ("evaluations", {"id": "../e"}),
        ("evaluations", {"id": "x" * 201}),
        ("evaluations", {"checklist_id": "..%2fx"}),
        ("rankings.jsonl", {"id": "a\nb"}),
        ("rankings.jsonl", {"id": "ｋ"}),
    ],
)
def test_what_files_are_named_after_is_plain(
    changed: Refuses, part: str, change: dict[str, Any]
) -> None:
    told = changed(edit(part, 0, lambda line: line["record"].update(change)))
    assert "letters, digits" in told or "not the run" in told or "is listed as" in told


def test_the_limit_of_a_directory_is_above_what_the_largest_bundle_has() -> None:
    longest = entry(b"prompts/" + b"0" * 64 + b".json", at=0)
    assert 2 * archive._MOST_PARTS * len(longest) < archive._LARGEST_DIRECTORY


def test_helpers_make_a_file_that_zipfile_reads(tmp_path: Path) -> None:
    """Else what is refused above might be refused for being no zip file at all."""
    body = local(b"x", b"hi")
    put(tmp_path / "good.zip", body, [entry(b"x", at=0, size=2)])
    with zipfile.ZipFile(BytesIO((tmp_path / "good.zip").read_bytes())) as packed:
        assert [(i.filename, i.file_size) for i in packed.infolist()] == [("x", 2)]
