"""The Dockerfile as data, and which files of the checkout its context holds by .dockerignore."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[2]
DOCKERFILE = ROOT / "Dockerfile"


@dataclass(frozen=True)
class Instruction:
    """One instruction: `RUN`, and what follows it in one line."""

    word: str
    rest: str

    @property
    def words(self) -> list[str]:
        """What follows: a JSON array, or words as a shell reads them."""
        if self.rest.startswith("["):
            return [str(word) for word in json.loads(self.rest)]
        return shlex.split(self.rest)

    def option(self, name: str) -> str | None:
        """The value of `--name=value`, as far as it stands before anything else."""
        for word in self.rest.split():
            if not word.startswith("--"):
                return None
            if word.startswith(f"--{name}="):
                return word.partition("=")[2]
        return None


@dataclass
class Stage:
    """What lies between two FROM lines."""

    base: str
    name: str | None
    instructions: list[Instruction] = field(default_factory=list)

    def all(self, word: str) -> list[Instruction]:
        return [each for each in self.instructions if each.word == word]

    def one(self, word: str) -> Instruction:
        """The last one of a kind, which is the one that holds."""
        return self.all(word)[-1]

    def environment(self, before: dict[str, str]) -> dict[str, str]:
        """What ENV lines make of an environment."""
        made = dict(before)
        for line in self.all("ENV"):
            for word in line.words:
                name, _, value = word.partition("=")
                made[name] = re.sub(r"\$(\w+)", lambda found: made.get(found[1], ""), value)
        return made


@cache
def stages() -> tuple[Stage, ...]:
    """The Dockerfile's stages in their order."""
    text = DOCKERFILE.read_text(encoding="utf-8")
    text = re.sub(r"^\s*#.*\n", "", text, flags=re.MULTILINE).replace("\\\n", " ")
    found: list[Stage] = []
    for line in filter(str.strip, text.splitlines()):
        word, _, rest = line.strip().partition(" ")
        rest = " ".join(rest.split())
        if word == "FROM":
            base, _, name = rest.partition(" AS ")
            found.append(Stage(base, name or None))
        else:
            found[-1].instructions.append(Instruction(word, rest))
    return tuple(found)


def is_in_context(path: str) -> bool:
    """Whether .dockerignore lets a file through: the last pattern that speaks of it decides."""
    admitted = True
    for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines():
        pattern = line.strip()
        if not pattern or pattern.startswith("#"):
            continue
        again = pattern.startswith("!")
        if _speaks_of(pattern.removeprefix("!"), path):
            admitted = again
    return admitted


def _speaks_of(pattern: str, path: str) -> bool:
    """A pattern speaks of a file by its own path, or by that of a folder that it lies in."""
    regex = re.escape(pattern).replace(r"\*\*/", "(?:.*/)?").replace(r"\*", "[^/]*")
    own = PurePosixPath(path)
    return any(re.fullmatch(regex, str(each)) for each in (own, *own.parents))


def context() -> list[str]:
    """The files that `docker build .` would send from a clone, and those not yet committed."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.check_output(command, cwd=ROOT, text=True).split("\0")
    return [name for name in listed if name and (ROOT / name).is_file() and is_in_context(name)]
