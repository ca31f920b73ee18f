"""What holds a process of ours or of an agent's in: namespaces, a bare file system, system calls."""
