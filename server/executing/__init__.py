"""Start agents from outside, one for each seat, and see them to their end."""
