"""The tool host: one process that holds kernels and databases, and the way to reach it."""
