"""`python -m tools.host`: the tool host's process, started by server/toolhost.py."""

from tools.host.process import main

main()
