"""Become a command once told so, and end where whoever would tell it is gone.

A program of its own, without any import of ours. Its one argument is the number of a pipe that is
told the error number of a command that cannot be run. Its input is an order: the length of the rest
and a line break, then the words of the command and its variables, each ended by NUL, after a line
with the number of the words.
"""

import os
import signal
import sys


def read_order(text: bytes) -> tuple[list[bytes], dict[bytes, bytes]] | None:
    """The command and its variables. None = it is not all there: who wrote it is gone."""
    length, _, rest = text.partition(b"\n")
    if not length.isdigit() or len(rest) != int(length):
        return None
    number, _, body = rest.partition(b"\n")
    parts = body.split(b"\0")[:-1]
    words, variables = parts[: int(number)], parts[int(number) :]
    pairs = [each.partition(b"=") for each in variables]
    return words, {name: value for name, _, value in pairs}


def main() -> None:
    """Wait for the order and carry it out."""
    failed = int(sys.argv[1])
    os.set_inheritable(failed, False)  # so that it is closed where the command runs
    order = read_order(sys.stdin.buffer.read())
    if order is None:
        return
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores them, and a command would too
        signal.signal(number, signal.SIG_DFL)
    words, variables = order
    try:
        os.execvpe(words[0], words, variables)  # noqa: S606 - a shell is not wanted
    except OSError as exc:
        os.write(failed, b"%d" % (exc.errno or 0))


if __name__ == "__main__":
    main()
