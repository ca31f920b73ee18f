"""Suites that the author of a plug-in can run against a class of their own."""
