"""Let an agent explore and stop by itself."""
