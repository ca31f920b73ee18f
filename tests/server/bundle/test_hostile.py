"""A bundle that somebody made with bad intent, or that broke on its way: refused, and nothing is kept."""

from __future__ import annotations

import json
import re
import stat
import struct
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.errors import BundleError, DdrError
from server.bundle import archive
from server.bundle.keeping import keep_bundle
from server.bundle.manifest import MANIFEST
from server.settings import Settings
from server.store import Repository
from tests.server.bundle.conftest import ONE, OTHER, Bundle, Parts, parts_of, sealed

Refuses = Callable[..., str]


def files(folder: Path) -> list[Path]:
    """All but those in which SQLite keeps what is not yet in the main one."""
    return sorted(p for p in folder.rglob("*") if not p.name.endswith(("-wal", "-shm")))


@pytest.fixture
def refused(there: Repository, their_settings: Settings, tmp_path: Path) -> Refuses:
    """That a file is refused, with nothing kept and nothing written beside; what was said."""

    def said(path: Path) -> str:
        before = files(tmp_path)
        with pytest.raises(BundleError) as caught:
            keep_bundle(path, there, their_settings)
        assert there.runs() == []
        assert files(tmp_path) == before
        return str(caught.value)

    return said


@pytest.fixture
def changed(bundle: Bundle, refused: Refuses, tmp_path: Path) -> Refuses:
    """The same for a good bundle after a change, sealed anew so that its hashes are right."""

    def said(change: Callable[[Parts], Any]) -> str:
        parts = parts_of(bundle().path)
        change(parts)
        return refused(sealed(tmp_path / "changed.zip", parts))

    return said


def edit(part: str, line: int, change: Callable[[dict[str, Any]], Any]) -> Callable[[Parts], None]:
    """Change one line of the first run's part."""

    def apply(parts: Parts) -> None:
        name = part if part in parts else f"runs/1/{part}.jsonl"
        lines = parts[name].decode().splitlines()
        told = json.loads(lines[line])
        change(told)
        lines[line] = json.dumps(told)
        parts[name] = "\n".join([*lines, ""]).encode()

    return apply


def listing(**changes: Any) -> Callable[[Parts], None]:
    """Change the list itself."""

    def apply(parts: Parts) -> None:
        parts[MANIFEST] = json.dumps({**json.loads(parts[MANIFEST]), **changes}).encode()

    return apply


def test_a_bundle_that_was_only_sealed_anew_is_kept(
    bundle: Bundle, there: Repository, their_settings: Settings, tmp_path: Path
) -> None:
    """Else the tests below would prove nothing."""
    parts = parts_of(bundle().path)
    edit("turns", 1, lambda line: line["record"].update(text="told otherwise"))(parts)
    keep_bundle(sealed(tmp_path / "sealed.zip", parts), there, their_settings)
    assert there.trajectory(f"{ONE}.01.1.1").turns[1].text == "told otherwise"


@pytest.mark.parametrize(
    "name",
    [
        "../../evil.jsonl",
        "/etc/passwd",
        "runs/1/../../evil.jsonl",
        "runs\\1\\turns.jsonl",
        "C:\\evil.jsonl",
        "prompts/../../evil.json",
        "runs/1/surplus.jsonl",
    ],
)
def test_a_name_that_leads_elsewhere_is_refused(changed: Refuses, name: str) -> None:
    assert "no file of a bundle" in changed(lambda parts: parts.update({name: b"{}\n"}))


def test_a_part_that_the_list_does_not_have_is_refused(
    bundle: Bundle, refused: Refuses, tmp_path: Path
) -> None:
    path = bundle().path
    with zipfile.ZipFile(path, "a") as packed:
        packed.writestr("../evil", "x")
    assert "does not list it" in refused(path)


def test_a_part_twice_is_refused(bundle: Bundle, refused: Refuses) -> None:
    path = bundle().path
    with warnings.catch_warnings(), zipfile.ZipFile(path, "a") as packed:
        warnings.simplefilter("ignore")
        packed.writestr("runs/1/turns.jsonl", "")
    assert "is in it twice" in refused(path)


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFDIR, stat.S_IFIFO])
def test_what_is_no_plain_file_is_refused(
    bundle: Bundle, refused: Refuses, tmp_path: Path, kind: int
) -> None:
    parts = parts_of(bundle().path)
    path = tmp_path / "linked.zip"
    with zipfile.ZipFile(path, "w") as packed:
        for name, content in parts.items():
            info = zipfile.ZipInfo(name)
            info.external_attr = (
                (kind if name.endswith("turns.jsonl") else stat.S_IFREG) | 0o777
            ) << 16
            packed.writestr(info, content)
    assert "a link or a folder" in refused(path)


def test_a_bomb_is_not_unpacked(bundle: Bundle, refused: Refuses, tmp_path: Path) -> None:
    parts = parts_of(bundle().path)
    parts["runs/1/turns.jsonl"] = b" " * (64 << 20)
    assert "no records do" in refused(sealed(tmp_path / "bomb.zip", parts))


def test_more_than_the_largest_bundle_is_refused_by_its_directory(
    bundle: Bundle, refused: Refuses, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "LARGEST", 10_000)
    assert "at most 10,000 are read" in refused(bundle().path)


def test_a_directory_that_lies_of_sizes_gains_nothing(
    bundle: Bundle, refused: Refuses, tmp_path: Path
) -> None:
    """The directory says fewer bytes than the part has: what is unpacked ends there, and its sum is wrong."""
    path = bundle().path
    size = len(parts_of(path)["runs/1/turns.jsonl"])
    content = path.read_bytes()
    assert content.count(struct.pack("<L", size)) >= 2
    path.write_bytes(content.replace(struct.pack("<L", size), struct.pack("<L", 100)))
    assert "it has 100" in refused(path)


def test_a_line_without_an_end_is_not_held(
    bundle: Bundle, refused: Refuses, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "LARGEST_LINE", 100)
    assert "line 1: over 100 bytes" in refused(bundle().path)


def test_a_part_that_was_changed_is_told_by_its_hash(
    bundle: Bundle, refused: Refuses, tmp_path: Path
) -> None:
    parts = parts_of(bundle().path)
    parts["runs/1/insights.jsonl"] = parts["runs/1/insights.jsonl"].replace(
        b"finding 1", b"finding 7"
    )
    path = tmp_path / "changed.zip"
    with zipfile.ZipFile(path, "w") as packed:
        for name, content in parts.items():
            packed.writestr(name, content)
    assert "runs/1/insights.jsonl is not what manifest.json says" in refused(path)


def test_what_is_cut_off_or_no_zip_is_said(
    bundle: Bundle, refused: Refuses, tmp_path: Path
) -> None:
    path = bundle().path
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    assert "is no zip file, or not all of one" in refused(path)
    path.write_text("hello")
    assert "is no zip file" in refused(path)
    assert "cannot be read" in refused(tmp_path / "nowhere.zip")
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("readme.txt", "hello")
    assert "it has no manifest.json" in refused(path)


def test_bytes_that_broke_inside_a_part_are_said(bundle: Bundle, refused: Refuses) -> None:
    path = bundle().path
    content = bytearray(path.read_bytes())
    at = content.index(b"runs/1/turns.jsonl") + 60
    content[at : at + 40] = b"\xff" * 40
    path.write_bytes(bytes(content))
    told = refused(path)
    assert "cannot be unpacked" in told or "is not what manifest.json says" in told


def test_a_version_that_is_not_known_is_refused_with_the_way_out(changed: Refuses) -> None:
    told = changed(listing(version=2, code_revision="9.9.9"))
    assert "is of version 2, this code reads 1" in told
    assert "9.9.9" in told
    assert "update this one" in told
    assert "no bundle of runs" in changed(listing(format="other"))


def test_a_trajectory_of_a_newer_schema_is_refused(changed: Refuses) -> None:
    told = changed(edit("trajectories", 0, lambda line: line["record"].update(schema_version=2)))
    assert "schema version 2, this code knows 1" in told


def test_a_field_that_nobody_knows_is_refused_with_its_place(changed: Refuses) -> None:
    told = changed(edit("turns", 2, lambda line: line["record"].update(mood="good")))
    assert "changed.zip: runs/1/turns.jsonl, line 3: record.mood" in told


@pytest.mark.parametrize(
    ("part", "line", "change", "said"),
    [
        ("run", 0, {"id": "another"}, "it is not the run"),
        ("run", 0, {"scenario_id": "../../home"}, "letters, digits"),
        ("trajectories", 0, {"run_id": OTHER}, "is of another run"),
        ("trajectories", 0, {"entity_id": "99"}, "99 is no entity of"),
        ("trajectories", 0, {"trial": 2}, "the run has 1 trials"),
        ("trajectories", 0, {"attempt": 7}, "is not the id of its entity"),
        ("trajectories", 0, {"scenario_fingerprint": "beef"}, "explored other data"),
        ("trajectories", 1, {"id": f"{ONE}.01.1.1", "entity_id": "01"}, "is there twice"),
        ("turns", 0, {"index": 2}, "turn 2 of .* comes after turn 0"),
        ("turns", 1, {"index": 1}, "turn 1 of .* comes after turn 1"),
        ("turns", 1, {"index": 10**30}, "comes after turn 1"),
        ("turns", 1, {"tool_calls": []}, "a result of call 'c2', which it did not make"),
        ("nudges", 0, {"after_turn": 4}, "after turn 4 of .*, which has 3"),
        ("insights", 0, {"turn": 4}, "of turn 4; .* has 3"),
        ("insights", 1, {"id": f"{ONE}.01.1.1.i1"}, "is there twice"),
        ("insights", 1, {"trajectory_id": f"{ONE}.02.1.1"}, "is of another trajectory"),
        ("evaluations", 0, {"run_id": OTHER}, "judges another run"),
        ("evaluations", 0, {"checklist_id": "/etc/passwd"}, "letters, digits"),
        ("evaluations", 1, {"id": f"{ONE}.e1"}, "is there twice"),
        ("evaluations", 1, {"parameters": {"baseline": "b", "of": "e9"}}, "stands beside e9"),
        ("verdicts", 0, {"evaluation_id": f"{OTHER}.e1"}, "no evaluation of the run"),
        ("verdicts", 0, {"trajectory_id": f"{OTHER}.01.1.1"}, "no trajectory of the run"),
        ("verdicts", 0, {"supporting_turns": [4]}, "rests on turn 4; .* has 3"),
        ("verdicts", 1, {"item_id": "q1"}, "a record is there twice"),
        ("judgements", 0, {"trajectory_id": f"{OTHER}.01.1.1"}, "no trajectory of the run"),
        ("rankings.jsonl", 0, {"run_ids": [ONE, "x"]}, "which is not in the bundle"),
        ("rankings.jsonl", 0, {"evaluations": {ONE: "e9"}}, "no evaluation of"),
        ("comparisons.jsonl", 0, {"left": "x"}, "which it does not rank"),
        ("comparisons.jsonl", 0, {"entity_id": "99"}, "did not explore"),
    ],
)
def test_records_that_do_not_fit_together_are_refused(
    changed: Refuses, part: str, line: int, change: dict[str, Any], said: str
) -> None:
    told = changed(edit(part, line, lambda each: each["record"].update(change)))
    assert re.search(said, told), told


def test_a_run_that_goes_on_from_one_that_is_not_there_is_refused(changed: Refuses) -> None:
    """Else a stranger's findings would stand beside a run of this home, as what more turns find."""
    entity = {"entity_id": "01", "trial": 1, "trajectory_id": "mine.01.1.1"}
    told = changed(
        edit(
            "run",
            0,
            lambda line: line["record"].update(
                continues={"run_id": "mine", "trajectories": [entity]}
            ),
        )
    )
    assert f"{ONE} goes on from 'mine.01.1.1' of 'mine', which is not in the bundle" in told


@pytest.mark.parametrize("part", ["turns", "nudges", "insights"])
def test_a_record_of_another_trajectory_is_refused(changed: Refuses, part: str) -> None:
    told = changed(edit(part, 0, lambda line: line.update(of=f"{OTHER}.01.1.1")))
    assert "no trajectory of the run" in told


def test_an_unknown_kind_of_judgement_is_refused(changed: Refuses) -> None:
    assert "no kind of judgements" in changed(
        edit("judgements", 0, lambda line: line.update(kind="secret"))
    )


def test_a_run_whose_id_is_a_path_is_refused(changed: Refuses) -> None:
    def rename(parts: Parts) -> None:
        for name, content in parts.items():
            parts[name] = content.replace(ONE.encode(), b"../../evil")

    assert "letters, digits" in changed(rename)


def test_prompts_are_what_their_name_says(changed: Refuses) -> None:
    assert "its name is not its sha-256" in changed(
        lambda parts: parts.update({f"prompts/{'0' * 64}.json": b"[]"})
    )


def test_a_strangers_address_and_leave_are_not_kept(
    bundle: Bundle, there: Repository, their_settings: Settings, tmp_path: Path
) -> None:
    """Else `ddr insights` would send this home's keys to it, and restricted data with them."""
    parts = parts_of(bundle().path)

    def lure(line: dict[str, Any]) -> None:
        line["record"]["model"]["base_url"] = "https://evil.example/v1"
        line["record"]["endpoint_allowed"] = "go ahead"
        line["record"]["insight_model"] = line["record"]["model"]

    edit("run", 0, lure)(parts)
    keep_bundle(sealed(tmp_path / "lure.zip", parts), there, their_settings)
    run = there.run(ONE)
    assert run.model is not None
    assert run.insight_model is not None
    assert (run.model.base_url, run.insight_model.base_url, run.endpoint_allowed) == (None,) * 3


def test_a_fault_in_the_second_run_keeps_nothing_of_the_first(changed: Refuses) -> None:
    def spoil(parts: Parts) -> None:
        name = "runs/2/verdicts.jsonl"
        parts[name] = parts[name] + b"{}\n"

    assert "runs/2/verdicts.jsonl, line 7" in changed(spoil)


def test_every_byte_of_it_may_be_wrong(
    bundle: Bundle, there: Repository, their_settings: Settings
) -> None:
    """Of a bundle with one byte turned either all is as it was, or it is refused: never anything else."""
    path = bundle(ONE).path
    whole = path.read_bytes()
    for at in range(0, len(whole), max(1, len(whole) // 120)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
        try:
            keep_bundle(path, there, their_settings)
        except DdrError:
            assert there.runs() == [], at
        else:
            assert len(there.all_attempts(ONE)) == 2
            there.delete_run(ONE)
