"""Bring the charts' library (uPlot, MIT) from npm once, pinned by its hash, so that pages work offline.

The build calls this (hatch_build.py), so standard library only. `python -m server.dashboard.vendor`
brings it later, where npm could not be reached while ddr was installed.
"""

from __future__ import annotations

import base64
import hashlib
import io
import os
import sys
import tarfile
import urllib.request
from pathlib import Path
from typing import Final

VERSION: Final = "1.6.32"
INTEGRITY: Final = "sha512-KIMVnG68zvu5XXUbC4LQEPnhwOxBuLyW1AHtpm6IKTXImkbLgkMy+jabjLgSLMasNuGGzQm/ep3tOkyTxpiQIw=="
"""As npm's registry publishes it for this version."""
FILES: Final = {
    "package/dist/uPlot.iife.min.js": "uPlot.js",
    "package/dist/uPlot.min.css": "uPlot.css",
    "package/LICENSE": "uPlot.LICENSE",
}
FOLDER: Final = Path(__file__).resolve().parent / "static" / "vendor"
REGISTRY: Final = "https://registry.npmjs.org"
_TIMEOUT_S: Final = 30


class VendorError(Exception):
    """It cannot be brought; the text says what to do."""


def is_here(folder: Path = FOLDER) -> bool:
    """Whether all of it is there."""
    return all((folder / name).is_file() for name in FILES.values())


def bring(folder: Path = FOLDER, registry: str | None = None) -> None:
    """Put its files into `folder`, unless they are there. Raises VendorError; nothing is half done."""
    if is_here(folder):
        return
    base = (registry or os.environ.get("NPM_CONFIG_REGISTRY") or REGISTRY).rstrip("/")
    address = f"{base}/uplot/-/uplot-{VERSION}.tgz"
    try:
        with urllib.request.urlopen(address, timeout=_TIMEOUT_S) as reply:  # noqa: S310 - npm's
            packed: bytes = reply.read()
    except (OSError, ValueError) as exc:
        raise VendorError(
            f"cannot download {address}: {exc}. The dashboard shows tables in place of charts until "
            "`python -m server.dashboard.vendor` has brought it; NPM_CONFIG_REGISTRY names a mirror"
        ) from exc
    found = "sha512-" + base64.b64encode(hashlib.sha512(packed).digest()).decode()
    if found != INTEGRITY:
        raise VendorError(f"refused {address}: its hash is {found}, pinned is {INTEGRITY}")
    folder.mkdir(parents=True, exist_ok=True)
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        for member, name in FILES.items():
            source = archive.extractfile(member)
            if source is None:
                raise VendorError(f"{address} has no file {member}")
            fresh = folder / f".{name}.{os.getpid()}"
            fresh.write_bytes(source.read())
            fresh.replace(folder / name)


if __name__ == "__main__":
    try:
        bring()
    except VendorError as exc:
        sys.exit(f"error: {exc}")
