"""Numbers of insights, and where in their trajectory they come from."""
