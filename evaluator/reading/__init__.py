"""Read insights: cut prose into clauses and find the figures, periods and cues in them."""
