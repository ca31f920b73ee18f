"""A zip's directory is looked at before it is believed: how long it is, and whether its parts can be there."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from core.errors import BundleError
from server.bundle import archive
from server.bundle.archive import opened
from tests.server.bundle.conftest import ONE, Bundle

ENTRY = b"PK\x01\x02"
"""What begins an entry of the directory; its packed size stands 20 bytes further on."""


def said(path: Path) -> str:
    with pytest.raises(BundleError) as caught, opened(path):
        pass
    return str(caught.value)


def test_a_directory_that_is_too_long_is_not_read(
    bundle: Bundle, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = bundle(ONE).path
    monkeypatch.setattr(archive, "_LARGEST_DIRECTORY", 100)
    assert "a bundle's has at most 100" in said(path)


def test_parts_that_are_longer_than_the_file_lie_upon_one_another(bundle: Bundle) -> None:
    path = bundle(ONE).path
    content = bytearray(path.read_bytes())
    at = content.index(ENTRY) + 20
    content[at : at + 4] = struct.pack("<L", len(content))
    path.write_bytes(bytes(content))
    assert "they lie upon one another" in said(path)


def test_one_that_is_whole_is_opened(bundle: Bundle) -> None:
    with opened(bundle(ONE).path) as found:
        assert found.manifest.runs[0].id == ONE
        assert found.size == sum(each.bytes for each in found.manifest.files)
