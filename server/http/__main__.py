"""Start one worker; the supervisor does."""

from server.http.worker import main

main()
