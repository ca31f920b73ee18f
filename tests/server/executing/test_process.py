"""One agent's process: what it prints, when it is ended, and that nothing of it is left."""

from __future__ import annotations

import asyncio
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from server.executing import output
from server.executing.process import Exit, Reaper, run_to_end
from tests.support.processes import is_alive, until

SLEEPS = "while :; do sleep 1; done"


@pytest.fixture
def reaper() -> Iterator[Reaper]:
    """One that watches nothing yet."""
    with Reaper() as made:
        yield made


class Lab:
    """A folder to start things in, and where they tell the numbers of their processes."""

    def __init__(self, folder: Path, reaper: Reaper) -> None:
        self.folder, self._reaper = folder, reaper
        self.log = folder / "agent.log"

    def start(
        self, *command: str, limit_s: float | None = None, grace_s: float = 5.0
    ) -> asyncio.Future[Exit]:
        """Run a command; to be awaited."""
        return asyncio.ensure_future(
            run_to_end(
                command,
                folder=self.folder,
                environment=os.environ,
                log=self.log,
                limit_s=limit_s,
                reaper=self._reaper,
                grace_s=grace_s,
            )
        )

    def run(self, *command: str, limit_s: float | None = None, grace_s: float = 5.0) -> Exit:
        """Run it to its end."""

        async def whole() -> Exit:
            return await self.start(*command, limit_s=limit_s, grace_s=grace_s)

        return asyncio.run(whole())

    @property
    def pids(self) -> list[int]:
        """What was told, one number a line."""
        path = self.folder / "pids"
        return [int(word) for word in path.read_text().split()] if path.exists() else []


@pytest.fixture
def lab(tmp_path: Path, reaper: Reaper) -> Lab:
    """A folder of the test's own."""
    return Lab(tmp_path, reaper)


def script(*lines: str) -> Sequence[str]:
    return ("sh", "-c", "\n".join(lines))


def test_what_it_prints_on_both_ways_and_its_exit_code_are_told(lab: Lab) -> None:
    done = lab.run(*script("echo out", "echo err >&2", "exit 3"))
    assert (done.code, done.timed_out, done.printed, done.kept) == (3, False, 8, 8)
    assert lab.log.read_text() == "out\nerr\n"
    assert done.tail == "out\nerr"
    assert stat.S_IMODE(lab.log.stat().st_mode) == 0o600


def test_there_is_nothing_to_read_and_its_folder_is_the_one_that_was_named(lab: Lab) -> None:
    done = lab.run(*script("cat", "pwd"))
    assert done.tail == str(lab.folder)


def test_one_that_is_killed_has_the_code_that_a_shell_gives(lab: Lab) -> None:
    assert lab.run(*script("kill -KILL $$")).code == 128 + signal.SIGKILL


def test_one_that_cannot_be_started_says_why(lab: Lab) -> None:
    done = lab.run("./nothing-of-this-name")
    assert done.code is None
    assert done.tail == (
        "it cannot be started: [Errno 2] No such file or directory: './nothing-of-this-name'"
    )
    assert "null byte" in lab.run("echo", "a\0b").tail


class Told(Reaper):
    """A reaper, and the groups that it is to watch."""

    def __init__(self) -> None:
        self.groups: list[int] = []
        self.ever: list[int] = []

    def watch(self, group: int) -> None:
        super().watch(group)
        self.groups.append(group)
        self.ever.append(group)

    def forget(self, group: int) -> None:
        super().forget(group)
        self.groups.remove(group)


def test_the_reaper_forgets_one_that_cannot_be_started_and_one_that_has_ended(
    tmp_path: Path,
) -> None:
    with Told() as reaper:
        lab = Lab(tmp_path, reaper)
        assert lab.run("./nothing-of-this-name").code is None
        assert lab.run("true").code == 0
        assert len(reaper.ever) == 2
        assert reaper.groups == []
        assert not [pid for pid in reaper.ever if is_alive(pid)]


def test_without_a_reaper_nothing_is_started(tmp_path: Path) -> None:
    class Gone(Told):
        def watch(self, group: int) -> None:
            self._process.kill()
            self._process.wait()
            self.ever.append(group)
            super().watch(group)

        def forget(self, group: int) -> None:
            Reaper.forget(self, group)

    with Gone() as reaper:
        done = Lab(tmp_path, reaper).run(*script("echo $$ > pids"))
        assert done.code is None
        assert "would end it together with this one is gone" in done.tail
        assert not (tmp_path / "pids").exists()
        assert not is_alive(reaper.ever[0])


def test_a_command_is_run_as_if_it_was_started_by_us_directly(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its number, its variables to the last byte, its signals, its open files."""
    monkeypatch.setenv("LC_ALL", "C")
    monkeypatch.setenv("ODD", "a=b\n\udcff")
    looks = "import os, sys; print(os.getpid() == os.getpgrp() == os.getsid(0)); print(os.listdir('/proc/self/fd'))"
    variables = dict(os.environ)
    mine = subprocess.run(["env", "-0"], env=variables, capture_output=True, check=True).stdout
    assert lab.run("env", "-0").code == 0
    assert sorted(lab.log.read_bytes().split(b"\0")) == sorted(mine.split(b"\0"))
    lab.log.unlink()
    shown = lab.run("grep", "-E", "SigIgn|SigBlk", "/proc/self/status").tail
    assert {line.split()[1] for line in shown.splitlines()} == {"0" * 16}
    lab.log.unlink()
    own, files = lab.run(sys.executable, "-c", looks).tail.splitlines()
    assert (own, files) == ("True", "['0', '1', '2', '3']")  # 3 is the list itself


@pytest.mark.parametrize("told", [False, True])
def test_an_agent_is_never_run_where_its_caller_is_killed_as_it_starts_it(
    tmp_path: Path, told: bool
) -> None:
    # The caller kills itself in the moment between the start and the word to the reaper, or right
    # after that word.
    starts = f"""
import asyncio, os, pathlib, signal
from server.executing.process import Reaper, run_to_end
class Killed(Reaper):
    def watch(self, group):
        if {told}:
            super().watch(group)
        pathlib.Path({str(tmp_path / "group")!r}).write_text(str(group))
        os.kill(os.getpid(), signal.SIGKILL)
async def main():
    with Killed() as reaper:
        await run_to_end(
            ["sh", "-c", {f"echo $$ > pids; {SLEEPS}"!r}], folder=pathlib.Path({str(tmp_path)!r}),
            environment=os.environ, log=pathlib.Path({str(tmp_path / "log")!r}),
            limit_s=None, reaper=reaper,
        )
asyncio.run(main())
"""
    assert subprocess.run([sys.executable, "-c", starts], check=False).returncode == -signal.SIGKILL
    group = int((tmp_path / "group").read_text())
    try:
        until(lambda: not is_alive(group), "the end of what was started")
    finally:
        if is_alive(group):
            os.killpg(group, signal.SIGKILL)
    assert not (tmp_path / "pids").exists()


def test_at_its_limit_all_that_it_started_is_ended(lab: Lab) -> None:
    told = 'echo "$$ $!" > pids'
    done = lab.run(*script(f"sh -c '{SLEEPS}' &", told, SLEEPS), limit_s=0.5)
    assert done.timed_out
    assert done.code == 128 + signal.SIGTERM
    assert len(lab.pids) == 2
    assert not [pid for pid in lab.pids if is_alive(pid)]


def test_one_that_does_not_heed_the_request_is_made_to_end(lab: Lab) -> None:
    ignores = "trap 'echo asked' TERM"
    done = lab.run(*script(ignores, "echo $$ > pids", SLEEPS), limit_s=0.5, grace_s=1.5)
    assert done.timed_out
    assert done.code == 128 + signal.SIGKILL
    assert "asked" in done.tail
    assert not is_alive(lab.pids[0])


def test_what_it_leaves_behind_is_ended_with_it(lab: Lab) -> None:
    done = lab.run(*script(f"(trap '' TERM; {SLEEPS}) &", "echo $! > pids"))
    assert done.code == 0
    until(lambda: not is_alive(lab.pids[0]), "the end of what was left behind")


def test_one_that_fled_into_a_session_of_its_own_holds_nobody_up(lab: Lab) -> None:
    flees = "import os, sys, time; os.setsid(); open('pids', 'w').write(str(os.getpid())); time.sleep(600)"
    waits = "while ! [ -s pids ]; do sleep 0.02; done"
    done = lab.run(*script(f'"{sys.executable}" -c "{flees}" &', waits))
    try:
        assert done.code == 0
        assert done.seconds < 60
    finally:
        os.kill(lab.pids[0], signal.SIGKILL)


def test_a_flood_of_output_is_read_and_its_head_alone_is_kept(lab: Lab) -> None:
    flood = "import sys\nfor n in range(200): sys.stdout.write('x' * 100_000)\nprint('the end')"
    done = lab.run(sys.executable, "-c", flood)
    assert (done.code, done.printed) == (0, 20_000_008)
    assert done.kept == output.LOG_BYTES
    text = lab.log.read_bytes()
    assert len(text) < output.LOG_BYTES + 100
    assert text.endswith(b"[ddr: 10000008 more bytes were printed and are not kept]\n")
    assert done.tail.endswith("the end")


def test_its_last_words_give_no_orders_to_a_terminal(lab: Lab) -> None:
    done = lab.run(*script(r"printf 'red \033[31m \a\r\n\377\n'"))
    assert done.tail.isprintable() or set(done.tail) - {"\n"} <= set("red [31m\ufffd ")
    assert "\x1b" not in done.tail


def test_cancelling_ends_it_with_all_that_it_started(lab: Lab) -> None:
    async def cancelled() -> None:
        running = lab.start(*script(f"sh -c '{SLEEPS}' &", 'echo "$$ $!" > pids', SLEEPS))
        while len(lab.pids) < 2:
            await asyncio.sleep(0.02)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(cancelled())
    assert not [pid for pid in lab.pids if is_alive(pid)]


def test_cancelling_twice_waits_for_nobody(lab: Lab) -> None:
    async def cancelled() -> None:
        running = lab.start(*script("trap '' TERM", "echo $$ > pids", SLEEPS), grace_s=600)
        while not lab.pids:
            await asyncio.sleep(0.02)
        running.cancel()
        await asyncio.sleep(0)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(cancelled())
    assert not is_alive(lab.pids[0])


def test_an_earlier_log_is_never_overwritten(lab: Lab) -> None:
    lab.log.write_text("earlier")
    with pytest.raises(FileExistsError):
        lab.run(*script("echo $$ > pids; sleep 600"))
    assert lab.log.read_text() == "earlier"
    assert not [pid for pid in lab.pids if is_alive(pid)]


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_an_agent_does_not_outlive_a_caller_that_is_killed(tmp_path: Path, how: int) -> None:
    starts = f"""
import asyncio, os, pathlib
from server.executing.process import Reaper, run_to_end
async def main():
    with Reaper() as reaper:
        await run_to_end(
            ["sh", "-c", {f"echo $$ > pids; {SLEEPS}"!r}], folder=pathlib.Path({str(tmp_path)!r}),
            environment=os.environ, log=pathlib.Path({str(tmp_path / "log")!r}),
            limit_s=None, reaper=reaper,
        )
asyncio.run(main())
"""
    caller = subprocess.Popen([sys.executable, "-c", starts])
    told = tmp_path / "pids"
    try:
        until(lambda: told.exists() and told.read_text().strip(), "the agent")
        agent = int(told.read_text())
        assert is_alive(agent)
    finally:
        caller.send_signal(how)
        caller.wait()
    until(lambda: not is_alive(agent), "the end of the agent")
