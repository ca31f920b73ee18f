"""A scenario as an installed distribution, as a plug-in's author would install it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest


def install_scenario(
    site: Path, monkeypatch: pytest.MonkeyPatch, scenario_id: str, files: dict[str, str]
) -> Path:
    """Put a package with these files on the path, with its entry point; the package's folder."""
    name = scenario_id.replace("-", "_")
    package = site / name
    package.mkdir(parents=True)
    for file, text in {"__init__.py": "", **files}.items():
        (package / file).write_text(text, encoding="utf-8")
    about = site / f"{name}-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {scenario_id}\nVersion: 1\n")
    (about / "entry_points.txt").write_text(f"[ddr.scenarios]\n{scenario_id} = {name}\n")
    monkeypatch.syspath_prepend(str(site))
    for module in [m for m in sys.modules if m == name or m.startswith(f"{name}.")]:
        monkeypatch.delitem(sys.modules, module)
    return package
