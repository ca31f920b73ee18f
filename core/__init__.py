"""The vocabulary: every record and contract that two folders share; pure values, no I/O."""
