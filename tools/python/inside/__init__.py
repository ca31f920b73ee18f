"""What runs inside the sandbox: one warm process, and the kernels that it forks.

The folder is bound into the sandbox and imported there as `inside`, without any other file of ours:
its modules import the standard library and one another, and the agent's libraries.
"""
