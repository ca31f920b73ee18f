"""Checklists that others publish, read into our form."""
