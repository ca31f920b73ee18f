"""End groups of processes when the one that started them is gone, however it went.

A program of its own, without any import of ours. It reads '+GROUP' and '-GROUP', one a line; at the
end of its input it ends the groups that are left.
"""

import os
import signal
import sys
import time

GRACE_S = 5.0
"""Between the request to end and the end."""
LOOK_S = 0.05


def _tell(groups: set[int], number: int) -> set[int]:
    """Those that were there to be told."""
    there = set()
    for group in groups:
        try:
            os.killpg(group, number)
        except OSError:
            continue
        there.add(group)
    return there


def main() -> None:
    """Until whoever holds the other end of stdin is gone."""
    groups: set[int] = set()
    for line in sys.stdin.buffer:
        sign, group = line[:1], line[1:].strip()
        # 0 and 1 would be our own group and everybody's.
        if not group.isdigit() or int(group) <= 1:
            continue
        if sign == b"+":
            groups.add(int(group))
        else:
            groups.discard(int(group))
    last = time.monotonic() + GRACE_S
    left = _tell(groups, signal.SIGTERM)
    while left and time.monotonic() < last:
        time.sleep(LOOK_S)
        left = _tell(left, 0)
    _tell(left, signal.SIGKILL)


if __name__ == "__main__":
    main()
