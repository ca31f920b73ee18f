"""Explorations that other programs logged, in forms that many of them write: read, then kept as a run."""
