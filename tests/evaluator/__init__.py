"""Tests of the checker without a model, its scores and its baselines."""
