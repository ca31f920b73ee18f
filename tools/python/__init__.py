"""The agent's second hand: Python that can only compute."""
