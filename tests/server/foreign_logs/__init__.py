"""Logs of other programs in common forms."""
