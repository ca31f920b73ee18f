"""Task-entity databases: find them, build them, open them so that they cannot be changed."""
