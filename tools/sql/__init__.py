"""The agent's first hand: SQL that can only read."""
