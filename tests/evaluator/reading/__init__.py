"""Tests of how insights are read."""
