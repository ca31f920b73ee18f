"""Exports: records and analyses as files."""
