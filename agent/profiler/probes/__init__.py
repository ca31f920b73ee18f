"""One module for each family of questions that the profiler puts to a database."""
