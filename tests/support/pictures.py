"""Take the README's pictures anew: python -m tests.support.pictures HOME, with a home in which `ddr demo` ran.

They are pictures of what everybody sees after the demo: its curve, and one trajectory with an item's
evidence lit up.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from server.runner import utc_now
from server.settings import Settings
from server.store import open_store
from server.tokens import once
from tests.analysis.browser import browser
from tests.support.serving import ROOT, serving

FOLDER: Final = ROOT / "docs" / "pictures"
CURVES: Final = "curves.png"
TRAJECTORY: Final = "trajectory.png"
ENTITY: Final = "03"
_WIDTH: Final = 1280
_HEIGHT: Final = 860


def take(home: Path, folder: Path = FOLDER) -> list[Path]:
    """Both pictures, of the newest run of this home."""
    folder.mkdir(parents=True, exist_ok=True)
    curves = folder / CURVES
    subprocess.run(
        [
            sys.executable,
            "-m",
            "server.cli.main",
            "curves",
            "last",
            "--quiet",
            "--out",
            str(curves),
        ],
        cwd=ROOT,
        env={"PATH": "/usr/bin:/bin", "DDR_HOME": str(home)},
        stdout=subprocess.DEVNULL,
        check=True,
    )
    settings = Settings(home)
    with (
        serving(home) as server,
        tempfile.TemporaryDirectory() as profile,
        browser(Path(profile)) as tab,
        open_store(settings.store_path) as store,
    ):
        run = store.run("last")
        tab.look(width=_WIDTH, height=_HEIGHT)
        secret = once(store, "admin", utc_now())
        tab.open(f"{server.url}/enter?once={secret}&back=/trajectories/{run.id}/{ENTITY}")
        tab.click("a.to-turn")  # the first item's first supporting turn
        tab.settle()
        tab.photograph(folder / TRAJECTORY)
    return [curves, folder / TRAJECTORY]


if __name__ == "__main__":
    for path in take(Path(sys.argv[1]).absolute()):
        sys.stdout.write(f"{path}\n")
