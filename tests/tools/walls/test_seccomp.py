"""The system call filter, run on a small machine that speaks classic BPF."""

from __future__ import annotations

import struct

import pytest

from tools.walls.seccomp import ALONE, MACHINES, NESTING, REFUSED, Machine, filter_program

ALLOW, EPERM, ENOSYS, KILL = 0x7FFF0000, 0x00050001, 0x00050026, 0x80000000
CLONE_THREAD_FLAGS = 0x003D0F00
"""What libc asks of clone() for a thread."""
SIGCHLD = 17


def verdict(
    program: bytes, arch: int, number: int, first: int = 0, second: int = 0, third: int = 0
) -> int:
    """What the kernel would answer to a call: struct seccomp_data through the filter."""
    data = struct.pack("=iIQ6Q", number, arch, 0, first, second, third, 0, 0, 0)
    steps = list(struct.iter_unpack("=HBBI", program))
    accumulator, at = 0, 0
    for _ in range(10_000):
        code, if_true, if_false, k = steps[at]
        at += 1
        if code == 0x20:
            (accumulator,) = struct.unpack_from("=I", data, k)
        elif code == 0x54:
            accumulator &= k
        elif code == 0x06:
            return int(k)
        else:
            holds = {
                0x15: accumulator == k,
                0x35: accumulator >= k,
                0x45: bool(accumulator & k),
            }[code]
            at += if_true if holds else if_false
    raise AssertionError("the filter does not end")


@pytest.fixture(params=sorted(MACHINES))
def machine(request: pytest.FixtureRequest) -> tuple[Machine, bytes]:
    program = filter_program(request.param)
    assert program is not None
    return MACHINES[request.param], program


def test_every_call_of_the_list_is_refused(machine: tuple[Machine, bytes]) -> None:
    this, program = machine
    for name, numbers in REFUSED.items():
        if (number := numbers[this.column]) is not None:
            assert verdict(program, this.audit_arch, number) == EPERM, name


def test_everything_else_is_let_through(machine: tuple[Machine, bytes]) -> None:
    this, program = machine
    special = {this.clone3, *(n[this.column] for n in REFUSED.values())}
    for number in range(600):
        if number not in special:
            first = 1 if number == this.socketpair else 0
            assert verdict(program, this.audit_arch, number, first) == ALLOW, number


def test_threads_and_processes_may_be_made_and_namespaces_not(
    machine: tuple[Machine, bytes],
) -> None:
    this, program = machine

    def clone(flags: int) -> int:
        return verdict(program, this.audit_arch, this.clone, flags)

    assert clone(CLONE_THREAD_FLAGS) == ALLOW
    assert clone(SIGCHLD) == ALLOW
    for bit in (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000):
        assert clone(bit | SIGCHLD) == EPERM, hex(bit)
    assert verdict(program, this.audit_arch, this.clone3) == ENOSYS


def test_limits_may_be_set_for_oneself_only(machine: tuple[Machine, bytes]) -> None:
    this, program = machine
    assert verdict(program, this.audit_arch, this.prlimit64, 0) == ALLOW
    assert verdict(program, this.audit_arch, this.prlimit64, 1) == EPERM


def test_pairs_of_unix_sockets_are_the_only_sockets(machine: tuple[Machine, bytes]) -> None:
    this, program = machine
    assert verdict(program, this.audit_arch, this.socketpair, 1) == ALLOW
    for family in (2, 10, 16, 40):
        assert verdict(program, this.audit_arch, this.socketpair, family) == EPERM


def test_no_socket_is_asked_about_its_network(machine: tuple[Machine, bytes]) -> None:
    this, program = machine
    for request in (0x8912, 0x8927, 0x894C, 0x5_0000_8912):
        assert verdict(program, this.audit_arch, this.ioctl, 8, request) == EPERM
    for request in (0x5401, 0x541B, 0x5452):  # a terminal's settings, bytes waiting, async
        assert verdict(program, this.audit_arch, this.ioctl, 8, request) == ALLOW


def test_no_signal_makes_a_stopped_session_go_on(machine: tuple[Machine, bytes]) -> None:
    this, program = machine
    assert sorted(this.signalling.values()) == [1, 1, 1, 1, 2, 2]
    for number, place in this.signalling.items():
        for signal, expected in ((18, EPERM), (0, ALLOW), (9, ALLOW), (19, ALLOW)):
            arguments = {1: (7, signal, 0), 2: (7, 7, signal)}[place]
            asked = verdict(program, this.audit_arch, number, *arguments)
            assert asked == expected, (number, signal)


def test_a_childs_end_is_told_as_an_end(machine: tuple[Machine, bytes]) -> None:
    this, program = machine
    vfork = 0x4100
    for flags, expected in (
        *((SIGCHLD, ALLOW), (0, ALLOW), (vfork | SIGCHLD, ALLOW), (CLONE_THREAD_FLAGS, ALLOW)),
        *(
            (18, EPERM),
            (vfork | 18, EPERM),
            (CLONE_THREAD_FLAGS | 18, EPERM),
            (0x5_0000_0012, EPERM),
        ),
    ):
        assert verdict(program, this.audit_arch, this.clone, flags) == expected, hex(flags)


def test_files_send_no_signals_and_pipes_do_not_grow(machine: tuple[Machine, bytes]) -> None:
    this, program = machine
    for request in (8, 10, 15, 1031, 0x5_0000_0407):
        assert verdict(program, this.audit_arch, this.fcntl, 1, request) == EPERM, request
    for request in (0, 1, 2, 3, 4, 6, 9, 1030, 1032):  # copies, flags, locks, a pipe's size
        assert verdict(program, this.audit_arch, this.fcntl, 1, request) == ALLOW, request


def test_a_call_of_another_machine_ends_the_process(machine: tuple[Machine, bytes]) -> None:
    this, program = machine
    i386 = 0x40000003
    assert verdict(program, i386, 1) == KILL
    if this.first_foreign is not None:
        assert verdict(program, this.audit_arch, this.first_foreign + 41) == KILL


def test_the_numbers_agree_with_this_machines_headers() -> None:
    """Where the kernel's headers are installed, each number is looked up in them."""
    from pathlib import Path

    places = {
        0: Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
        1: Path("/usr/include/asm-generic/unistd.h"),
    }
    for column, place in places.items():
        if not place.is_file():
            continue
        numbers: dict[str, int] = {}
        for line in place.read_text(encoding="ascii").splitlines():
            words = line.split()
            if len(words) == 3 and words[0] == "#define" and words[2].isdigit():
                numbers[words[1].removeprefix("__NR_").removeprefix("__NR3264_")] = int(words[2])
        named = {name: pair[column] for name, pair in {**REFUSED, **ALONE}.items()}
        machine = list(MACHINES.values())[column]
        named |= {"clone": machine.clone, "prlimit64": machine.prlimit64}
        named |= {
            "socketpair": machine.socketpair,
            "clone3": machine.clone3,
            "ioctl": machine.ioctl,
            "prctl": machine.prctl,
            "fcntl": machine.fcntl,
        }
        for name, number in named.items():
            if name in numbers and number is not None:
                assert numbers[name] == number, name


@pytest.mark.parametrize("name", sorted(MACHINES))
def test_who_forks_others_into_namespaces_may_do_that_and_no_more(name: str) -> None:
    this, program = MACHINES[name], filter_program(name, allowed=NESTING)
    assert program is not None
    for call, numbers in REFUSED.items():
        if (number := numbers[this.column]) is not None:
            expected = ALLOW if call in NESTING else EPERM
            assert verdict(program, this.audit_arch, number) == expected, call


@pytest.mark.parametrize("name", sorted(MACHINES))
def test_a_process_that_stands_alone_makes_threads_and_nothing_else(name: str) -> None:
    this, program = MACHINES[name], filter_program(name, alone=True)
    assert program is not None

    def ask(number: int, first: int = 0) -> int:
        return verdict(program, this.audit_arch, number, first)

    for call, numbers in {**REFUSED, **ALONE}.items():
        if (number := numbers[this.column]) is not None:
            assert ask(number) == EPERM, call
    assert ask(this.clone, CLONE_THREAD_FLAGS) == ALLOW
    assert ask(this.clone, SIGCHLD) == EPERM
    assert ask(this.clone, 0x10000000 | SIGCHLD) == EPERM
    assert ask(this.clone3) == ENOSYS
    assert ask(this.prctl, 1) == EPERM, "it ends with the process that it was forked from"
    assert ask(this.prctl, 15) == ALLOW, "a thread may have a name"


def test_an_unknown_machine_has_no_filter() -> None:
    assert filter_program("riscv64") is None
