"""The composition root: everything with a port, a process or a file that outlives a call."""
