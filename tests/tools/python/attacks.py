"""What was tried on sandboxes of this kind: each ends in an error, and harms nobody where it does not."""

from __future__ import annotations

LIBC = "import ctypes, glob, os\nlibc = ctypes.CDLL(None, use_errno=True)\n"

ATTACKS = {
    "a network socket": "import socket\nsocket.socket()",
    "a vsock": "import socket\nsocket.socket(40, socket.SOCK_STREAM)",
    "a netlink socket": "import socket\nsocket.socket(16, socket.SOCK_RAW)",
    "a unix socket": "import socket\nsocket.socket(socket.AF_UNIX)",
    "the mount table": "libc.syscall(458, b'\\x18' + bytes(7) + b'\\xff' * 8 + bytes(8),"
    " ctypes.create_string_buffer(800), 100, 0) > 0 or 1 / 0",
    "the host's network": "import fcntl, sys\n"
    "fcntl.ioctl(3, 0x8910, b'\\x00' * 16 + b'\\x01' + bytes(23))",
    "anonymous files": "import os\nos.memfd_create('x')",
    "a user namespace": "libc.unshare(0x10000000) == 0 or 1 / 0",
    "a mount namespace": "libc.unshare(0x20000) == 0 or 1 / 0",
    "a mount": "libc.mount(b'none', b'/tmp', b'tmpfs', 0, None) == 0 or 1 / 0",
    "tracing": "libc.ptrace(16, 1, 0, 0) == 0 or 1 / 0",
    "a key ring": "libc.syscall(250, 0, -3, 0) >= 0 or 1 / 0",
    "userfaultfd": "libc.syscall(323, 1) >= 0 or 1 / 0",
    "io_uring": "libc.syscall(425, 1, 0) >= 0 or 1 / 0",
    "shared memory": "libc.shmget(0, 4096, 0o1600) >= 0 or 1 / 0",
    "another's limits": "import resource\nresource.prlimit(1, resource.RLIMIT_NOFILE)",
    "more memory": "import resource\nresource.setrlimit(resource.RLIMIT_AS, (1 << 40, 1 << 40))",
    "more processes": "import resource\nresource.setrlimit(resource.RLIMIT_NPROC, (999, 999))",
    "a core file": "import resource\nresource.setrlimit(resource.RLIMIT_CORE, (1 << 20, 1 << 20))",
    "a shell": "import subprocess\nsubprocess.run(['/bin/sh', '-c', 'id'], check=True)",
    "a program": "import subprocess\nsubprocess.Popen(['sleep', '1'])",
    "a device": "import os\nos.mknod('/tmp/d', 0o20666, os.makedev(1, 1))",
    "its own kernel script": "open('/kernel/inside/cells.py', 'a')",
    "a package": "open('/site/pandas/__init__.py', 'a')",
    "the standard library": "import os\nopen(os.__file__, 'a')",
    "the device folder": "open('/dev/x', 'w')",
    "memory beyond the cap": "x = bytearray(100 << 30)",
    "a file beyond the cap": "f = open('/tmp/big', 'wb')\nf.seek(1 << 30)\nf.write(b'x')\nf.flush()",
    "a handle of another": "libc.syscall(438, os.pidfd_open(1), 0, 0) >= 0 or 1 / 0",
    "another's memory": "libc.syscall(310, 1, 0, 0, 0, 0, 0) >= 0 or 1 / 0",
    "a count of the whole machine": "libc.syscall(206, 1, ctypes.byref(ctypes.c_ulong())) == 0 or 1 / 0",
    "a clock that would wake it": "libc.syscall({'x86_64': 222, 'aarch64': 107}[os.uname().machine],"
    " 1, None, ctypes.byref(ctypes.c_int())) == 0 or 1 / 0",
    "going on once it is stopped": "import signal\nos.kill(1, signal.SIGCONT)",
    "a signal of a file's own": "import fcntl\nfcntl.fcntl(1, 10, 18)",
    "more memory for a pipe": "import fcntl\nfcntl.fcntl(os.pipe()[1], 1031, 1 << 20)",
    "the zygote's parent": "os.kill(os.getppid() or 99, 0)",
    "the answers beside the program": "open('../qa.json').read()",
    "the answers by their name": "glob.glob('/**/*checklist*', recursive=True)[0]",
    "the environment": "open('/proc/self/environ').read()",
    "a data set from the net": "from datasets import load_dataset",
    "another's mount table": "open('/proc/1/mountinfo').read()",
    "the right to be root": "os.setuid(0)",
    "another root": "os.chroot('/tmp')",
    "many files": "held = [None] * 1000\nfor i in range(1000): held[i] = open('/dev/null')",
}
