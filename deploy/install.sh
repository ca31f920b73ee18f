#!/bin/sh
# Sets up the checkout that this script lies in, for a server: the environment from uv.lock, all of it
# compiled, since who serves may not write here; then the downloads that it was made of are removed.
# Whoever owns the folder can run it. Needs a Python >= 3.11 and PyPI, nothing else.
set -eu
cd "$(dirname "$0")/.."

UV_COMPILE_BYTECODE=${UV_COMPILE_BYTECODE:-1}
export UV_COMPILE_BYTECODE

./ddr --version >&2
.venv/bin/python -m compileall -q core databases checklists tools providers agent evaluator analysis server bench
rm -rf .cache/uv .cache/uv-*
