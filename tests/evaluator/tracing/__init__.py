"""Tests of evaluator/tracing."""
