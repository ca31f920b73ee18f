"""The server for agents that come over HTTP: a supervisor, its workers, and the gate in front of each."""

from typing import Final

HOST: Final = "127.0.0.1"
PORT: Final = 8910
"""Where `ddr serve --http` listens unless it is told otherwise."""
