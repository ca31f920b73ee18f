"""Talk to language models, and say what it cost."""
