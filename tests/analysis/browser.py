"""Drive a real headless Chromium over its DevTools pipe: open, ask, click, type, photograph."""

from __future__ import annotations

import base64
import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

WAIT_S = 30.0
"""So long a page may take to show what it is waited for; a busy machine is no fault of it."""

GONE = (
    "Inspected target navigated or closed",
    "Execution context was destroyed.",
    "Cannot find default execution context",
)
"""What Chromium answers to a question whose page is left meanwhile."""

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)


def executable() -> str | None:
    """Chromium's path; None where there is none."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


class LeftError(Exception):
    """The page went away while it was asked: a click or a form leads to the next one."""


class Browser:
    """One tab. Commands go down one pipe and answers come up the other, NUL between them."""

    def __init__(self, down: int, up: int) -> None:
        self._down, self._up = down, up
        self._buffer = b""
        self._number = 0
        self._session: str | None = None
        self.events: list[dict[str, Any]] = []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        attached = self.send("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")
        self.send("Page.setLifecycleEventsEnabled", enabled=True)

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """One command; waits for its answer and keeps the events that come before it."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._down, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._number:
                if "error" in answer and answer["error"]["message"] in GONE:
                    raise LeftError(method)
                assert "error" not in answer, (method, answer["error"])
                result: dict[str, Any] = answer["result"]
                return result
            self.events.append(answer)

    def open(self, url: str) -> None:
        """Load a page and wait until it has loaded. A fragment of the page at hand only scrolls."""
        seen = len(self.events)
        # By its own number: the page before may still be loading, and its end is not this one's.
        loader = self.send("Page.navigate", url=url).get("loaderId")
        while loader is not None and not any(
            e.get("method") == "Page.lifecycleEvent"
            and (e["params"]["loaderId"], e["params"]["name"]) == (loader, "load")
            for e in self.events[seen:]
        ):
            self.events.append(self._read())

    def ask(self, expression: str) -> Any:
        """The value of a JavaScript expression (or of the promise that it is)."""
        answer = self.send(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def settle(self) -> None:
        """Wait until what was set going has been drawn, on this page or on the one it leads to."""
        drawn = (
            "new Promise(r => requestAnimationFrame(() => requestAnimationFrame(() => r(true))))"
        )
        self._until(drawn)

    def wait_for(self, expression: str) -> None:
        """Until it is true in the page; whatever is loading meanwhile."""
        self._until(f"!!(document.body && ({expression}))")

    def _until(self, expression: str) -> None:
        """Ask until it is true, of whichever page is there by then."""
        end = time.monotonic() + WAIT_S
        while True:
            with suppress(LeftError):
                if self.ask(expression):
                    return
            assert time.monotonic() < end, (expression, self.ask("document.body?.innerText"))
            time.sleep(0.05)

    def click(self, selector: str) -> None:
        """Click the middle of an element with the mouse, as a person would."""
        place = self.ask(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)});"
            "e.scrollIntoView({block: 'center', behavior: 'instant'});"
            "const r = e.getClientRects()[0];"
            "return {x: r.x + r.width / 2, y: r.y + r.height / 2}; })()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, **place, button="left", clickCount=1)
        self.settle()

    def press(self, key: str) -> None:
        """Press one key."""
        codes = {"Tab": 9, "Enter": 13, "Escape": 27, " ": 32}
        text = {"Enter": "\r", " ": " "}.get(key)
        extra = {"text": text} if text else {}
        for kind in ("keyDown", "keyUp"):
            self.send(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                windowsVirtualKeyCode=codes[key],
                **(extra if kind == "keyDown" else {}),
            )
        self.settle()

    def look(self, *, width: int = 1280, height: int = 900, dark: bool = False) -> None:
        """Set the size of the window and the colours that its owner prefers."""
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", features=[scheme])

    def photograph(self, path: Path) -> None:
        """What the window shows, as a PNG."""
        path.write_bytes(base64.b64decode(self.send("Page.captureScreenshot")["data"]))

    def complaints(self) -> list[str]:
        """Everything that the page's console and its policy complained of."""
        found = [e["params"] for e in self.events if e.get("method") == "Log.entryAdded"]
        thrown = [e["params"] for e in self.events if e.get("method") == "Runtime.exceptionThrown"]
        return [json.dumps(c) for c in found + thrown]

    def requests(self) -> list[str]:
        """Every address that the page asked for."""
        asked = [e for e in self.events if e.get("method") == "Network.requestWillBeSent"]
        return [e["params"]["request"]["url"] for e in asked]

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            piece = os.read(self._up, 1 << 16)
            assert piece, "the browser has gone"
            self._buffer += piece
        message, _, self._buffer = self._buffer.partition(b"\0")
        answer: dict[str, Any] = json.loads(message)
        return answer


@contextmanager
def browser(profile: Path) -> Iterator[Browser]:
    """A Chromium of our own with an empty profile, ended with all that it started."""
    program = executable()
    assert program, "chromium is not installed"
    to_child, down = os.pipe()
    up, from_child = os.pipe()

    # Chromium reads commands from descriptor 3 and answers on descriptor 4.
    launcher = 'exec 3<&"$0" 4>&"$1"; shift; exec "$@"'
    command = [program, *FLAGS, f"--user-data-dir={profile}"]
    process = subprocess.Popen(
        ["bash", "-c", launcher, str(to_child), str(from_child), *command],
        pass_fds=(to_child, from_child),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    os.close(to_child)
    os.close(from_child)
    try:
        yield Browser(down, up)
    finally:
        os.close(down)
        os.close(up)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
