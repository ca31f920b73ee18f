"""Tests of the checker with a model."""
