"""Logs of the released DDR-Bench code, made into trajectories that can be scored (EVALUATION 1)."""
