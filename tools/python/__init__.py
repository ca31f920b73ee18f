"""The agent's second hand: Python that can only compute."""

SANDBOXES = {
    "bubblewrap": "tools.python.sandbox:BubblewrapSandbox",
    "landlock": "tools.python.sandbox:LandlockSandbox",
    "unsafe-none": "tools.python.sandbox:UnsafeSandbox",
}
"""Name to class; the entry-point group ddr.sandboxes adds to it."""
