"""The Python scripts of deploy/ as modules: the folder is no package, and not on anybody's path."""

from __future__ import annotations

import importlib.util
from types import ModuleType

from tests.deploy.dockerfile import ROOT


def script(name: str) -> ModuleType:
    """`deploy/<name>.py`, loaded."""
    spec = importlib.util.spec_from_file_location(f"deploy_{name}", ROOT / "deploy" / f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
