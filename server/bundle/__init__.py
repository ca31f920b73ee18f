"""A run as one file: its records with their hashes, written, read with suspicion, and kept whole."""
