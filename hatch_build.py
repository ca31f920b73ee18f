"""What the build does beside packing: bring the charts' library, so that pages work offline."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CustomBuildHook(BuildHookInterface[Any]):
    """Hatchling calls it for a wheel and for an editable installation alike."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Where npm cannot be reached the build goes on: the dashboard shows tables then."""
        place = Path(self.root) / "server" / "dashboard" / "vendor.py"
        spec = importlib.util.spec_from_file_location("ddr_vendor", place)
        if spec is None or spec.loader is None:
            return
        vendor = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(vendor)
        try:
            vendor.bring()
        except vendor.VendorError as exc:
            sys.stderr.write(f"ddr: {exc}\n")
