"""The printed figures."""
