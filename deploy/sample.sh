#!/bin/sh
# Builds a scenario below $DDR_HOME, so that there is something to explore at once: flights, or the one named.
set -eu
root=$(CDPATH='' cd -- "$(dirname "$0")/.." && pwd -P)
exec "$root/.venv/bin/ddr" scenarios build "${1:-flights}"
