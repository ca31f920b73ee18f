"""What a checklist is worth: its faults, what guessing would score, and how often it says the same."""
