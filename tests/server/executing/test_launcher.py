"""The launcher runs a whole order and nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from server.executing import launcher

PATH = os.environ["PATH"].encode()


def whole(body: bytes) -> bytes:
    return b"%d\n" % len(body) + body


def told(order: bytes) -> tuple[int, bytes, bytes]:
    """What it exits with, what is printed, and what it says of a failure."""
    fd, failed = os.pipe()
    with os.fdopen(fd, "rb") as failure:
        done = subprocess.run(
            [sys.executable, "-I", "-S", str(Path(launcher.__file__)), str(failed)],
            input=order,
            stdout=subprocess.PIPE,
            pass_fds=[failed],
            check=False,
        )
        os.close(failed)
        return done.returncode, done.stdout, failure.read()


def test_a_whole_order_is_carried_out_with_nothing_to_read() -> None:
    order = whole(b"3\nsh\0-c\0echo $A; cat; exit 3\0A=b=c\0PATH=%b\0" % PATH)
    assert told(order) == (3, b"b=c\n", b"")


def test_an_order_of_which_a_byte_is_lacking_is_none() -> None:
    order = whole(b"3\nsh\0-c\0echo ran; exit 3\0PATH=%b\0" % PATH)
    assert told(order)[:2] == (3, b"ran\n")
    for cut in (0, 1, 5, len(order) // 2, len(order) - 1):
        assert told(order[:cut]) == (0, b"", b"")


def test_what_cannot_be_run_is_told_by_the_number_of_its_error() -> None:
    assert told(whole(b"1\n./nothing\0")) == (0, b"", b"2")
    assert told(whole(b"1\n/\0")) == (0, b"", b"13")


@pytest.mark.parametrize("value", [b"", b"a\nb", b"a=b", b"\xff"])
def test_words_and_values_are_read_to_the_byte(value: bytes) -> None:
    order = whole(b"2\nx\0%b\0V=%b\0" % (value, value))
    assert launcher.read_order(order) == ([b"x", value], {b"V": value})
