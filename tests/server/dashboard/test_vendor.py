"""The charts' library comes from npm once, whole and unchanged, or not at all."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from server.dashboard import vendor


class _Registry(BaseHTTPRequestHandler):
    packed = b""
    asked: list[str] = []  # noqa: RUF012 - one server at a time, and it is emptied by the fixture

    def do_GET(self) -> None:
        self.asked.append(self.path)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(self.packed)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


@pytest.fixture
def registry() -> Iterator[str]:
    """A registry on loopback that answers with whatever a test put into it."""
    _Registry.asked.clear()
    served = HTTPServer(("127.0.0.1", 0), _Registry)
    thread = Thread(target=served.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{served.server_port}"
    served.shutdown()
    thread.join()
    served.server_close()


def _package(**members: bytes) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, content in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return packed.getvalue()


def test_what_is_not_the_pinned_file_is_refused_and_nothing_is_written(
    registry: str, tmp_path: Path
) -> None:
    _Registry.packed = _package(**dict.fromkeys(vendor.FILES, b"alert(1)"))
    with pytest.raises(vendor.VendorError, match="its hash is sha512-"):
        vendor.bring(tmp_path / "vendor", registry)
    assert _Registry.asked == [f"/uplot/-/uplot-{vendor.VERSION}.tgz"]
    assert not (tmp_path / "vendor").exists()


def test_where_npm_cannot_be_reached_the_way_out_is_named(tmp_path: Path) -> None:
    with pytest.raises(vendor.VendorError) as raised:
        vendor.bring(tmp_path / "vendor", "http://127.0.0.1:9")
    assert "python -m server.dashboard.vendor" in str(raised.value)
    assert "NPM_CONFIG_REGISTRY" in str(raised.value)


def test_what_is_there_is_not_fetched_again(registry: str, tmp_path: Path) -> None:
    for name in vendor.FILES.values():
        (tmp_path / name).write_text("here")
    vendor.bring(tmp_path, registry)
    assert _Registry.asked == []


def test_it_came_with_the_installation_and_its_licence_with_it() -> None:
    assert vendor.is_here()
    assert "Permission is hereby granted" in (vendor.FOLDER / "uPlot.LICENSE").read_text("utf-8")
    assert vendor.VERSION in (vendor.FOLDER / "uPlot.js").read_text("utf-8")[:400]
